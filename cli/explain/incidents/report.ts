import {
  asciiJson,
  aside,
  escapeText,
  LABELS,
  type Line,
  plural,
  withTone,
  wrapWords
} from '../../../src/internal/index.ts'
import { explainCode, explainGatewayCode, gatewayCodeLines, isCode } from '../code.ts'
import type { Group, Incidents } from './groups.ts'

/** Limits the groups in a text; JSON has all. */
const MAX_SHOWN = 20

const SIGNED_BY = { key: 'the published key', claimed: 'not known' } as const

/** Writes the table of groups, and one line for what the service has not signed. */
export function incidentLines(incidents: Incidents): Line[] {
  const { groups, verified, unsigned, forged, undated, unreadable = 0, older = 0, dropped = 0, tooLong = 0 } = incidents
  const count = groups.reduce((sum, group) => sum + group.count, 0)
  const headline =
    count === 0
      ? withTone('good', 'nothing refused', `nothing refused that claims to be from the service; verified: ${verified}`)
      : withTone('bad', 'refused', `refused, and claims to be from the service: ${count}; verified: ${verified}`)
  return [
    headline,
    ...(groups.length === 0 ? [] : ['', ...groups.slice(0, MAX_SHOWN).flatMap(group => groupLines(group, verified))]),
    ...(groups.length > MAX_SHOWN ? [`and ${groups.length - MAX_SHOWN} smaller groups: --json has them`] : []),
    '',
    aside(`not signed by the service: ${unsigned} without a signature under its domain, ${forged} by another key`),
    ...(undated === 0 ? [] : [aside(`left out, because --since needs a time: ${plural(undated, 'line')} without one`)]),
    ...(dropped === 0 ? [] : [aside(`not in the log, because its reader had stalled: ${plural(dropped, 'line')}`)]),
    ...(tooLong === 0 ? [] : [aside(`not read, because they are longer than 1 MB: ${plural(tooLong, 'line')}`)]),
    ...(older === 0 ? [] : [aside(`not read, because there are too many: the ${older} oldest files`)]),
    ...(unreadable === 0 ? [] : [aside(`damaged, and counted by their names: ${plural(unreadable, 'file')}`)])
  ]
}

function groupLines({ code, signer, differs, count, first, last, verifiedBefore }: Group, verified: number): Line[] {
  const times = first === undefined ? '' : `${iso(first)} to ${iso(last!)}`
  const what = differs === undefined ? '' : `${differs.name} ${escapeText(differs.value)}`
  const since = verified === 0 ? '' : `verified: ${verifiedBefore} before, ${verified - verifiedBefore} since`
  const start = `${String(count).padStart(7)}  `
  const indent = ' '.repeat(start.length)
  const more = [what, times, `signed by: ${SIGNED_BY[signer]}${since && `; ${since}`}`].filter(text => text !== '')
  return [withTone('label', start + code, start + code), ...more.map(text => wrapWords(indent, text))]
}

const iso = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z')

/** `logRecord` does not open signatures, and the gateway opens a few a second. */
const UNKNOWN_SIGNER = "A forger's request looks the same in this log: a recorder's file says who signed."

/** Says what the code of a group means. It has no request, so it is unknown which cause applies. */
export function groupCodeLines({ code, signer, differs, advice }: Group): readonly Line[] {
  if (!isCode(code)) {
    const ofGateway = explainGatewayCode(code)
    return ofGateway === undefined ? [] : [gatewayCodeLines(ofGateway)].flat()
  }
  const { message, meaning } = explainCode(code)
  // Text from outside goes into no command.
  const isName = signer === 'claimed' && differs?.name === 'key' && /^[a-z0-9._-]{1,253}$/.test(differs.value)
  return [
    withTone('label', code, `${code}: ${message}`),
    ...(advice === undefined
      ? [wrapWords('', meaning)]
      : [labelled(LABELS.cause, advice.cause), labelled(LABELS.fix, advice.fix)]),
    ...(code === 'signature-mismatch' && signer === 'claimed' ? [UNKNOWN_SIGNER] : []),
    `Causes and fixes: npx signed-requests explain ${code}`,
    ...(isName ? [`The key as DNS has it now: npx signed-requests key ${differs.value}`] : [])
  ]
}

const labelled = (label: string, text: string): Line =>
  withTone('label', label, wrapWords(`${label} `, escapeText(text, 1000)))

/** Writes all groups as JSON; `explained` is what the text says of the largest one. */
export function incidentJson({ groups, ...counts }: Incidents, explained: object | undefined): string {
  const { verified } = counts
  const rows = groups.map(({ first, last, verifiedBefore, differs, advice, ...group }) => ({
    ...group,
    ...advice,
    ...(differs && { [differs.name]: differs.value }),
    ...(first !== undefined && { first: iso(first), last: iso(last!) }),
    verifiedBefore,
    verifiedSince: verified - verifiedBefore
  }))
  return asciiJson({ groups: rows, ...counts, ...(explained && { explained }) })
}

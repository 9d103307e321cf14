import { facts, factText } from '../../explain/facts.ts'
import { withoutPrivateKeys } from '../../explain/record-mistakes.ts'
import { escapeText, wrapExact, wrapWords } from '../../explain/text.ts'
import { type Failed, importPublicKey, type KeyLimits, parseKeyRecord } from '../../index.ts'
import { looksLikeKeyRecord } from '../../key/record.ts'
import { type Conclusion, type Resolved, statusOf } from './conclude.ts'
import type { Hop, Trace } from './trace.ts'
import { describeFinding, inWords, seconds } from './words.ts'

/** All that is known about one name. */
export interface KeyReport {
  readonly name: string
  /** the DNS servers of the receiver */
  readonly asked: readonly string[]
  readonly resolved: Resolved
  readonly trace: Trace | undefined
  readonly conclusion: Conclusion
  readonly limits: KeyLimits
  /** milliseconds since 1970, for the time at which the receiver's DNS server asks again */
  readonly now: number
}

/** For a person, as printable ASCII in 80 columns: the conclusion, what the resolver said, what the name servers say. */
export function reportText(report: KeyReport): string {
  const { name, asked, resolved, trace, conclusion } = report
  const { problem, records } = resolverPart(report)
  return [
    wrapWords('', inWords(conclusion).text),
    '',
    `${statusOf(resolved, report.limits)}: ${name}`,
    ...linesOf({
      asked: `DNS server ${asked.join(', ')}`,
      problem,
      ...(trace && resolverLines(trace, report.now))
    }),
    ...records.flatMap(({ status, text, ...about }, i) => [
      `\nrecord ${i + 1}: ${status === 'unrelated' ? 'not a key record' : status}`,
      ...linesOf(about),
      wrapExact('  text: ', escapeText(text, 2000))
    ]),
    ...(trace?.hops.flatMap(hopLines) ?? [])
  ].join('\n')
}

/** For a program: Map as object, and no private key. */
export function toPlainData(report: KeyReport): unknown {
  const { name, asked, resolved, trace, conclusion, limits } = report
  const status = statusOf(resolved, limits)
  const { problem, records } = resolverPart(report)
  const about = { ...inWords(conclusion), ...conclusion }
  const data = { name, conclusion: about, servers: asked, status, problem, records, ...trace }
  return JSON.parse(
    JSON.stringify(data, (property, value) => {
      if (value instanceof Map) return Object.fromEntries(value)
      return property === 'texts' ? withoutPrivateKeys(value) : value
    })
  )
}

function resolverPart({ resolved, limits }: KeyReport) {
  const { texts, failure } = resolved
  const records = texts.map(text => reportOn(text, limits))
  const isUnrelated = texts.every(text => !looksLikeKeyRecord(text))
  const none = isUnrelated ? 'no key record among the TXT records' : undefined
  const shown = withoutPrivateKeys(texts)
  return {
    problem: failure ?? none,
    records: records.map((record, i) => ({ ...record, text: shown[i]! }))
  }
}

/** What one TXT record publishes, its chunks joined. Without `hashes` any hash is allowed. */
function reportOn(text: string, limits: KeyLimits) {
  if (!looksLikeKeyRecord(text)) return { status: 'unrelated' }
  const record = parseKeyRecord(text)
  const key = record.ok ? importPublicKey(record.value, limits) : record
  const found = key.ok ? { bits: key.value.bits } : { problem: describeFailure(key) }
  const { type, flags, hashes } = record.ok ? record.value : {}
  return { status: key.ok ? 'usable' : 'unusable', ...found, type, flags, hashes }
}

export function describeFailure({ code, message, evidence }: Failed): string {
  const { name: _, record: __, servers: ___, ...rest } = { ...evidence } as Record<string, string>
  return [`${code}: ${message}`, ...facts(rest).map(factText)].join('; ')
}

/** How long the resolver says what it says, and what it makes of DNSSEC. */
function resolverLines({ resolver }: Trace, now: number) {
  const { finding, ttl, isAuthenticated, isBogus } = resolver
  const again = new Date(now + (ttl ?? 0) * 1000).toISOString().replace(/\.\d+Z/, 'Z')
  const signed = isAuthenticated ? 'authenticated' : 'not authenticated'
  return {
    says: describeFinding(finding),
    'asks again': ttl === undefined ? undefined : `in ${seconds(ttl)}, at ${again}`,
    dnssec: isBogus ? 'fails, and answers when it is asked not to validate' : signed
  }
}

function hopLines({ name, zone, servers }: Hop): string[] {
  const rows = servers.map(({ server, address, serial, finding }) => {
    const about = [address, serial === undefined ? undefined : `serial ${serial}`, describeFinding(finding)]
    return wrapWords(`  ${escapeText(server)}: `, about.filter(Boolean).join(', '))
  })
  const where = zone === undefined ? 'no zone was found' : `in the zone ${escapeText(zone)}`
  return ['', wrapWords('-- ', `${escapeText(name)}, ${where}`), ...(rows.length > 0 ? rows : ['  no name server'])]
}

/** For a person: what is there, as printable ASCII in 80 columns. */
const linesOf = (about: object): string[] =>
  Object.entries(about)
    .filter(([, value]) => String(value ?? '') !== '')
    .map(([name, value]) => wrapWords(`  ${name}: `, escapeText([value].flat().join(', '), 1000)))

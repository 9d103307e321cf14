import { PATIENT_SEARCH_COST } from '../../explain/changed-line.ts'
import { diagnoseWithin } from '../../explain/diagnose.ts'
import { explainDiagnosis } from '../../explain/explain.ts'
import { asciiJson, duration, escapeText } from '../../explain/text.ts'
import { lineValues } from '../../http/fields.ts'
import { createVerifier, dnsTxtLookup, parseHttpDate, type VerifierOptions } from '../../index.ts'
import { looksLikeKeyRecord } from '../../key/record.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { type Entry, isSigned } from '../captures/capture.ts'
import { readCapture } from '../captures/read-capture.ts'
import { EXIT, type Io, readBytes, UsageError } from '../command.ts'
import { addPrefix, type Command, flag, requireFlags, SHARED, schemeOf, text, type Values } from '../flags.ts'

/** What a capture does not say. */
const CONTEXT = { prefix: text, http: flag, now: text, 'key-record': text, body: text } as const

const OPTIONS = { ...SHARED, ...CONTEXT, entry: text, vector: text, json: flag } as const

/** `signed-requests explain` */
export const explain: Command<typeof OPTIONS> = { argument: '[FILE]', options: OPTIONS, run }

type Flags = Values<typeof OPTIONS>

async function run(flags: Flags, io: Io, file: string): Promise<number> {
  const entries = readCapture(await readBytes(file || '-', 'FILE', io))
  const chosen = chooseEntry(entries, flags, io)
  const entry = await changeEntry(chosen, flags, io)
  const options = optionsOf(entry, flags)
  if (entry.time !== undefined && flags.now === undefined)
    io.note(`note: verified as of the capture's own time, ${new Date(entry.time).toISOString()}`)
  const verdict = await createVerifier(options)(entry.request)
  const diagnosis = diagnoseCapture(verdict, entry, flags, options)
  // Dates become ISO 8601 by themselves; bytes do not.
  const bytes = verdict.status === 'verified' ? Buffer.from(verdict.body) : undefined
  const body = bytes && { body: { length: bytes.length, base64: bytes.toString('base64') } }
  io.print(flags.json ? asciiJson({ ...verdict, ...body, diagnosis }) : explainDiagnosis(diagnosis))
  return { verified: EXIT.ok, rejected: EXIT.refused, unavailable: EXIT.unknown }[verdict.status]
}

/** What logs, pages and office programs make of a value; quotes of UTF-8 are seen as Latin-1 in raw captures. */
const EDITED = /\*{3,}|\[?redacted\]?|\[filtered\]|&quot;|\xe2\x80[\x9c\x9d]|[\u201c\u201d]/i

/** The selected request of a file, or the first that is signed, with notes on how it was found. @throws UsageError */
function chooseEntry(all: readonly Entry[], { entry: number, vector }: Flags, io: Io): Entry {
  const entries = vector === undefined ? all : all.filter(({ name }) => name === vector)
  const index = number === undefined ? Math.max(entries.findIndex(isSigned), 0) : Number(number) - 1
  const chosen = entries[index]
  const names = all.flatMap(({ name }) => name ?? []).join(', ')
  const has = `requests 1 to ${all.length}${names && `, the vectors ${names}`}`
  if (chosen === undefined) throw new UsageError(`the file has no such request: it has ${has}`)
  const where = `this is request ${index + 1} of ${entries.length} in the file: --entry N${names && ' or --vector NAME'} chooses another`
  const [edited] = chosen.request.headers.find(([, value]) => EDITED.test(value)) ?? []
  const doubt = `${escapeText(edited ?? '')} looks redacted or edited; take it from where it is whole`
  if (number === undefined && entries.length > 1) io.note(`note: ${where}`)
  for (const note of [...chosen.notes, ...(edited === undefined ? [] : [doubt])]) io.note(`note: ${note}`)
  return chosen
}

/** The request as the flags change it. */
async function changeEntry(entry: Entry, flags: Flags, io: Io): Promise<Entry> {
  const given = flags.body === undefined ? undefined : await readBytes(flags.body, '--body', io)
  const request = {
    ...entry.request,
    target: addPrefix(flags.prefix, entry.request.target),
    body: given ?? entry.request.body,
    https: entry.request.https && flags.http !== true
  }
  return { ...entry, request, missingBody: given === undefined ? entry.missingBody : undefined }
}

/** The command line overrides the fixture. */
function optionsOf({ options, request, time }: Entry, flags: Flags): VerifierOptions {
  const records = flags['key-record'] === undefined ? undefined : parseTxt(flags['key-record'])
  if (records && !records.some(looksLikeKeyRecord))
    throw new UsageError(
      '--key-record takes the text of a key record: --key-record "$(cat FILE)" for one in a file'
    )
  const servers = flags['dns-server']
  const now = flags.now === undefined ? time : parseNow(flags.now, request)
  const given = Object.entries({
    serviceDomain: flags.domain,
    hosts: flags.host,
    accounts: flags.account,
    accountHeader: flags['account-header'],
    accountPrefix: flags['account-prefix'],
    schemes: flags.scheme?.map(schemeOf),
    algorithms: flags.algorithm,
    lookupTxt: records ? async () => records.map(text => [text]) : servers && dnsTxtLookup({ servers }),
    now: now === undefined ? undefined : () => now
  }).filter(([, value]) => value !== undefined)
  const all: Partial<VerifierOptions> = { ...options, ...Object.fromEntries(given) }
  requireFlags({ domain: all.serviceDomain, host: all.hosts, account: all.accounts })
  return all as VerifierOptions
}

function parseNow(text: string, { headers }: Entry['request']): number {
  const date = parseHttpDate(lineValues(headers, 'date')[0] ?? '')
  const received = date.ok ? date.value.getTime() : Number.NaN
  const time = text === 'date' ? received : Date.parse(text)
  if (!Number.isNaN(time)) return time
  throw new UsageError(
    '--now takes a time such as 2026-11-20T12:00:00Z, or "date" if the request has a good Date'
  )
}

/** A quoted string, a comment up to the end of its line, a bracket, the end of a line, or anything else. */
const TOKENS = /"((?:[^"\\]|\\.)*)"?|;[^\n]*|[()\n]|[^"();\n]+/gs

/** `\DDD` is an octet, `\X` is that character. */
const unescapeString = (quoted: string): string =>
  quoted.replace(/\\(?:(\d{3})|(.))/gs, (_, octet?: string, character = '') =>
    octet === undefined ? character : String.fromCharCode(Number(octet) & 0xff)
  )

/**
 * Parses TXT records as people paste them: the text alone, or quoted strings, with whatever a zone file, dig, host or
 * nslookup writes before them, in brackets over several lines and with comments (RFC 1035 section 5.1). The strings of
 * a record are joined.
 */
export function parseTxt(pasted: string): string[] {
  if (!pasted.includes('"')) return [pasted.replace(/^(?:\s*;[^\n]*\n)+/, '')]
  const records: string[][] = [[]]
  let depth = 0
  for (const { 0: token, 1: quoted } of pasted.matchAll(TOKENS)) {
    if (quoted !== undefined) records.at(-1)!.push(unescapeString(quoted))
    else if (token === '(') depth++
    else if (token === ')') depth--
    else if (token === '\n' && depth === 0) records.push([])
  }
  return records.filter(strings => strings.length > 0).map(strings => strings.join(''))
}

/** What the verdict on a capture means. What the capture does not hold was not checked. */
function diagnoseCapture(
  verdict: Verdict,
  { missingBody, time }: Entry,
  { now }: Flags,
  options: VerifierOptions
) {
  const { date, digest } = verdict.checks
  // The body is asked for only when every other check has passed.
  const isLost = missingBody !== undefined && 'code' in digest && digest.code === 'body-unreadable'
  const isUndated = now === 'date' && date.outcome === 'pass'
  const notRun = (reason: string) => ({ outcome: 'not-run', reason }) as const
  const checks = {
    ...verdict.checks,
    ...(isUndated && { date: notRun('--now date takes the Date itself as the time') }),
    ...(isLost && { digest: notRun(`${missingBody}; --body FILE gives it`) })
  }
  const checked = { ...verdict, checks, ...(isLost && { failures: [] }) } as Verdict
  const diagnosis = diagnoseWithin(PATIENT_SEARCH_COST, checked, { settings: 'flags' })
  const headline = isLost ? 'the body is not in the capture; all else passed' : diagnosis.headline
  const isPartial = isUndated && (isLost || verdict.status === 'verified')
  const clock = `this machine's clock (${new Date().toUTCString()})`
  const undated = 'to check all but the date: --now date'
  return {
    ...diagnosis,
    headline: isPartial ? `${headline}; the date was not checked` : headline,
    failures: diagnosis.failures.map(failure => {
      const { evidence } = verdict.checks[failure.check] as { evidence?: { offsetSeconds?: number } }
      const ahead = evidence?.offsetSeconds ?? 0
      const age = duration(Math.abs(ahead))
      if (ahead !== 0 && (now ?? time) !== undefined) {
        const way = ahead < 0 ? 'before' : 'after'
        const cause = `its time is ${age} ${way} that of --now or of the capture`
        return { ...failure, cause, fix: `Give the time at which it was received: --now TIME; ${undated}` }
      }
      // That of a fixture is the receiver's own clock.
      if (ahead >= 0 || options.now !== undefined) return failure
      const cause = `the capture is ${age} old, or ${clock} is fast by as much`
      return { ...failure, cause, fix: `Compare the clock with: date -u; ${undated}` }
    })
  }
}

import { namesOf, pick } from '../../flags/flag.ts'
import { refuseMissing } from '../../flags/parse.ts'
import { SCHEMES } from '../../flags/schemes.ts'
import { UsageError } from '../../flags/usage-error.ts'
import {
  createVerifier,
  type Diagnosis,
  type LookupTxt,
  logRecord,
  parseHttpDate,
  type Verdict,
  type VerifierOptions
} from '../../src/index.ts'
import {
  diagnoseWithin,
  type HeaderLine,
  hidePrivateKeys,
  holdsPrivateKey,
  lineValues,
  looksLikeKeyRecord,
  type OptionName,
  PATIENT_SEARCH_COST,
  prepareProxy,
  recordTexts,
  type Undecided
} from '../../src/internal/index.ts'
import type { Entry } from '../captures/capture.ts'
import { chooseEntry } from '../captures/choose-entry.ts'
import { addPrefix } from '../path-prefix.ts'
import { CLOCKS, type Clock, captureCauses } from './causes.ts'
import { type Flags, RECEIVER } from './flags.ts'
import { joinSplitRecord, parsePastedRecords } from './pasted-records.ts'

/** Data besides the capture and the flags. */
export interface Sources {
  /** the content of the file that `--body` names */
  readonly body?: Buffer | undefined
  /** the resolver that the flags name */
  readonly lookupTxt?: LookupTxt | undefined
  /** no resolver may be asked: without a key record, the key is not checked */
  readonly isOffline?: boolean
}

/** The explanation of one request of a capture. */
export interface Explained {
  readonly status: Verdict['status']
  /** says that the key is from the file; undefined where it is not, or makes no difference */
  readonly keySource: string | undefined
  /** for a person, on how the capture was read */
  readonly notes: readonly string[]
  readonly diagnosis: Diagnosis
  /** verdict and diagnosis as plain data, for JSON */
  readonly data: object
}

/**
 * Verifies one request of a capture, and explains the verdict. Reads no file: programs for a terminal and for a browser
 * give it what they have read.
 *
 * @throws UsageError for flags that do not fit the capture
 */
export async function explainCapture(
  entries: readonly Entry[],
  flags: Flags,
  sources: Sources = {}
): Promise<Explained> {
  const { chosen, notes, edited } = chooseEntry(entries, flags, waysToChoose(entries))
  const entry = changeEntry(chosen, flags, sources)
  const options = optionsOf(entry, flags, sources)
  refuseMissing(
    missingOf(options).map(name => RECEIVER[name]),
    'shared'
  )
  const source = keySourceOf(chosen, flags, options)
  const found = await createVerifier(options as VerifierOptions)(entry.request)
  const unknown = unknownKeyOf(source, found)
  const verdict = unknown === undefined ? found : withoutKey(found, unknown.reason)
  const diagnosis = diagnoseCapture(verdict, entry, flags, options, unknown?.headline)
  // A test document that is refused says nothing that its key could make wrong.
  const isKeySaid = source === 'untrusted-file' || flags.trustFileDns || found.status === 'verified'
  const ownTime = flags.now === undefined ? entry.time : undefined
  const time =
    ownTime === undefined ? [] : [`verified as of the capture's own time, ${new Date(ownTime).toISOString()}`]
  const claim = entry.options?.now && flags.now === undefined ? describeReceipt(found, entry.options.now()) : []
  // Dates become ISO 8601 by themselves; bytes do not.
  const bytes = verdict.status === 'verified' ? Buffer.from(verdict.body) : undefined
  const body = bytes && { body: { length: bytes.length, base64: bytes.toString('base64') } }
  const isFromFile = source === 'trusted-file' || source === 'untrusted-file'
  return {
    status: verdict.status,
    keySource: isFromFile && isKeySaid ? KEY_SOURCES[source] : undefined,
    notes: [...notes, ...edited, ...time, ...claim],
    diagnosis,
    data: { ...(isFromFile && { keySource: 'file' }), ...withoutPrivateKey(verdict), ...body, diagnosis }
  }
}

/**
 * Returns the settings that are neither in the flags nor in the capture: a fixture brings its own.
 *
 * @throws UsageError for flags that do not fit the capture
 */
export const missingSettings = (entries: readonly Entry[], flags: Flags): (typeof NEEDED)[number][] =>
  missingOf(optionsOf(chooseEntry(entries, flags).chosen, flags, {}))

/** Says when a request of a fixture came, and which key and account it claims. */
function describeReceipt(verdict: Verdict, now: number): string[] {
  const { claimedKeyId, claimedAccountId } = logRecord(verdict)
  if (claimedKeyId === undefined) return []
  const account = claimedAccountId === undefined ? '' : `, for account ${claimedAccountId}`
  return [`received at ${new Date(now).toISOString()}; says that it is signed with ${claimedKeyId}${account}`]
}

/** Returns the verdict as plain data, its records hidden where one of them holds a private key. */
function withoutPrivateKey(verdict: Verdict | Undecided): object {
  const texts = verdict.failures.flatMap(recordTexts)
  if (!texts.some(holdsPrivateKey)) return verdict
  const show = hidePrivateKeys(texts)
  const hide = (name: string, value: string & string[]) => {
    if (name === 'record') return show(value)
    return name === 'records' ? value.map(show) : value
  }
  return JSON.parse(JSON.stringify(verdict, hide))
}

/** Names the ways to choose an entry. Only vectors have names. */
const waysToChoose = (entries: readonly Entry[]): string =>
  entries.some(({ name }) => name !== undefined) ? '--entry N or --vector NAME' : '--entry N'

/** Says in the first line that the key is not from DNS: whoever wrote the file may have made the key, too. */
const KEY_SOURCES = {
  'trusted-file': 'the key is from the file, not from DNS',
  'untrusted-file': 'the key is from the file, not from DNS: --trust-file-dns accepts it'
} as const

/** The source of the key, if it is a file, or if there was no lookup (`none`). */
type KeySource = 'none' | keyof typeof KEY_SOURCES | undefined

/**
 * Finds the source of the key. A file with DNS answers of its own proves nothing about the receiver that the command or
 * the environment names; without such a name it is a test document, and its own data is all there is.
 */
function keySourceOf({ options }: Entry, flags: Flags, { lookupTxt }: Partial<VerifierOptions>): KeySource {
  if (lookupTxt === askNobody) return 'none'
  if (options?.lookupTxt === undefined || lookupTxt !== options.lookupTxt) return undefined
  const namesReceiver = [flags.serviceDomain, flags.hosts, flags.accounts].some(value => value !== undefined)
  return namesReceiver && !flags.trustFileDns ? 'untrusted-file' : 'trusted-file'
}

/** Looks up no key. The key is the first thing that is looked up, so no later check has run. */
const askNobody: LookupTxt = () => Promise.reject(new Error('no key is looked up'))

/** Why the key was not checked, and what that means for the verdict. */
const UNKNOWN_KEYS = {
  none: {
    reason: 'no key record is given, and no resolver to ask for it',
    headline: 'the key is not known; every check that needs no key passed'
  },
  'untrusted-file': {
    reason: 'the record is from the file; --trust-file-dns accepts it',
    headline: 'the key is from the file; everything else passed'
  }
} as const

/** Returns why a key decides that is not known, or not trusted; undefined where the verdict holds without it. */
function unknownKeyOf(source: KeySource, { status, checks }: Verdict) {
  if (source === 'none' && checks.key.outcome === 'unavailable') return UNKNOWN_KEYS.none
  return source === 'untrusted-file' && status === 'verified' ? UNKNOWN_KEYS[source] : undefined
}

/** Makes a request undecided whose verdict needs the key. */
const withoutKey = ({ checks }: Verdict, reason: string): Undecided => ({
  status: 'unavailable',
  failures: [],
  checks: { ...checks, key: { outcome: 'not-run', reason } }
})

/** Applies the flags to the request. */
function changeEntry(entry: Entry, flags: Flags, { body }: Sources): Entry {
  const isCounted = body !== undefined && entry.addsLength
  const length: HeaderLine[] = isCounted ? [['Content-Length', String(body.length)]] : []
  const seen = {
    ...entry.request,
    headers: [...entry.request.headers, ...length],
    target: addPrefix(flags.prefix, entry.request.target),
    body: body ?? entry.request.body,
    https: entry.request.https && flags.http !== true
  }
  const https = { always: true, 'x-forwarded-proto': 'x-forwarded-proto', 'not-required': undefined } as const
  const request = prepareProxy({ https: flags.https && https[flags.https] })(seen) as Entry['request']
  return { ...entry, request, missingBody: body === undefined ? entry.missingBody : undefined }
}

/** Collects the options. The flags override the fixture. */
function optionsOf({ options, request, time }: Entry, flags: Flags, sources: Sources): Partial<VerifierOptions> {
  const records =
    flags.keyRecord === undefined ? undefined : joinSplitRecord(flags.keyRecord.flatMap(parsePastedRecords))
  if (records && !records.some(looksLikeKeyRecord))
    throw new UsageError('--key-record takes the text of a key record: --key-record "$(cat FILE)" for one in a file')
  const now = flags.now === undefined ? time : parseNow(flags.now, request)
  const { https, schemes, servers, url, requireAuthenticated, ...others } = pick(flags, ...namesOf(RECEIVER))
  const fromFlags: { readonly [N in OptionName]?: unknown } = {
    ...others,
    schemes: schemes?.map(name => SCHEMES[name]),
    requireHttps: https === 'not-required' ? false : undefined,
    lookupTxt: records ? async () => records.map(text => [text]) : sources.lookupTxt,
    now: now === undefined ? undefined : () => now
  }
  const chosen = Object.entries(fromFlags).filter(([, value]) => value !== undefined)
  return { ...(sources.isOffline && { lookupTxt: askNobody }), ...options, ...Object.fromEntries(chosen) }
}

/** A fixture brings these; for any other capture they must be given. */
const NEEDED = ['serviceDomain', 'hosts', 'accounts'] as const

const missingOf = (options: Partial<VerifierOptions>) =>
  NEEDED.filter(name => [options[name] ?? []].flat().every(value => value === ''))

function parseNow(text: string, { headers }: Entry['request']): number {
  const date = parseHttpDate(lineValues(headers, 'date')[0] ?? '')
  const received = date.ok ? date.value.getTime() : Number.NaN
  const time = text === 'date' ? received : Date.parse(text)
  if (!Number.isNaN(time)) return time
  throw new UsageError('--now takes a time such as 2026-11-20T12:00:00Z, or "date" if the request has a good Date')
}

/** Diagnoses the verdict on a capture. A check whose data the capture does not hold was not run. */
function diagnoseCapture(
  verdict: Verdict | Undecided,
  { missingBody, time, refusedWith }: Entry,
  { now }: Flags,
  options: Partial<VerifierOptions>,
  unknownKey: string | undefined
) {
  const { date, digest } = verdict.checks
  // The body is read only when every other check has passed.
  const isLost = missingBody !== undefined && 'code' in digest && digest.code === 'body-unreadable'
  const isUndated = now === 'date' && date.outcome === 'pass'
  const clock = clockOf(now, time, options)
  const diagnosis = diagnoseWithin(
    PATIENT_SEARCH_COST,
    verdict,
    { settings: 'flags' },
    {
      causes: captureCauses(clock),
      notRun: {
        ...(isUndated && { date: '--now date takes the Date itself as the time' }),
        ...(isLost && { digest: `${missingBody}; pass it with --body FILE` })
      },
      clock: CLOCKS[clock],
      isPrivate: true
    }
  )
  const lost =
    refusedWith === undefined
      ? 'the body is not in the capture; everything else passed'
      : `the receiver refused it with ${refusedWith}; the beginning of the body is in the file, and everything else ` +
        'passed'
  const missing = isLost ? lost : unknownKey
  const headline = missing ?? diagnosis.headline
  const isPartial = isUndated && (missing !== undefined || verdict.status === 'verified')
  return { ...diagnosis, headline: isPartial ? `${headline}; the date was not checked` : headline }
}

/** Returns the clock that judges. A fixture brings the time of its receiver's clock. */
function clockOf(now: string | undefined, time: number | undefined, options: Partial<VerifierOptions>): Clock {
  if (now !== undefined) return 'flag'
  if (time !== undefined) return 'capture'
  return options.now === undefined ? 'machine' : 'fixture'
}

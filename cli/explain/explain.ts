import { existsSync } from 'node:fs'
import { namesOf, pick } from '../../flags/flag.ts'
import { refuseMissing } from '../../flags/parse.ts'
import { UsageError } from '../../flags/usage-error.ts'
import {
  type Code,
  createVerifier,
  logRecord,
  parseHttpDate,
  type Verdict,
  type VerifierOptions
} from '../../src/index.ts'
import {
  asciiJson,
  diagnoseWithin,
  explainDiagnosis,
  type HeaderLine,
  hidePrivateKeys,
  holdsPrivateKey,
  lineValues,
  looksLikeKeyRecord,
  type OptionName,
  PATIENT_SEARCH_COST,
  prepareProxy,
  recordTexts,
  SCHEMES,
  type Undecided
} from '../../src/tools/index.ts'
import type { Entry } from '../captures/capture.ts'
import { chooseEntry } from '../captures/choose-entry.ts'
import { FORMATS, readCapture } from '../captures/read-capture.ts'
import { EXIT, type Io, readBytes } from '../command.ts'
import { addPrefix, type Command } from '../flags.ts'
import { lookupOf } from '../lookup.ts'
import { CLOCKS, type Clock, captureCauses } from './causes.ts'
import { codeLines, explanationOf, gatewayCode, gatewayCodeLines, isCode, misspelledCode } from './code.ts'
import { FLAGS, type Flags, RECEIVER } from './flags.ts'
import { parsePastedRecords } from './pasted-records.ts'

/** The command `signed-requests explain`. */
export const explain: Command<typeof FLAGS> = {
  about: [
    `Says for every check whether a captured request passes, and why not. FILE is any of these: ${FORMATS}; in ` +
      'UTF-8, or in UTF-16 with a byte order mark. Without FILE, or for -, standard input is read, at most 16 MB.',
    '--domain, --host and --account are required; a fixture brings its own.',
    'A code of a verdict, such as key-not-found, or of the log of the gateway in the place of FILE says what it ' +
      'means, its causes and fixes.'
  ],
  argument: '[FILE]',
  flags: FLAGS,
  examples: [
    'npx signed-requests explain request.http --domain service.example \\\n--host receiver.example --account 1234',
    'npx signed-requests explain calls.har --entry 3 --now date \\\n' +
      '--domain service.example --host receiver.example --account 1234',
    'npx signed-requests explain fixture.json',
    'npx signed-requests explain date-too-old'
  ],
  exits: {
    0: 'verified, or a code',
    1: 'rejected',
    2: 'unavailable: it cannot be decided now, or without the body, or the key is from the file',
    64: 'a mistake on the command line, or a file that cannot be read'
  },
  run
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

async function run(flags: Flags, io: Io, file: string): Promise<number> {
  if (isCode(file)) return runCode(file, flags, io)
  if (!existsSync(file)) {
    const ofGateway = gatewayCode(file)
    if (ofGateway !== undefined) {
      io.print(flags.json ? asciiJson(ofGateway) : gatewayCodeLines(ofGateway))
      return EXIT.ok
    }
    const misspelled = misspelledCode(file)
    if (misspelled !== undefined) throw misspelled
  }
  const entries = readCapture(await readBytes(file || '-', 'FILE', io))
  const { chosen, notes, edited } = chooseEntry(entries, flags, waysToChoose(entries))
  const source = keySourceOf(chosen, flags)
  const entry = await changeEntry(chosen, flags, io)
  const options = optionsOf(entry, flags)
  const found = await createVerifier(options)(entry.request)
  // A test document that is refused says nothing that its key could make wrong.
  const isKeySaid = source === 'untrusted-file' || flags.trustFileDns || found.status === 'verified'
  if (source !== 'dns' && isKeySaid && !flags.json) io.print(KEY_SOURCES[source])
  for (const note of [...notes, ...edited]) io.note(`note: ${note}`)
  if (entry.time !== undefined && flags.now === undefined)
    io.note(`note: verified as of the capture's own time, ${new Date(entry.time).toISOString()}`)
  const claim = entry.options?.now && flags.now === undefined ? claimOf(found, entry.options.now()) : ''
  if (claim !== '') io.note(`note: ${claim}`)
  const verdict = source === 'untrusted-file' ? withoutKey(found) : found
  const diagnosis = diagnoseCapture(verdict, entry, flags, options)
  // Dates become ISO 8601 by themselves; bytes do not.
  const bytes = verdict.status === 'verified' ? Buffer.from(verdict.body) : undefined
  const body = bytes && { body: { length: bytes.length, base64: bytes.toString('base64') } }
  const keySource = source === 'dns' ? {} : { keySource: 'file' }
  const plain = { ...keySource, ...withoutPrivateKey(verdict), ...body, diagnosis }
  io.print(flags.json ? asciiJson(plain) : explainDiagnosis(diagnosis))
  return { verified: EXIT.ok, rejected: EXIT.refused, unavailable: EXIT.unknown }[verdict.status]
}

/** Says when a request of a fixture came, and which key and account it claims. */
function claimOf(verdict: Verdict, now: number): string {
  const { claimedKeyId, claimedAccountId } = logRecord(verdict)
  if (verdict.status === 'verified' || claimedKeyId === undefined) return ''
  const account = claimedAccountId === undefined ? '' : `, for account ${claimedAccountId}`
  return `received at ${new Date(now).toISOString()}; says that it is signed with ${claimedKeyId}${account}`
}

/** `explain CODE`; a file of that name is `./CODE`. */
function runCode(code: Code, { json }: Flags, io: Io): number {
  const explanation = explanationOf(code)
  io.print(json ? asciiJson(explanation) : codeLines(explanation))
  return EXIT.ok
}

/** Says in the first line that the key is not from DNS: whoever wrote the file may have made the key, too. */
const KEY_SOURCES = {
  'trusted-file': 'the key is from the file, not from DNS',
  'untrusted-file': 'the key is from the file, not from DNS: --trust-file-dns accepts it'
} as const

/**
 * Finds the source of the key. A file with DNS answers of its own proves nothing about the receiver that the command or
 * the environment names; without such a name it is a test document, and its own data is all there is.
 */
function keySourceOf({ options }: Entry, flags: Flags): 'dns' | keyof typeof KEY_SOURCES {
  const isReplaced = [flags.keyRecord, flags.servers, flags.url].some(value => value !== undefined)
  if (options?.lookupTxt === undefined || isReplaced) return 'dns'
  const isReceiverGiven = [flags.serviceDomain, flags.hosts, flags.accounts].some(given => given !== undefined)
  return isReceiverGiven && !flags.trustFileDns ? 'untrusted-file' : 'trusted-file'
}

/** Makes a verified request undecided, because its key is not trusted. */
function withoutKey(verdict: Verdict): Verdict | Undecided {
  if (verdict.status !== 'verified') return verdict
  const key = notRun('the record is from the file; --trust-file-dns accepts it')
  return { status: 'unavailable', failures: [], checks: { ...verdict.checks, key } }
}

const notRun = (reason: string) => ({ outcome: 'not-run', reason }) as const

/** Applies the flags to the request. */
async function changeEntry(entry: Entry, flags: Flags, io: Io): Promise<Entry> {
  const given = flags.body === undefined ? undefined : await readBytes(flags.body, '--body', io)
  const isCounted = given !== undefined && entry.addsLength
  const length: HeaderLine[] = isCounted ? [['Content-Length', String(given.length)]] : []
  const seen = {
    ...entry.request,
    headers: [...entry.request.headers, ...length],
    target: addPrefix(flags.prefix, entry.request.target),
    body: given ?? entry.request.body,
    https: entry.request.https && flags.http !== true
  }
  const https = { always: true, 'x-forwarded-proto': 'x-forwarded-proto', 'not-required': undefined } as const
  const request = prepareProxy({ https: flags.https && https[flags.https] })(seen) as Entry['request']
  return { ...entry, request, missingBody: given === undefined ? entry.missingBody : undefined }
}

/** Collects the options. The command line overrides the fixture. */
function optionsOf({ options, request, time }: Entry, flags: Flags): VerifierOptions {
  const records = flags.keyRecord === undefined ? undefined : parsePastedRecords(flags.keyRecord)
  if (records && !records.some(looksLikeKeyRecord))
    throw new UsageError('--key-record takes the text of a key record: --key-record "$(cat FILE)" for one in a file')
  const now = flags.now === undefined ? time : parseNow(flags.now, request)
  const { https, schemes, servers, url, requireAuthenticated, ...others } = pick(flags, ...namesOf(RECEIVER))
  const given: { readonly [N in OptionName]?: unknown } = {
    ...others,
    schemes: schemes?.map(name => SCHEMES[name]),
    requireHttps: https === 'not-required' ? false : undefined,
    lookupTxt: records ? async () => records.map(text => [text]) : lookupOf({ servers, url, requireAuthenticated }),
    now: now === undefined ? undefined : () => now
  }
  const chosen = Object.entries(given).filter(([, value]) => value !== undefined)
  const all: Partial<VerifierOptions> = { ...options, ...Object.fromEntries(chosen) }
  const missing = NEEDED.filter(name => [all[name] ?? ''].flat().join('') === '')
  refuseMissing(
    missing.map(name => RECEIVER[name]),
    'shared'
  )
  return all as VerifierOptions
}

/** A fixture brings these; for any other capture they must be given. */
const NEEDED = ['serviceDomain', 'hosts', 'accounts'] as const

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
  { missingBody, time }: Entry,
  { now }: Flags,
  options: VerifierOptions
) {
  const { date, digest } = verdict.checks
  // The body is asked for only when every other check has passed.
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
        ...(isLost && { digest: `${missingBody}; --body FILE gives it` })
      },
      clock: CLOCKS[clock]
    }
  )
  const isUndecided = verdict.status === 'unavailable' && verdict.checks.key.outcome === 'not-run'
  const unknownKey = isUndecided ? 'the key is from the file' : undefined
  const missing = isLost ? 'the body is not in the capture' : unknownKey
  const headline = missing === undefined ? diagnosis.headline : `${missing}; all else passed`
  const isPartial = isUndated && (missing !== undefined || verdict.status === 'verified')
  return { ...diagnosis, headline: isPartial ? `${headline}; the date was not checked` : headline }
}

/** Returns the clock that judges. A fixture brings the time of its receiver's clock. */
function clockOf(now: string | undefined, time: number | undefined, options: VerifierOptions): Clock {
  if (now !== undefined) return 'flag'
  if (time !== undefined) return 'capture'
  return options.now === undefined ? 'machine' : 'fixture'
}

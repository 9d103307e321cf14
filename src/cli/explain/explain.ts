import { explainDiagnosis } from '../../explain/explain.ts'
import { asciiJson, escapeText } from '../../explain/text.ts'
import { lineValues } from '../../http/fields.ts'
import { createVerifier, dnsTxtLookup, parseHttpDate, type VerifierOptions } from '../../index.ts'
import { type Entry, isSigned } from '../captures/capture.ts'
import { FORMATS, readCapture } from '../captures/read-capture.ts'
import { EXIT, type Io, readBytes, UsageError } from '../command.ts'
import { addPrefix, type Command, option, requireFlags, SHARED, schemeOf, type Values } from '../flags.ts'
import { parseTxt } from '../txt.ts'
import { diagnoseCapture, MISSING_BODY } from './diagnose-capture.ts'

const OPTIONS = {
  ...SHARED,
  prefix: option.prefix,
  http: option.flag('the request arrived without TLS'),
  now: option.text(
    'TIME',
    'verify as of this time, such as 2026-11-20T12:00:00Z, or "date" for the request\'s own Date, which is then not checked',
    "the capture's own time, or else this machine's clock"
  ),
  'key-record': option.text('TEXT', 'use these TXT records: their text, or lines of a zone file', 'ask DNS'),
  body: option.text('FILE', 'the body, for a capture that does not have it'),
  entry: option.text('N', 'which request of the file, from 1', 'the first that is signed'),
  vector: option.text('NAME', 'which vector of a fixture, by its name'),
  json: option.json
} as const

/** `signed-requests explain` */
export const explain: Command<typeof OPTIONS> = {
  summary: 'say why a captured request is refused',
  usage: '[FILE] [options]',
  about:
    `Says for every check whether a captured request passes, and why not. FILE is any of these: ${FORMATS}; in UTF-8, or ` +
    'in UTF-16 with a byte order mark. Without FILE, or for -, standard input is read, at most 32 MiB.\n' +
    '--domain, --host and --account are required; a fixture brings its own.',
  options: OPTIONS,
  examples: [
    'npx signed-requests explain request.http --domain service.example \\',
    '  --host receiver.example --account 1234',
    'npx signed-requests explain calls.har --entry 3 --now date \\',
    '  --domain service.example --host receiver.example --account 1234',
    'npx signed-requests explain fixture.json'
  ],
  exits: [
    'verified',
    'rejected',
    'unavailable: it cannot be decided now, or without the body',
    'a mistake on the command line, or a file that cannot be read'
  ],
  run
}

type Flags = Values<typeof OPTIONS>

const EXITS = { verified: EXIT.ok, rejected: EXIT.refused, unavailable: EXIT.unknown }

async function run(flags: Flags, io: Io, file: string): Promise<number> {
  const entries = readCapture(await readBytes(file || '-', 'FILE', io, true))
  const { chosen, notes } = chooseEntry(entries, flags)
  const { time } = chosen
  if (time !== undefined && flags.now === undefined)
    notes.push(`verified as of the capture's own time, ${new Date(time).toISOString()}`)
  const entry = await changeEntry(chosen, flags, io)
  for (const note of notes) io.note(`note: ${note}`)
  const options = optionsOf(entry, flags)
  const { verdict, note } = await verifyEntry(entry, options)
  if (note !== undefined) io.note(`note: ${note}`)
  const clock = flags.now === 'date' ? 'date' : options.now === undefined ? 'machine' : 'given'
  const diagnosis = diagnoseCapture(verdict, entry.missingBody, clock)
  // Dates become ISO 8601 by themselves; bytes do not.
  const bytes = verdict.status === 'verified' ? Buffer.from(verdict.body) : undefined
  const body = bytes && { body: { length: bytes.length, base64: bytes.toString('base64') } }
  io.print(flags.json ? asciiJson({ ...verdict, ...body, diagnosis }) : explainDiagnosis(diagnosis))
  return EXITS[diagnosis.status]
}

/** The selected request of a file, with notes on how it was found. @throws UsageError */
function chooseEntry(entries: Entry[], { entry: number, vector }: Flags): { chosen: Entry; notes: string[] } {
  const isFixture = entries.some(({ name }) => name !== undefined)
  if (isFixture && number === undefined) return { chosen: chooseVector(entries, vector), notes: [] }
  if (vector !== undefined) throw new UsageError('--vector is for a fixture whose vectors have names')
  const signed = entries.findIndex(isSigned)
  const index = number === undefined ? Math.max(signed, 0) : Number(number) - 1
  const chosen = entries[index]
  if (chosen === undefined)
    throw new UsageError(`--entry is ${number}: the file has requests 1 to ${entries.length}`)
  const none = signed < 0 ? ', none of which is signed' : ''
  const others = `this is request ${index + 1} of ${entries.length} in the file${none}: --entry N chooses another`
  const isAlone = number !== undefined || entries.length === 1
  return { chosen, notes: [...(isAlone ? [] : [others]), ...chosen.notes, ...edited(chosen)] }
}

/** What logs, pages and office programs make of a value; quotes of UTF-8 are seen as Latin-1 in raw captures. */
const EDITED = /\*{3,}|\[?redacted\]?|\[filtered\]|&quot;|\xe2\x80[\x9c\x9d]|[\u201c\u201d]/i

function edited({ request }: Entry): string[] {
  const [name, value = ''] = request.headers.find(line => EDITED.test(line[1])) ?? []
  const found = escapeText(EDITED.exec(value)?.[0] ?? '')
  return name === undefined
    ? []
    : [`${escapeText(name)} looks redacted or edited: it has ${found}; take it from where it is whole`]
}

/** The vector of that name; without one, the only vector. @throws UsageError */
export function chooseVector(entries: readonly Entry[], name: string | undefined): Entry {
  const [chosen, ...others] = name === undefined ? entries : entries.filter(entry => entry.name === name)
  if (chosen !== undefined && others.length === 0) return chosen
  const names = entries.map(entry => entry.name).join(', ')
  throw new UsageError(
    name === undefined ? `--vector is missing: one of ${names}` : `there is no vector ${name} among ${names}`
  )
}

/** The request as the flags change it. */
async function changeEntry(entry: Entry, flags: Flags, io: Io): Promise<Entry> {
  const body = flags.body === undefined ? undefined : await readBytes(flags.body, '--body', io)
  const held = body === undefined ? entry : { ...entry, missingBody: undefined, otherBodies: [] }
  const request = {
    ...entry.request,
    target: addPrefix(flags.prefix, entry.request.target),
    body: body ?? (held.missingBody === undefined ? entry.request.body : MISSING_BODY),
    https: entry.request.https && flags.http !== true
  }
  return { ...held, request }
}

/** The command line overrides the fixture. */
function optionsOf({ options, request, time }: Entry, flags: Flags): VerifierOptions {
  const records = flags['key-record'] === undefined ? undefined : parseTxt(flags['key-record'])
  const servers = flags['dns-server']
  const now = flags.now === undefined ? time : parseNow(flags.now, request)
  const given = {
    serviceDomain: flags.domain,
    hosts: flags.host,
    accounts: flags.account,
    accountHeader: flags['account-header'],
    accountPrefix: flags['account-prefix'],
    schemes: flags.scheme?.map(schemeOf),
    algorithms: flags.algorithm,
    lookupTxt: records ? async () => records.map(text => [text]) : servers && dnsTxtLookup({ servers }),
    now: now === undefined ? undefined : () => now
  }
  const defined = Object.entries(given).filter(([, value]) => value !== undefined)
  const all: Partial<VerifierOptions> = { ...options, ...Object.fromEntries(defined) }
  requireFlags({ domain: all.serviceDomain, host: all.hosts, account: all.accounts }, OPTIONS)
  return all as VerifierOptions
}

function parseNow(text: string, { headers }: Entry['request']): number {
  const date = parseHttpDate(lineValues(headers, 'date')[0] ?? '')
  if (text === 'date' && date.ok) return date.value.getTime()
  if (text === 'date') throw new UsageError('--now date: the request has no Date that can be read')
  const time = Date.parse(text)
  if (!Number.isNaN(time)) return time
  throw new UsageError('--now must be a time such as 2026-11-20T12:00:00Z, or "date"')
}

/** With another body that the capture suggests, when the first one is not what was signed. */
async function verifyEntry({ request, otherBodies, missingBody }: Entry, options: VerifierOptions) {
  const verify = createVerifier(options)
  const verdict = await verify(request)
  const { digest } = verdict.checks
  if (digest.outcome === 'pass' || digest.outcome === 'not-run') return { verdict }
  for (const [body, note] of otherBodies) {
    const other = await verify({ ...request, body })
    // Bytes of the capture are shown even if they are not what was signed: how they differ names the cause.
    if (other.checks.digest.outcome === 'pass' || missingBody === undefined) return { verdict: other, note }
  }
  const note = 'the capture is without the body: the digest cannot be checked unless --body FILE gives it'
  return missingBody === undefined ? { verdict } : { verdict, note }
}

import { explainDiagnosis } from '../../explain/explain.ts'
import { asciiJson } from '../../explain/text.ts'
import { lineValues } from '../../http/fields.ts'
import { parseHttpDate } from '../../http/http-date.ts'
import { dnsTxtLookup } from '../../key/dns.ts'
import type { VerifierOptions } from '../../options/options.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { createVerifier } from '../../verify.ts'
import type { Entry } from '../captures/capture.ts'
import { FORMATS, readCapture } from '../captures/read-capture.ts'
import { EXIT, type Io, readBytes, UsageError } from '../command.ts'
import { addPrefix, COMMON, option, requireFlags, SHARED, schemeOf, type Values } from '../flags.ts'
import type { Command } from '../help.ts'
import { parseTxt } from '../txt.ts'
import { chooseEntry } from './choose-entry.ts'
import { diagnoseCapture, MISSING_BODY } from './diagnose-capture.ts'

const OPTIONS = {
  ...SHARED,
  prefix: COMMON.prefix,
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
  json: COMMON.json
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

async function run(values: Flags, io: Io, argument: string): Promise<number> {
  const entry = await readEntry(argument || '-', values, io)
  const options = withFlags(entry, values)
  const { verdict, note } = await verifyEntry(entry, options)
  if (note !== undefined) io.note(`note: ${note}`)
  const diagnosis = diagnoseCapture(verdict, {
    missingBody: entry.missingBody,
    isAsOfDate: values.now === 'date',
    isByClock: options.now === undefined
  })
  io.print(values.json ? asciiJson({ ...printable(verdict), diagnosis }) : explainDiagnosis(diagnosis))
  return EXITS[diagnosis.status]
}

/** The selected entry of the file, as the flags change it, with notes on how it was found. */
async function readEntry(file: string, flags: Flags, io: Io): Promise<Entry> {
  const capture = readCapture(await readBytes(file, 'FILE', io, true))
  const { chosen, note } = chooseEntry(capture, flags)
  const body = flags.body === undefined ? undefined : await readBytes(flags.body, '--body', io)
  const { request, time } = chosen
  const missingBody = body === undefined ? chosen.missingBody : undefined
  const isTimed = time !== undefined && flags.now === undefined && capture.format !== 'a fixture'
  const timed = isTimed ? [`verified as of the capture's own time, ${new Date(time).toISOString()}`] : []
  const notes = [...capture.notes, ...note, ...chosen.notes, ...timed]
  for (const text of notes) io.note(`note: ${text}`)
  return {
    ...chosen,
    missingBody,
    otherBodies: body === undefined ? chosen.otherBodies : [],
    request: {
      ...request,
      target: addPrefix(flags.prefix, request.target),
      body: body ?? (missingBody ? MISSING_BODY : request.body),
      https: flags.http ? false : request.https
    }
  }
}

/** With another body that the capture suggests, when the first one is not what was signed. */
async function verifyEntry(
  { request, otherBodies, missingBody }: Entry,
  options: VerifierOptions
): Promise<{ verdict: Verdict; note?: string }> {
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

/** The command line overrides the fixture. */
function withFlags({ options, request, time }: Entry, flags: Flags): VerifierOptions {
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
  const all: Partial<VerifierOptions> = { ...options, ...defined(given) }
  requireFlags({ domain: all.serviceDomain, host: all.hosts, account: all.accounts }, OPTIONS)
  return all as VerifierOptions
}

const defined = (values: object): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

function parseNow(text: string, request: Entry['request']): number {
  if (text === 'date') {
    const date = parseHttpDate(lineValues(request.headers, 'date')[0] ?? '')
    if (date.ok) return date.value.getTime()
    throw new UsageError('--now date: the request has no Date that can be read')
  }
  const time = Date.parse(text)
  if (!Number.isNaN(time)) return time
  throw new UsageError('--now must be a time such as 2026-11-20T12:00:00Z, or "date"')
}

/** Dates become ISO 8601 by themselves; bytes do not. */
const printable = (verdict: Verdict): object =>
  verdict.status === 'verified'
    ? {
        ...verdict,
        body: { length: verdict.body.length, base64: Buffer.from(verdict.body).toString('base64') }
      }
    : verdict

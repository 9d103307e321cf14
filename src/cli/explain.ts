import { parseArgs } from 'node:util'
import { escapeText, wrapExact } from '../explain/text.ts'
import { lineValues } from '../http/fields.ts'
import { parseHttpDate } from '../http/http-date.ts'
import type { ReceivedRequest } from '../http/request.ts'
import { dnsTxtLookup } from '../key/dns.ts'
import type { VerifierOptions } from '../options/options.ts'
import type { Algorithm } from '../signature/algorithms.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { createVerifier } from '../verify.ts'
import type { Entry } from './captures/capture.ts'
import { readCapture } from './captures/read-capture.ts'
import { type ChangedLine, findChangedLine } from './changed-line.ts'
import { chooseEntry } from './choose-entry.ts'
import type { Command } from './command.ts'
import {
  ACCOUNT_HEADER,
  ACCOUNT_PREFIX,
  ALGORITHM,
  DNS_SERVER,
  JSON_OUTPUT,
  PREFIX,
  SCHEME,
  schemesOf
} from './common-options.ts'
import { captureText, MISSING_BODY } from './explain-capture.ts'
import { HELP_OPTION, helpText, type OptionSpecs } from './help.ts'
import { type Io, printJson, readBytes, readStart } from './io.ts'
import { printText } from './paint.ts'
import { addPrefix } from './path-prefix.ts'
import { parseTxt } from './txt.ts'
import { EXIT, UsageError } from './usage.ts'

/** Without default values: an option that is not given comes from the fixture, or is the verifier's default. */
const { default: headerDefault, ...HEADER } = ACCOUNT_HEADER
const { default: prefixDefault, ...ID_PREFIX } = ACCOUNT_PREFIX

const OPTIONS = {
  domain: {
    type: 'string',
    value: 'NAME',
    about: "the service's domain, which the key's name must be under"
  },
  host: { type: 'string', multiple: true, value: 'NAME', about: 'a host name of the receiver' },
  account: { type: 'string', multiple: true, value: 'ID', about: 'an account id to accept' },
  'account-header': { ...HEADER, otherwise: headerDefault },
  'account-prefix': { ...ID_PREFIX, otherwise: prefixDefault },
  prefix: PREFIX,
  scheme: SCHEME,
  algorithm: ALGORITHM,
  http: { type: 'boolean', about: 'the request arrived without TLS' },
  now: {
    type: 'string',
    value: 'TIME',
    about: 'judge as of this time, such as 2026-11-20T12:00:00Z, or "date" for the request\'s own Date',
    otherwise: "this machine's clock"
  },
  'key-record': {
    type: 'string',
    value: 'TEXT',
    about: 'use this TXT record: its text, or a line of a zone file',
    otherwise: 'ask DNS'
  },
  'dns-server': DNS_SERVER,
  body: { type: 'string', value: 'FILE', about: 'the body, for a capture that does not have it' },
  entry: {
    type: 'string',
    value: 'N',
    about: 'which request of the file, from 1',
    otherwise: 'the first that is signed'
  },
  vector: { type: 'string', value: 'NAME', about: 'which vector of a fixture, by its name' },
  json: JSON_OUTPUT,
  help: HELP_OPTION
} as const satisfies OptionSpecs

/** `signed-requests explain` */
export const explainCommand: Command = {
  summary: 'say why a captured request is refused',
  help: helpText({
    usage: 'explain [FILE] [options]',
    about:
      'Says for every check whether a captured request passes, and why not. FILE is any of these: a raw HTTP/1.1 ' +
      'request, a curl -v dump, an HTTP/2 head with its pseudo-headers, a HAR, the event of an AWS Lambda function, JSON ' +
      'of { method, url, headers, body } as sites that inspect requests export it, or a fixture; in UTF-8 or UTF-16. ' +
      'Without FILE, or for -, standard input is read, at most 32 MiB.\n' +
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
      [0, 'verified'],
      [1, 'rejected'],
      [2, 'unavailable: it cannot be decided now, or without the body'],
      [64, 'a mistake on the command line, or a file that cannot be read']
    ]
  }),
  run: runExplain
}

const parse = (args: string[]) => parseArgs({ args, options: OPTIONS, allowPositionals: true })

type Flags = ReturnType<typeof parse>['values']

async function runExplain(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parse(args)
  if (positionals.length > 1) throw new UsageError('explain takes one FILE')
  const entry = await readEntry(positionals[0] ?? '-', values, io)
  const body = values.body === undefined ? undefined : await readBytes(values.body, io)
  const request = withRequestFlags(entry, values, body)
  const isBodyMissing = entry.isBodyMissing && body === undefined
  const options = withFlags(entry.options, values, request)
  const verdict = await createVerifier(options)(request)
  const changed = changedLine(verdict, request, options)

  if (values.json) printJson({ ...printable(verdict), changedLine: changed }, io)
  else {
    const isOld = values.now === undefined && options.now === undefined
    printText([captureText(verdict, { isBodyMissing, isOld }), ...changedText(changed)].join('\n'), io)
  }
  if (options.now === undefined && /^date-too-/.test(codeOf(verdict, 'date'))) {
    io.note('note: --now date judges the request as of its own Date')
  }
  return EXIT[verdict.status]
}

/** The selected entry of the file, with all notes on how it was found. */
async function readEntry(file: string, { entry, vector, body }: Flags, io: Io): Promise<Entry> {
  const { bytes, isCut } = await readStart(file, io)
  if (isCut) io.note('note: only the first 32 MiB of the file are read')
  const capture = readCapture(bytes)
  const { chosen, note } = chooseEntry(capture, { entry, vector })
  const missing =
    chosen.isBodyMissing && body === undefined
      ? [`${capture.format} without the body: the digest cannot be judged unless --body FILE gives it`]
      : []
  for (const text of [...capture.notes, ...note, ...chosen.notes, ...missing]) io.note(`note: ${text}`)
  return chosen
}

function withRequestFlags(entry: Entry, flags: Flags, body: Buffer | undefined): Entry['request'] {
  const { request } = entry
  return {
    ...request,
    target: addPrefix(flags.prefix, request.target),
    body: body ?? (entry.isBodyMissing ? MISSING_BODY : request.body),
    https: flags.http ? false : request.https
  }
}

/** The command line overrides the fixture. */
function withFlags(
  options: Partial<VerifierOptions>,
  flags: Flags,
  request: Entry['request']
): VerifierOptions {
  const serviceDomain = flags.domain ?? options.serviceDomain
  const hosts = flags.host ?? options.hosts
  const accounts = flags.account ?? options.accounts
  if (serviceDomain === undefined) throw new UsageError("--domain is missing: the service's domain")
  if (hosts === undefined) throw new UsageError('--host is missing: the host name of the receiver')
  if (accounts === undefined) throw new UsageError('--account is missing: the account id to accept')

  const record = flags['key-record']
  const servers = flags['dns-server']
  return {
    ...options,
    serviceDomain,
    hosts,
    accounts,
    ...(flags['account-header'] !== undefined && { accountHeader: flags['account-header'] }),
    ...(flags['account-prefix'] !== undefined && { accountPrefix: flags['account-prefix'] }),
    ...(flags.scheme !== undefined && { schemes: schemesOf(flags.scheme) }),
    ...(flags.algorithm !== undefined && { algorithms: flags.algorithm as Algorithm[] }),
    ...(servers !== undefined && { lookupTxt: dnsTxtLookup({ servers }) }),
    ...(record !== undefined && { lookupTxt: async () => [[parseTxt(record).text]] }),
    ...(flags.now !== undefined && { now: parseNow(flags.now, request) })
  }
}

function parseNow(text: string, request: Entry['request']): () => number {
  if (text === 'date') {
    const date = parseHttpDate(lineValues(request.headers, 'date')[0] ?? '')
    if (!date.ok) throw new UsageError('--now date: the request has no Date that can be read')
    return () => date.value.getTime()
  }
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new UsageError('--now must be a time such as 2026-11-20T12:00:00Z, or "date"')
  return () => time
}

function codeOf(verdict: Verdict, check: 'date'): string {
  const result = verdict.checks[check]
  return 'code' in result ? result.code : ''
}

function changedLine(
  verdict: Verdict,
  request: ReceivedRequest,
  options: VerifierOptions
): ChangedLine | undefined {
  const { signature } = verdict.checks
  if (signature.outcome !== 'fail' || signature.code !== 'signature-mismatch') return undefined
  return signature.evidence && findChangedLine(signature.evidence, request, [options.hosts].flat())
}

const changedText = (changed: ChangedLine | undefined): string[] =>
  changed === undefined
    ? []
    : [
        '',
        `changed: line ${changed.line}`,
        wrapExact('  signed:   ', escapeText(changed.signed, 600)),
        wrapExact('  received: ', escapeText(changed.received, 600))
      ]

/** Dates become ISO 8601 by themselves; bytes do not. */
const printable = (verdict: Verdict): object =>
  verdict.status === 'verified'
    ? {
        ...verdict,
        body: { length: verdict.body.length, base64: Buffer.from(verdict.body).toString('base64') }
      }
    : verdict

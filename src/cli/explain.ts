import { parseArgs } from 'node:util'
import { explain } from '../explain/explain.ts'
import { escapeText, wrapExact } from '../explain/text.ts'
import { parseHttpDate } from '../http/http-date.ts'
import type { ReceivedRequest } from '../http/request.ts'
import { dnsTxtLookup } from '../key/dns.ts'
import type { VerifierOptions } from '../options/options.ts'
import type { Algorithm, SchemeName } from '../signature/algorithms.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { createVerifier } from '../verify.ts'
import { readCapture } from './capture.ts'
import { type ChangedLine, findChangedLine } from './changed-line.ts'
import { readFixture } from './fixture.ts'
import { type Io, readBytes } from './io.ts'
import { printText } from './paint.ts'
import { parseTxt } from './txt.ts'
import { EXIT, UsageError } from './usage.ts'

const HELP = `Usage: signed-requests explain [FILE] [options]

Says for every check whether a captured request passes, and why not. FILE is a
raw HTTP/1.1 request or a JSON fixture; without it, or for -, standard input.

  --domain NAME       the service's domain, which the key's name must be under
  --host NAME         a host name of the receiver; may be repeated
  --account ID        an account to accept; may be repeated
  --header NAME       the header with the account (default X-Service-ID)
  --prefix TEXT       what stands before the account's id (default account-)
  --scheme NAME       judge by draft-cavage (default) or rfc9421; may be repeated
  --algorithm NAME    an algorithm to accept (default rsa-sha256); may be repeated
  --http              the request arrived without TLS
  --now TIME          judge as of this time, or "date" for the request's Date
  --key-record TEXT   use this TXT record instead of DNS
  --dns-server IP     ask this server (127.0.0.1:5353); may be repeated
  --vector NAME       which vector of a fixture
  --json              print the verdict as JSON

A raw request needs --domain, --host and --account; a fixture brings its own.
Exit codes: 0 verified, 1 rejected, 2 unavailable, 64 usage.`

const OPTIONS = {
  domain: { type: 'string' },
  host: { type: 'string', multiple: true },
  account: { type: 'string', multiple: true },
  header: { type: 'string' },
  prefix: { type: 'string' },
  scheme: { type: 'string', multiple: true },
  algorithm: { type: 'string', multiple: true },
  http: { type: 'boolean' },
  now: { type: 'string' },
  'key-record': { type: 'string' },
  'dns-server': { type: 'string', multiple: true },
  vector: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' }
} as const

const parse = (args: string[]) => parseArgs({ args, options: OPTIONS, allowPositionals: true })

type Flags = ReturnType<typeof parse>['values']

/** `signed-requests explain` */
export async function explainCommand(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parse(args)
  if (values.help) {
    io.print(HELP)
    return 0
  }
  if (positionals.length > 1) throw new UsageError('explain takes one FILE')

  const bytes = await readBytes(positionals[0] ?? '-', io)
  const isJson = /^\s*\{/.test(bytes.toString('latin1', 0, 1000))
  const given = isJson ? readFixture(bytes.toString('utf8'), values.vector) : readRaw(bytes, io)
  const request = values.http ? { ...given.request, https: false } : given.request
  const options = withFlags(given.options, values, request)
  const verdict = await createVerifier(options)(request)
  const changed = changedLine(verdict, request, options)

  if (values.json) io.print(JSON.stringify({ ...printable(verdict), changedLine: changed }, null, 2))
  else printText([explain(verdict), ...changedText(changed)].join('\n'), io)
  if (!isJson && values.now === undefined && verdict.checks.date.outcome === 'fail') {
    io.note('note: --now date judges the request as of its own Date')
  }
  return EXIT[verdict.status]
}

function readRaw(bytes: Buffer, io: Io): { request: ReceivedRequest; options: Partial<VerifierOptions> } {
  const { request, notes } = readCapture(bytes)
  for (const note of notes) io.note(`note: ${note}`)
  return { request, options: {} }
}

/** What the command line says goes before what the fixture says. */
function withFlags(
  options: Partial<VerifierOptions>,
  flags: Flags,
  request: ReceivedRequest
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
    ...(flags.header !== undefined && { accountHeader: flags.header }),
    ...(flags.prefix !== undefined && { accountPrefix: flags.prefix }),
    ...(flags.scheme !== undefined && { schemes: flags.scheme as SchemeName[] }),
    ...(flags.algorithm !== undefined && { algorithms: flags.algorithm as Algorithm[] }),
    ...(servers !== undefined && { lookupTxt: dnsTxtLookup({ servers }) }),
    ...(record !== undefined && { lookupTxt: async () => [[parseTxt(record)]] }),
    ...(flags.now !== undefined && { now: clockOf(flags.now, request) })
  }
}

function clockOf(text: string, request: ReceivedRequest): () => number {
  if (text === 'date') {
    const lines = [...(request.headers as Iterable<readonly [string, string]>)]
    const date = parseHttpDate(lines.find(([name]) => name.toLowerCase() === 'date')?.[1] ?? '')
    if (!date.ok) throw new UsageError('--now date: the request has no Date that can be read')
    return () => date.value.getTime()
  }
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new UsageError('--now must be a time such as 2026-11-20T12:00:00Z, or "date"')
  return () => time
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

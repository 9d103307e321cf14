import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { escapeText, wrapExact } from '../explain/text.ts'
import type { ReceivedRequest } from '../http/request.ts'
import { normalizeName } from '../key/name.ts'
import type { SchemeName } from '../signature/algorithms.ts'
import { type SignRequest, signRequest } from '../testing/sign.ts'
import { createSigningKey, type SigningKey } from '../testing/signing-key.ts'
import { serveRecord } from './dns-server.ts'
import { type Io, readBytes } from './io.ts'
import { ANSWER_TIMEOUT, type Answer, isLoopback, transmit } from './transmit.ts'
import { zoneRecord } from './txt.ts'
import { EXIT, UsageError } from './usage.ts'

const HELP = `Usage: signed-requests send URL [options]

Signs a request as the service does, sends it to a receiver under development
and prints the answer. The receiver finds the key in DNS: publish the record
that is printed, or have it served with --serve-dns.

  --domain NAME         the service's domain (default service.example)
  --selector NAME       what the key's name begins with (default test)
  --account ID          the account (default 1234)
  --account-header NAME the header with the account (default X-Service-ID)
  --key FILE            RSA private key, PEM (default: a fresh one)
  --serve-dns IP:PORT   serve the key record here, UDP and TCP (127.0.0.1:5353)
  --keep                go on serving DNS after the answer, until Ctrl-C
  --scheme NAME         sign by draft-cavage (default) or rfc9421
  --method NAME         default POST with --data, GET without
  --data TEXT           the body; @FILE for a file, @- for standard input
  --header 'NAME: TEXT' add or replace a header; may be repeated
  --allow-self-signed   accept any certificate, on a loopback address only

Exit codes: 0 the answer is 2xx, 2 there is none or it is 503, 1 it is another,
64 usage.`

const OPTIONS = {
  domain: { type: 'string', default: 'service.example' },
  selector: { type: 'string', default: 'test' },
  account: { type: 'string', default: '1234' },
  'account-header': { type: 'string', default: 'X-Service-ID' },
  key: { type: 'string' },
  'serve-dns': { type: 'string' },
  keep: { type: 'boolean' },
  scheme: { type: 'string', default: 'draft-cavage' },
  method: { type: 'string' },
  data: { type: 'string' },
  header: { type: 'string', multiple: true },
  'allow-self-signed': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' }
} as const

const parse = (args: string[]) => parseArgs({ args, options: OPTIONS, allowPositionals: true })

type Values = ReturnType<typeof parse>['values']

/** `signed-requests send` */
export async function sendCommand(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parse(args)
  if (values.help) {
    io.print(HELP)
    return 0
  }
  const url = readUrl(positionals)
  const anyCertificate = values['allow-self-signed'] === true
  if (anyCertificate && !isLoopback(url)) {
    throw new UsageError('--allow-self-signed is for loopback addresses: localhost, 127.0.0.1 or [::1]')
  }
  if (values.keep && values['serve-dns'] === undefined) throw new UsageError('--keep needs --serve-dns')

  const key = await readKey(keyName(values.selector, values.domain), values.key, io)
  const body = values.data === undefined ? undefined : await readData(values.data, io)
  const signed = sign(url, key, values, body)
  const serveAt = values['serve-dns']
  const dns = serveAt === undefined ? undefined : await serveRecord(serveAt, key.keyId, key.record)
  io.print(`${zoneRecord(key.keyId, key.record.join(''))}\n`)
  if (dns !== undefined) io.print(`serving it on ${dns.address}, UDP and TCP\n`)
  try {
    const answer = await transmit(url, signed, anyCertificate)
    io.print(toText(signed.method, url, answer))
    return exitCode(answer.status)
  } catch (error) {
    io.note(escapeText(`signed-requests: no answer from ${url.host}: ${reasonOf(error)}`, 1000))
    return EXIT.unavailable
  } finally {
    if (values.keep) io.note('still serving DNS; Ctrl-C ends it')
    else dns?.close()
  }
}

function readUrl(positionals: readonly string[]): URL {
  const [text, ...others] = positionals
  if (text === undefined || others.length > 0) throw new UsageError('send takes one URL')
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError(`${text} is not an http or https URL`)
  return url
}

function keyName(selector: string, domain: string): string {
  const name = normalizeName(`${selector}._domainkey.${domain}`)
  if (name === undefined) throw new UsageError('--selector and --domain must make a DNS name')
  return name
}

async function readKey(name: string, file: string | undefined, io: Io): Promise<SigningKey> {
  if (file === undefined) return createSigningKey(name, RSA_BITS)
  const pem = await readBytes(file, io)
  try {
    return createSigningKey(name, RSA_BITS, pem.toString('utf8'))
  } catch {
    throw new UsageError(`${file} is not an RSA private key in PEM`)
  }
}

const RSA_BITS = 2048

const readData = (data: string, io: Io): Promise<Buffer> | Buffer =>
  data.startsWith('@') ? readBytes(data === '@-' ? '-' : data.slice(1), io) : Buffer.from(data, 'utf8')

function sign(url: URL, key: SigningKey, values: Values, body: Buffer | undefined): ReceivedRequest {
  const request: SignRequest = {
    target: `${url.pathname}${url.search}`,
    headers: (values.header ?? []).map(readHeader),
    scheme: readScheme(values.scheme),
    ...(values.method !== undefined && { method: values.method }),
    ...(body !== undefined && { body })
  }
  return signRequest(request, key, {
    host: url.host,
    account: [values['account-header'], `account-${values.account}`],
    nonce: randomUUID(),
    now: new Date()
  })
}

function readScheme(name: string): SchemeName {
  if (name !== 'draft-cavage' && name !== 'rfc9421')
    throw new UsageError('--scheme is draft-cavage or rfc9421')
  return name
}

function readHeader(line: string): [name: string, value: string] {
  const [, name, value] = /^([^:]+):(.*)$/.exec(line) ?? []
  if (name === undefined || value === undefined) throw new UsageError("--header takes 'NAME: TEXT'")
  return [name, value.trim()]
}

/** The answer for a person: its text is escaped, line by line. */
function toText(method: string, url: URL, { status, statusText, body }: Answer): string {
  const lines = body.toString('utf8').split(/\r?\n/).slice(0, MAX_LINES)
  return [
    escapeText(`${method} ${url.href}`, 1000),
    `answer: ${status} ${escapeText(statusText)}`,
    ...(body.length === 0 ? [] : ['', ...lines.map(line => wrapExact('  ', escapeText(line, 1000)))])
  ].join('\n')
}

const MAX_LINES = 100

function exitCode(status: number): number {
  if (status >= 200 && status < 300) return EXIT.verified
  return status === 503 ? EXIT.unavailable : EXIT.rejected
}

/** Node's errors have a code, or a message for a person. */
function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (code === 'ABORT_ERR') return `nothing within ${ANSWER_TIMEOUT / 1000} s`
  if (/SELF_SIGNED|UNABLE_TO_VERIFY/.test(code))
    return `${code} (on loopback, --allow-self-signed accepts it)`
  return code || message
}

import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { isIP, isIPv4 } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { escapeText, wrapExact, wrapWords } from '../../explain/text.ts'
import { normalizeName } from '../../key/name.ts'
import { isHost, isLoopback } from '../../options/hosts.ts'
import type { Scheme } from '../../scheme.ts'
import { type CountingDnsServer, startDnsServer } from '../../testing/dns-server.ts'
import { type SignedTestRequest, signRequest } from '../../testing/sign.ts'
import { createSigningKey, type SigningKey } from '../../testing/signing-key.ts'
import { type Command, EXIT, type Io, readBytes, UsageError } from '../command.ts'
import { describeError, describeResponse, exchange, isRefusal, parseUrl, type Response } from '../exchange.ts'
import { addPrefix, COMMON, option, parseFlags, SHARED, schemesOf } from '../flags.ts'
import { helpText } from '../help.ts'
import { zoneRecord } from '../txt.ts'
import { startReceiver } from './start-receiver.ts'
import { TAMPER_NAMES, tamper } from './tamper.ts'

const OPTIONS = {
  domain: { ...SHARED.domain, otherwise: 'service.example' },
  selector: option.text('NAME', "the first part of the key's name", 'test'),
  host: { ...SHARED.host, about: 'the Host to sign and send', multiple: false, otherwise: "the URL's" },
  account: { ...SHARED.account, about: 'the account id', multiple: false, otherwise: '1234' },
  'account-header': SHARED['account-header'],
  'account-prefix': SHARED['account-prefix'],
  scheme: { ...SHARED.scheme, about: 'sign by draft-cavage or rfc9421', multiple: false },
  prefix: COMMON.prefix,
  key: option.text('FILE', 'RSA private key, PEM', 'a fresh one'),
  'serve-dns': option.text(
    'IP:PORT',
    'serve the key record on this loopback address, UDP and TCP, such as 127.0.0.1:5353'
  ),
  start: option.text(
    'FILE',
    'start this receiver with Node first, asking the DNS server of --serve-dns, and end it after'
  ),
  'print-record': option.flag('print the key record, as without --serve-dns'),
  keep: option.flag('go on serving DNS after the response, until Ctrl-C'),
  method: option.text('NAME', 'the method', 'POST with --data, GET without'),
  data: option.text('TEXT', 'the body; @FILE for a file, @- for standard input', 'none'),
  header: option.list("'NAME: TEXT'", 'add or replace a header before signing'),
  tamper: option.text('WHAT', `send a forgery: change this after signing, one of ${TAMPER_NAMES.join(', ')}`),
  repeat: option.text('N', 'send the same bytes N times, to see the replay refused', '1'),
  'allow-self-signed': option.flag('accept any certificate, on a loopback address only'),
  help: COMMON.help
} as const

/** `signed-requests send` */
export const send: Command = {
  summary: 'sign a request and send it to a receiver under development',
  help: helpText({
    usage: 'send URL [options]',
    about:
      'Signs a request as the service does, sends it to a receiver under development, prints the response and says who ' +
      'answered. The receiver finds the key in DNS: publish the record that is printed, or have it served with ' +
      '--serve-dns.',
    options: OPTIONS,
    examples: [
      'npx signed-requests send http://localhost:3000/hook --data \'{"id":1}\' \\',
      '  --serve-dns 127.0.0.1:5353',
      'npx signed-requests send http://localhost:3000/hook --tamper body \\',
      '  --data \'{"id":1}\' --serve-dns 127.0.0.1:5353',
      'npx signed-requests send http://localhost:3000/hook --repeat 2 \\',
      '  --serve-dns 127.0.0.1:5353'
    ],
    exits: [
      [
        0,
        'the response is 2xx; with --repeat, the first is and no repetition is; with --tamper, the forgery was refused'
      ],
      [1, 'any other response; with --repeat, a repetition was accepted; with --tamper, the forgery was'],
      [2, 'there is no response, or it is 503'],
      [64, 'a mistake on the command line']
    ]
  }),
  run
}

const parse = (args: string[], io: Io) =>
  parseFlags('send', args, OPTIONS, io, { name: 'URL', required: true })

type Flags = ReturnType<typeof parse>['values']

async function run(args: string[], io: Io): Promise<number> {
  const { values, argument } = parse(args, io)
  const url = parseUrl(argument!)
  if (values['allow-self-signed'] && !isLoopback(url.hostname))
    throw new UsageError('--allow-self-signed is for loopback addresses: localhost, 127.0.0.1 or [::1]')
  if (values.keep && values['serve-dns'] === undefined) throw new UsageError('--keep needs --serve-dns')
  const times = Number(values.repeat ?? 1)
  if (!Number.isInteger(times) || times < 1 || times > 999)
    throw new UsageError('--repeat takes a number from 1 to 999: how often to send the same bytes')

  const key = await loadKey(values, io)
  const body = values.data === undefined ? null : await loadData(values.data, io)
  const signed = sign(url, key, values, body)
  const forgery =
    values.tamper === undefined ? undefined : tamper(values.tamper, signed, accountHeader(values))
  const serveAt = values['serve-dns'] ?? (values.start === undefined ? undefined : '127.0.0.1:0')
  const dns = serveAt === undefined ? undefined : await serveRecord(serveAt, key)
  if (dns === undefined || values['print-record']) io.print(`${zoneRecord(key.keyId, key.record.join(''))}\n`)
  if (dns !== undefined) io.print(`serving the key ${key.keyId}\non ${dns.address}, UDP and TCP\n`)
  if (forgery !== undefined) io.print(`${wrapWords('', forgery.text)}\n`)
  let receiver: ChildProcess | undefined
  try {
    if (values.start !== undefined) receiver = await startReceiver(values.start, url, dns!.address)
    const request = forgery?.forged ?? signed
    const responses: Response[] = []
    // One after the other: a receiver that responds late must not get two at once.
    while (responses.length < times) {
      const tls = { rejectUnauthorized: values['allow-self-signed'] !== true }
      const response = await exchange(url, request, tls)
      responses.push(response)
      io.print(responseText(request.method, url, response, times === 1 ? '' : `${responses.length}: `))
    }
    const { exit, lines } = conclude(responses, {
      url,
      method: request.method,
      isForgery: forgery !== undefined,
      key,
      dns
    })
    if (lines.length > 0)
      io.print(['', ...lines.map(line => (line.startsWith(' ') ? line : wrapWords('', line)))].join('\n'))
    return exit
  } catch (error) {
    if (error instanceof UsageError) throw error
    const hint = /SELF_SIGNED|UNABLE_TO_VERIFY/.test((error as NodeJS.ErrnoException).code ?? '')
      ? '; on loopback, --allow-self-signed accepts it'
      : ''
    io.note(escapeText(`signed-requests: no answer from ${url.host}: ${describeError(error)}${hint}`, 1000))
    return EXIT.unknown
  } finally {
    if (values.keep) io.note('still serving DNS; Ctrl-C ends it')
    else {
      // One that observes writes its verdict after its response.
      if (receiver !== undefined) await delay(500)
      receiver?.kill()
      await dns?.close()
    }
  }
}

async function loadKey(flags: Flags, io: Io): Promise<SigningKey> {
  const { selector = 'test', domain = 'service.example', key: file } = flags
  const name = normalizeName(`${selector}._domainkey.${domain}`)
  if (name === undefined) throw new UsageError('--selector and --domain must make a DNS name')
  const pem = file === undefined ? undefined : (await readBytes(file, '--key', io)).toString('utf8')
  try {
    return createSigningKey(name, RSA_BITS, pem)
  } catch {
    throw new UsageError(`${file} is not an RSA private key in PEM`)
  }
}

const RSA_BITS = 2048

const loadData = (data: string, io: Io): Promise<Buffer> | Buffer =>
  data.startsWith('@') ? readBytes(data === '@-' ? '-' : data.slice(1), '--data', io) : Buffer.from(data)

const accountHeader = (flags: Flags): string => flags['account-header'] ?? 'X-Service-ID'

function sign(url: URL, key: SigningKey, flags: Flags, body: Buffer | null): SignedTestRequest {
  const { host = url.host, account = '1234', method, scheme = 'draft-cavage' } = flags
  if (flags.host !== undefined && !isHost(host))
    throw new UsageError('--host takes a host name, such as hooks.example.com')
  const [{ name }] = schemesOf([scheme]) as [Scheme]
  return signRequest(
    {
      target: addPrefix(flags.prefix, `${url.pathname}${url.search}`),
      headers: (flags.header ?? []).map(parseHeader),
      scheme: name,
      body,
      ...(method !== undefined && { method })
    },
    key,
    {
      host,
      account: [accountHeader(flags), `${flags['account-prefix'] ?? 'account-'}${account}`],
      nonce: randomUUID(),
      now: new Date()
    }
  )
}

function parseHeader(line: string): [name: string, value: string] {
  const [, name, value] = /^([^:]+):(.*)$/.exec(line) ?? []
  if (name === undefined || value === undefined) throw new UsageError("--header takes 'NAME: TEXT'")
  return [name, value.trim()]
}

/**
 * Serves one TXT record over UDP and TCP, on a loopback address only: a test key must not be visible to other machines,
 * and an open DNS server would answer the whole network.
 */
async function serveRecord(address: string, { keyId, record }: SigningKey): Promise<CountingDnsServer> {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(address) ?? []
  const ip = bracketed ?? plain ?? ''
  if (isIP(ip) === 0 || Number(port) > 65_535)
    throw new UsageError('--serve-dns takes an IP address and a port, such as 127.0.0.1:5353')
  if (ip !== '::1' && !(isIPv4(ip) && ip.startsWith('127.')))
    throw new UsageError('--serve-dns is for loopback addresses only: 127.0.0.1:5353 or [::1]:5353')
  try {
    return await startDnsServer({ [keyId]: [record] }, ip, Number(port))
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    const words =
      { EADDRINUSE: 'another program has this port', EACCES: 'this port needs more rights' }[code] ?? code
    throw new UsageError(`cannot serve DNS on ${address} (--serve-dns): ${words}; choose another port`)
  }
}

/** The response for a person: its text is escaped, line by line. */
function responseText(
  method: string,
  url: URL,
  { status, statusText, body }: Response,
  number: string
): string {
  const lines = body.toString('utf8').split(/\r?\n/).slice(0, MAX_LINES)
  return [
    escapeText(`${method} ${url.href}`, 1000),
    `${number}answer: ${status} ${escapeText(statusText)}`,
    ...(body.length === 0 ? [] : ['', ...lines.map(line => wrapExact('  ', escapeText(line, 1000)))])
  ].join('\n')
}

const MAX_LINES = 100

interface Sent {
  url: URL
  method: string
  isForgery: boolean
  key: SigningKey
  dns: CountingDnsServer | undefined
}

/** What the responses mean, where they differ from those of a correct receiver. */
function conclude([first, ...repeated]: readonly Response[], sent: Sent): { exit: number; lines: string[] } {
  const { status, headers } = first!
  const asked = sent.dns?.queries(sent.key.keyId) ?? 0
  if (isAccepted(first!) && sent.isForgery)
    return {
      exit: EXIT.refused,
      lines: ['The forgery was accepted: nothing verifies it, or the receiver only observes.']
    }
  if (isAccepted(first!)) {
    const again = repeated.findIndex(isAccepted)
    const replay = `Request ${again + 2}, a replay of the same bytes, was accepted: the receiver has no replay store, or it only observes.`
    return again < 0 ? { exit: EXIT.ok, lines: [] } : { exit: EXIT.refused, lines: [replay] }
  }
  // A receiver of one's own may leave WWW-Authenticate out; that it asked for the key shows that it verifies.
  const isOwn = isRefusal(first!) || (asked > 0 && [401, 413, 503].includes(status))
  const exit = status === 503 ? EXIT.unknown : EXIT.refused
  if (isOwn && sent.isForgery && status !== 503)
    return { exit: EXIT.ok, lines: ['Refused, as it should be.'] }
  if (isOwn) return { exit, lines: keyAdvice(sent, asked) }
  const isUnclear = sent.isForgery && status === 401 && headers['www-authenticate'] === undefined
  const other = `This is not a refusal of signed-requests: ${describeResponse(sent.method, sent.url, first!)}.`
  const unclear =
    'Refused, but without WWW-Authenticate: Signature, so it is not clear that signed-requests did it.'
  return isUnclear ? { exit: EXIT.ok, lines: [unclear] } : { exit, lines: [other] }
}

const isAccepted = ({ status }: Response): boolean => status >= 200 && status < 300

/** Whether the receiver could get the key at all. */
function keyAdvice({ key, dns }: Sent, asked: number): string[] {
  const lookup = (address: string) => `  lookupTxt: dnsTxtLookup({ servers: ['${address}'] })`
  if (dns === undefined)
    return [
      `A receiver that verifies refused it. It needs the record of ${key.keyId}: publish the one above, or have it ` +
        'served here with --serve-dns 127.0.0.1:5353 and give createVerifier in the receiver this line:',
      lookup('127.0.0.1:5353')
    ]
  if (asked > 0)
    return [
      `The receiver did get the key: ${key.keyId} was asked for ${asked === 1 ? 'once' : `${asked} times`} at ` +
        `${dns.address}. Its own log says why it refused: explain(verdict).`
    ]
  const seen =
    dns.queries() > 0
      ? `The DNS server at ${dns.address} was asked for other names, never for ${key.keyId}`
      : `Nobody asked the DNS server at ${dns.address}`
  return [
    `${seen}: the receiver refused before it looked for the key (its log says why), or asks another server. For it to ` +
      'this one, give createVerifier this line:',
    lookup(dns.address)
  ]
}

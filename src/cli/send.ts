import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { escapeText, wrapExact, wrapWords } from '../explain/text.ts'
import { normalizeName } from '../key/name.ts'
import { isHost, isLoopback } from '../options/hosts.ts'
import type { CountingDnsServer } from '../testing/dns-server.ts'
import { type SignedTestRequest, signRequest } from '../testing/sign.ts'
import type { SignRequest } from '../testing/sign-options.ts'
import { createSigningKey, type SigningKey } from '../testing/signing-key.ts'
import type { SchemeName } from '../verdict/verdict.ts'
import type { Command } from './command.ts'
import { ACCOUNT_HEADER, ACCOUNT_PREFIX, PREFIX } from './common-options.ts'
import { explainRefusal } from './explain-refusal.ts'
import { HELP_OPTION, helpText, type OptionSpecs } from './help.ts'
import { type Io, readBytes } from './io.ts'
import { addPrefix } from './path-prefix.ts'
import { serveRecord } from './serve-record.ts'
import { TAMPER_NAMES, tamper } from './tamper.ts'
import { ANSWER_TIMEOUT, type Answer, transmit } from './transmit.ts'
import { zoneRecord } from './txt.ts'
import { EXIT, UsageError } from './usage.ts'

const OPTIONS = {
  domain: { type: 'string', value: 'NAME', about: "the service's domain", default: 'service.example' },
  selector: { type: 'string', value: 'NAME', about: "the first part of the key's name", default: 'test' },
  host: { type: 'string', value: 'NAME', about: 'the Host to sign and send', otherwise: "the URL's" },
  account: { type: 'string', value: 'ID', about: 'the account id', default: '1234' },
  'account-header': ACCOUNT_HEADER,
  'account-prefix': ACCOUNT_PREFIX,
  prefix: PREFIX,
  key: { type: 'string', value: 'FILE', about: 'RSA private key, PEM', otherwise: 'a fresh one' },
  'serve-dns': {
    type: 'string',
    value: 'IP:PORT',
    about: 'serve the key record on this loopback address, UDP and TCP, such as 127.0.0.1:5353'
  },
  keep: { type: 'boolean', about: 'go on serving DNS after the answer, until Ctrl-C' },
  scheme: {
    type: 'string',
    value: 'NAME',
    about: 'sign by draft-cavage or rfc9421',
    default: 'draft-cavage'
  },
  method: { type: 'string', value: 'NAME', about: 'the method', otherwise: 'POST with --data, GET without' },
  data: {
    type: 'string',
    value: 'TEXT',
    about: 'the body; @FILE for a file, @- for standard input',
    otherwise: 'none'
  },
  header: {
    type: 'string',
    multiple: true,
    value: "'NAME: TEXT'",
    about: 'add or replace a header before signing'
  },
  tamper: {
    type: 'string',
    value: 'WHAT',
    about: `send a forgery: change this after signing, one of ${TAMPER_NAMES.join(', ')}`
  },
  repeat: {
    type: 'string',
    value: 'N',
    about: 'send the same bytes N times, to see the replay refused',
    otherwise: '1'
  },
  'allow-self-signed': { type: 'boolean', about: 'accept any certificate, on a loopback address only' },
  help: HELP_OPTION
} as const satisfies OptionSpecs

/** `signed-requests send` */
export const send: Command = {
  summary: 'sign a request and send it to a receiver under development',
  help: helpText({
    usage: 'send URL [options]',
    about:
      'Signs a request as the service does, sends it to a receiver under development and prints the answer. The ' +
      'receiver finds the key in DNS: publish the record that is printed, or have it served with --serve-dns.',
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
      [0, 'the answer is 2xx; with --repeat, the first is and no repetition is'],
      [1, 'any other answer; with --repeat, a repetition was accepted'],
      [2, 'there is no answer, or it is 503'],
      [64, 'a mistake on the command line']
    ]
  }),
  run: runSend
}

const parse = (args: string[]) => parseArgs({ args, options: OPTIONS, allowPositionals: true })

type Flags = ReturnType<typeof parse>['values']

async function runSend(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parse(args)
  const url = parseUrl(positionals)
  const anyCertificate = values['allow-self-signed'] === true
  if (anyCertificate && !isLoopback(url.hostname)) {
    throw new UsageError('--allow-self-signed is for loopback addresses: localhost, 127.0.0.1 or [::1]')
  }
  if (values.keep && values['serve-dns'] === undefined) throw new UsageError('--keep needs --serve-dns')
  const times = parseRepeat(values.repeat)

  const key = await loadKey(keyName(values.selector, values.domain), values.key, io)
  const body = values.data === undefined ? undefined : await loadData(values.data, io)
  const signed = sign(url, key, values, body)
  const forgery =
    values.tamper === undefined ? undefined : tamper(values.tamper, signed, values['account-header'])
  const serveAt = values['serve-dns']
  const dns = serveAt === undefined ? undefined : await serveRecord(serveAt, key.keyId, key.record)
  io.print(`${zoneRecord(key.keyId, key.record.join(''))}\n`)
  if (dns !== undefined) io.print(`serving it on ${dns.address}, UDP and TCP\n`)
  if (forgery !== undefined) io.print(`${wrapWords('', forgery.text)}\n`)
  try {
    const request = forgery?.forged ?? signed
    const exchange = () => transmit(url, request, anyCertificate)
    const answers = await exchangeAll(exchange, times, (answer, i) =>
      io.print(answerText(request.method, url, answer, times === 1 ? '' : `${i + 1}: `))
    )
    for (const line of closingLines(answers, key.keyId, dns)) io.print(line)
    return exitCode(answers)
  } catch (error) {
    io.note(escapeText(`signed-requests: no answer from ${url.host}: ${reasonOf(error)}`, 1000))
    return EXIT.unavailable
  } finally {
    if (values.keep) io.note('still serving DNS; Ctrl-C ends it')
    else await dns?.close()
  }
}

/** One after the other: a receiver that answers late must not get two at once. */
async function exchangeAll(
  exchange: () => Promise<Answer>,
  times: number,
  onAnswer: (answer: Answer, index: number) => void
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let i = 0; i < times; i++) {
    const answer = await exchange()
    answers.push(answer)
    onAnswer(answer, i)
  }
  return answers
}

function parseUrl(positionals: readonly string[]): URL {
  const [text, ...others] = positionals
  if (text === undefined || others.length > 0) throw new UsageError('send takes one URL')
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError(`${text} is not an http or https URL`)
  return url
}

function parseRepeat(text: string | undefined): number {
  if (text === undefined) return 1
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text)
  throw new UsageError('--repeat takes a number from 1 to 999: how often to send the same bytes')
}

function keyName(selector: string, domain: string): string {
  const name = normalizeName(`${selector}._domainkey.${domain}`)
  if (name === undefined) throw new UsageError('--selector and --domain must make a DNS name')
  return name
}

async function loadKey(name: string, file: string | undefined, io: Io): Promise<SigningKey> {
  if (file === undefined) return createSigningKey(name, RSA_BITS)
  const pem = await readBytes(file, io)
  try {
    return createSigningKey(name, RSA_BITS, pem.toString('utf8'))
  } catch {
    throw new UsageError(`${file} is not an RSA private key in PEM`)
  }
}

const RSA_BITS = 2048

const loadData = (data: string, io: Io): Promise<Buffer> | Buffer =>
  data.startsWith('@') ? readBytes(data === '@-' ? '-' : data.slice(1), io) : Buffer.from(data, 'utf8')

function sign(url: URL, key: SigningKey, flags: Flags, body: Buffer | undefined): SignedTestRequest {
  if (flags.host !== undefined && !isHost(flags.host)) {
    throw new UsageError('--host takes a host name, such as hooks.example.com')
  }
  const request: SignRequest = {
    target: addPrefix(flags.prefix, `${url.pathname}${url.search}`),
    headers: (flags.header ?? []).map(parseHeader),
    scheme: parseScheme(flags.scheme),
    ...(flags.method !== undefined && { method: flags.method }),
    ...(body !== undefined && { body })
  }
  return signRequest(request, key, {
    host: flags.host ?? url.host,
    account: [flags['account-header'], `${flags['account-prefix']}${flags.account}`],
    nonce: randomUUID(),
    now: new Date()
  })
}

function parseScheme(name: string): SchemeName {
  if (name !== 'draft-cavage' && name !== 'rfc9421')
    throw new UsageError('--scheme must be draft-cavage or rfc9421')
  return name
}

function parseHeader(line: string): [name: string, value: string] {
  const [, name, value] = /^([^:]+):(.*)$/.exec(line) ?? []
  if (name === undefined || value === undefined) throw new UsageError("--header takes 'NAME: TEXT'")
  return [name, value.trim()]
}

/** The answer for a person: its text is escaped, line by line. */
function answerText(method: string, url: URL, { status, statusText, body }: Answer, number: string): string {
  const lines = body.toString('utf8').split(/\r?\n/).slice(0, MAX_LINES)
  return [
    escapeText(`${method} ${url.href}`, 1000),
    `${number}answer: ${status} ${escapeText(statusText)}`,
    ...(body.length === 0 ? [] : ['', ...lines.map(line => wrapExact('  ', escapeText(line, 1000)))])
  ].join('\n')
}

const MAX_LINES = 100

const isAccepted = ({ status }: Answer): boolean => status >= 200 && status < 300

/** What the answers mean, where they differ from those of a correct receiver. */
function closingLines(
  [first, ...repeated]: readonly Answer[],
  keyId: string,
  dns: CountingDnsServer | undefined
): string[] {
  if (!isAccepted(first!)) {
    return [
      '',
      ...explainRefusal(keyId, dns).map(line => (line.startsWith(' ') ? line : wrapWords('', line)))
    ]
  }
  const again = repeated.findIndex(isAccepted)
  if (again < 0) return []
  const number = again + 2
  return [
    '',
    wrapWords(
      '',
      `Request ${number}, a replay of the same bytes, was accepted: the receiver has no replayStore.`
    )
  ]
}

function exitCode([first, ...repeated]: readonly Answer[]): number {
  if (isAccepted(first!)) return repeated.some(isAccepted) ? EXIT.rejected : EXIT.verified
  return first!.status === 503 ? EXIT.unavailable : EXIT.rejected
}

/** Node's errors have a code, or a message for a person. */
function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (code === 'ABORT_ERR') return `nothing within ${ANSWER_TIMEOUT / 1000} s`
  if (/SELF_SIGNED|UNABLE_TO_VERIFY/.test(code))
    return `${code} (on loopback, --allow-self-signed accepts it)`
  return code || message
}

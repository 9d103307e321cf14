import { setTimeout as delay } from 'node:timers/promises'
import type { Values } from '../../flags/flag.ts'
import { UsageError } from '../../flags/usage-error.ts'
import {
  type CountingDnsServer,
  DEFAULTS,
  escapeText,
  isHost,
  type OptionName,
  plural,
  type SigningKey,
  signRequest,
  validateAccounts,
  wrapExact,
  wrapWords
} from '../../src/internal/index.ts'
import type { SignedTestRequest } from '../../src/testing/index.ts'
import { chooseEntry } from '../captures/choose-entry.ts'
import { readCapture } from '../captures/read-capture.ts'
import { assertAtLoopback, isUntrusted, selfSignedAdvice } from '../certificates.ts'
import { assertReadable, EXIT, type Io, readBytes } from '../command.ts'
import { describeError, endpointOf, exchange, parseUrl, type Response } from '../exchange.ts'
import type { Command } from '../flags.ts'
import { addPrefix } from '../path-prefix.ts'
import { DEFAULT_ACCOUNT, FLAGS } from './flags.ts'
import { loadKey, serveRecord, zoneRecord } from './key.ts'
import { printRequest } from './print.ts'
import { type TakenRequest, takeRequest } from './request.ts'
import { type StartedReceiver, startReceiver } from './start-receiver.ts'
import { type Attempt, isAccepted, summarizeRequests, summarizeResponses } from './summary.ts'
import { FORGERY_NAMES, type ForgeryName, tamper } from './tamper.ts'

/** The command `signed-requests send`. */
export const send: Command<typeof FLAGS> = {
  about: [
    'Signs a request as the service does, sends it to a receiver under development, and says who answered what. The ' +
      'receiver looks up the key in DNS: publish the record that is printed, or serve it with --serve-dns.',
    'With --request, signs a captured request again: Date, Host, Digest and Signature are new, because the old bytes ' +
      'would be refused. A URL with a path replaces the captured target.'
  ],
  argument: 'URL',
  flags: FLAGS,
  examples: [
    'npx signed-requests send http://localhost:3000/hook --data \'{"id":1}\' \\\n--serve-dns 127.0.0.1:5353',
    'npx signed-requests send http://localhost:3000/hook --tamper body \\\n' +
      '--data \'{"id":1}\' --serve-dns 127.0.0.1:5353',
    'npx signed-requests send http://localhost:3000/hook --repeat 2 \\\n--serve-dns 127.0.0.1:5353',
    'npx signed-requests send https://localhost/hook --tamper all \\\n--start receiver.mjs --start-port 3000',
    'npx signed-requests send http://localhost:3000 --request calls.har --entry 3 \\\n--start receiver.mjs'
  ],
  exits: {
    0:
      'accepted (2xx); with --repeat, only the first was; with --tamper, the forgery was refused; with --tamper all, ' +
      'only the good request was accepted',
    1: 'refused; with --repeat, a replay was accepted; with --tamper, a forgery was accepted',
    2: 'no response, or 503; or accepted without asking --serve-dns for the key',
    64: 'usage error, or a capture that cannot be sent'
  },
  run
}

type Flags = Values<typeof FLAGS>

async function run(flags: Flags, io: Io, argument: string): Promise<number> {
  const url = parseUrl(argument)
  assertFlags(flags, url)
  // The printed request may be read by a program: everything else goes to stderr.
  const say = flags.print === undefined ? io.print : io.note
  const key = await loadKey(flags, io)
  const data = await readData(flags, io)
  const taken = flags.request === undefined ? undefined : await readRequest(flags.request, flags, data, io)
  const path = pathOf(url, taken)
  const signed = sign({ url, path, taken, body: taken === undefined ? (data ?? null) : taken.body }, key, flags)
  if (taken !== undefined) for (const line of linesAbout(taken, signed, path)) say(wrapWords('', line))
  const { tamper: what, accountHeader: header } = flags
  const forge = (name: ForgeryName): Sending => {
    const { forged, text } = tamper(name, signed, header)
    return { name, request: forged, text }
  }
  const sendings: readonly Sending[] = [
    ...(what === 'all' ? FORGERY_NAMES : what === undefined ? [] : [what]).map(forge),
    ...(what === 'all' || what === undefined ? [{ request: signed }] : [])
  ]
  if (flags.print !== undefined) {
    const [{ request, text: forgery }] = sendings as [Sending]
    const text = printRequest(flags.print, request, { url, path, isInsecure: flags.allowSelfSigned === true })
    io.note(zoneRecord(key))
    if (forgery !== undefined) io.note(wrapWords('', forgery))
    io.print(text)
    return EXIT.ok
  }
  return sendAll(flags, io, { url, path, key, sendings })
}

/** @throws UsageError for flags that contradict each other or the URL */
function assertFlags(flags: Flags, url: URL): void {
  if (flags.allowSelfSigned) assertAtLoopback(url, atLoopback(url))
  if (!/^[1-9]\d{0,2}$/.test(flags.repeat))
    throw new UsageError('--repeat takes a number from 1 to 999: how often to send the same bytes')
  const isSent = flags.serveDns !== undefined || flags.start !== undefined || flags.repeat !== '1'
  if (flags.print !== undefined && isSent)
    throw new UsageError('--print sends nothing: leave --serve-dns, --start and --repeat out')
  if (flags.tamper === 'all' && (flags.print !== undefined || flags.repeat !== '1'))
    throw new UsageError('--tamper all sends each request once: leave --print and --repeat out')
  const { startPort = 1 } = flags
  if (startPort < 1 || startPort > 65_535) throw new UsageError('--start-port takes a port, such as 3000')
  if (flags.start !== undefined) assertReadable(flags.start, '--start')
  if (flags.request === '-' && flags.data === '@-')
    throw new UsageError('--request - and --data @- both read standard input')
}

async function readData({ data }: Flags, io: Io): Promise<Buffer | undefined> {
  if (data === undefined) return undefined
  return data.startsWith('@') ? readBytes(data.slice(1), '--data', io) : Buffer.from(data)
}

/** Reads the request of the capture; its body is not needed where `data` is given. @throws UsageError */
async function readRequest(file: string, flags: Flags, data: Buffer | undefined, io: Io): Promise<TakenRequest> {
  const { chosen, notes } = chooseEntry(readCapture(await readBytes(file, '--request', io)), { entry: flags.entry })
  const taken = takeRequest(chosen, flags.accountHeader, data)
  for (const note of notes) io.note(`note: ${note}`)
  return taken
}

/** Returns path and query as they are sent: those of the URL, unless it has none of its own and a capture has. */
function pathOf({ pathname, search }: URL, taken: TakenRequest | undefined): string {
  const isWithout = pathname === '/' && search === ''
  return taken !== undefined && isWithout ? taken.target : `${pathname}${search}`
}

/** Names the parts from the capture, and the new ones. */
function linesAbout(taken: TakenRequest, { method, target, headers, body }: SignedTestRequest, path: string): string[] {
  const names = ['host', 'date', taken.accountHeader.toLowerCase()]
  const made = headers.filter(([name]) => names.includes(name.toLowerCase())).map(line => line.join(': '))
  const length = body === null ? 'no body' : `a body of ${plural(body.length, 'byte')}`
  return [
    ...taken.notes,
    ...(path === taken.target ? [] : [`the URL replaces the captured target ${taken.target}`]),
    `signed again: ${method} ${target}, ${length}; ${made.join('; ')}`
  ].map(line => escapeText(line, 600))
}

interface Unsigned {
  readonly url: URL
  readonly path: string
  readonly taken: TakenRequest | undefined
  readonly body: Buffer | null
}

function sign({ url, path, taken, body }: Unsigned, key: SigningKey, flags: Flags): SignedTestRequest {
  const { host = url.host, scheme, accountHeader, accountPrefix, prefix } = flags
  if (!isHost(host)) throw new UsageError('--host takes a host name, such as hooks.example.com')
  const method = flags.method ?? taken?.method ?? (body === null ? 'GET' : 'POST')
  const id = flags.account ?? DEFAULT_ACCOUNT
  validateAccounts(id, 'accounts' satisfies OptionName, {
    option: 'accountPrefix' satisfies OptionName,
    value: accountPrefix
  })
  const isCaptured = flags.account === undefined && taken?.account !== undefined
  const request = {
    // Node's client sends the method in capitals, and RFC 9421 signs its case.
    method: method.toUpperCase(),
    target: addPrefix(prefix, path),
    headers: { ...taken?.headers, ...Object.fromEntries((flags.header ?? []).map(parseHeader)) },
    scheme,
    body
  }
  return signRequest(request, key, {
    host,
    account: [accountHeader, isCaptured ? taken.account : `${accountPrefix}${id}`],
    alsoCovered: flags.alsoCovered ?? []
  })
}

function parseHeader(line: string): [name: string, value: string] {
  const parts = /^([^:]+):(.*)$/.exec(line)
  if (parts === null) throw new UsageError("--header takes 'NAME: TEXT'")
  return [parts[1]!, parts[2]!.trim()]
}

/** A request to send. */
interface Sending {
  readonly request: SignedTestRequest
  /** the change after signing; absent for the good request */
  readonly name?: ForgeryName
  /** the same for a person */
  readonly text?: string
}

/** The requests, their destination and their key. */
interface Sendings {
  readonly url: URL
  /** path and query as they are sent */
  readonly path: string
  readonly key: SigningKey
  readonly sendings: readonly Sending[]
}

async function sendAll(flags: Flags, io: Io, { url, path, key, sendings }: Sendings): Promise<number> {
  const { start: started, serveDns: serveAt = started && '127.0.0.1:0' } = flags
  const dns = serveAt === undefined ? undefined : await serveRecord(serveAt, key)
  if (dns === undefined || flags.printRecord) io.print(`${zoneRecord(key)}\n`)
  if (dns !== undefined) io.print(`serving the key ${key.keyId}\non ${dns.address}, UDP and TCP\n`)
  const tls = { rejectUnauthorized: flags.allowSelfSigned !== true }
  let receiver: StartedReceiver | undefined
  try {
    if (started !== undefined) receiver = await startReceiver(receiverOf(started, flags, url, dns!.address), io)
    const conclusions: (readonly [name: ForgeryName | undefined, exit: number])[] = []
    // Requests are sent one after the other: a receiver that responds late must not get two at once.
    for (const [i, { request, name, text }] of sendings.entries()) {
      if (i > 0) io.print('')
      if (text !== undefined) io.print(`${wrapWords('', text)}\n`)
      else if (sendings.length > 1) io.print('the good request\n')
      const responses: Response[] = []
      for (let number = 1; number <= Number(flags.repeat); number++) {
        responses.push(await exchange(url, { ...request, path }, tls))
        io.print(responseText(responses.at(-1)!, flags.repeat === '1' ? '' : `${number}: `))
      }
      const attempt: Attempt = {
        isForgery: name !== undefined,
        keyId: key.keyId,
        dns: dns && { address: dns.address, isAsked: await isAsked(dns, key.keyId, responses) },
        started,
        dateTolerance: flags.dateTolerance ?? DEFAULTS.dateTolerance,
        urlHost: flags.host === undefined ? url.host : undefined
      }
      const [exit, ...lines] = summarizeResponses(responses, attempt)
      for (const line of lines) io.print(`\n${line.startsWith(' ') ? line : wrapWords('', line)}`)
      conclusions.push([name, exit])
    }
    const [exit, ...lines] = summarizeRequests(conclusions)
    for (const line of lines) io.print(`\n${wrapWords('', line)}`)
    return exit
  } catch (error) {
    if (error instanceof UsageError) throw error
    const hint = isUntrusted(error) ? `; ${selfSignedAdvice(url, atLoopback(url))}` : ''
    io.note(escapeText(`signed-requests: no answer from ${url.host}: ${describeError(error)}${hint}`, 1000))
    return EXIT.unknown
  } finally {
    // A receiver that observes writes its verdict after its response.
    if (receiver !== undefined) await delay(500)
    await receiver?.end()
    await dns?.close()
  }
}

/** Describes the receiver to start: behind a proxy, it listens on this machine, whatever the URL says. */
function receiverOf(file: string, { startPort }: Flags, url: URL, dnsAddress: string) {
  const endpoint = startPort === undefined ? endpointOf(url) : { host: 'localhost', port: startPort }
  return { file, dnsAddress, ...endpoint }
}

/** Replaces a name for this machine by a loopback address of the same receiver. */
const atLoopback = (url: URL): string =>
  `write https://localhost${url.port && `:${url.port}`}${url.pathname} --host ${url.host}`

/** Milliseconds to wait for a receiver that observes: it may verify after its response. */
const OBSERVER_TIMEOUT = 1000

/** Returns whether the key was asked for. Waits for the query when the request was accepted without one. */
async function isAsked(dns: CountingDnsServer, keyId: string, responses: readonly Response[]): Promise<boolean> {
  const end = Date.now() + (responses.some(isAccepted) ? OBSERVER_TIMEOUT : 0)
  while (dns.queries(keyId) === 0 && Date.now() < end) await delay(20)
  return dns.queries(keyId) > 0
}

const MAX_LINES = 100

function responseText({ method, url, path, status, statusText, body }: Response, number: string): string {
  const lines = body.length === 0 ? [] : ['', ...body.toString('utf8').split(/\r?\n/, MAX_LINES)]
  const shown = lines.map(line => wrapExact('  ', escapeText(line, 1000)).trimEnd())
  const head = [`${method} ${url.origin}${path}`, `${number}answer: ${status} ${statusText}`]
  return [...head.map(line => escapeText(line, 1000)), ...shown].join('\n')
}

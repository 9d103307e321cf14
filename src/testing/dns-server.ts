import { once } from 'node:events'
import type { Socket } from 'node:net'
import { AUTHORITATIVE_ANSWER, decode, encode, type Question, TRUNCATED_RESPONSE } from 'dns-packet'
import { mistake, ownOptions } from '../core/mistakes.ts'
import { recordsOf, type TxtRecords } from './records.ts'
import type { TestService } from './service.ts'

/** A running DNS server. */
export interface DnsServer {
  /** for `dnsTxtLookup({ servers: [address] })`, such as `127.0.0.1:5353` */
  readonly address: string
  /** stops listening and ends its connections; it may be called twice */
  close(): Promise<void>
}

/** Options of `serveDns`. */
export interface ServeDnsOptions {
  /** the port to listen on; a free one by default */
  port?: number | undefined
}

/**
 * Starts a real DNS server on loopback with the service's records, for a receiver in another process. It answers over
 * UDP and TCP from `service.records` as they are at that moment, so a rotated key is found at once. Records that get a
 * wrong shape later are answered with SERVFAIL, and the mistake is printed with `console.error`.
 *
 * @throws (rejects with) TypeError for a bad option or records of a wrong shape, and Node's error for a port that is in
 *   use (`EADDRINUSE`)
 * @example
 * ```ts
 * import { createVerifier, dnsTxtLookup } from 'signed-requests'
 * import { createTestService, serveDns } from 'signed-requests/testing'
 *
 * const service = createTestService()
 * const dns = await serveDns(service)
 * const verify = createVerifier({ ...service.options, lookupTxt: dnsTxtLookup({ servers: [dns.address] }) })
 * console.log((await verify(service.sign())).status)
 * await dns.close()
 * ```
 */
export async function serveDns(
  service: Pick<TestService, 'records'>,
  options: ServeDnsOptions = {}
): Promise<DnsServer> {
  // A Map, a list or text has no names.
  if (Object.prototype.toString.call(service?.records) !== '[object Object]')
    throw mistake('serveDns() got', service, 'it takes the service: serveDns(createTestService())')
  const { port = 0 } = ownOptions('serveDns', options, ['port'])
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw mistake('port is', port, 'pass a port, such as 5353, or leave it out for a free one')
  for (const name of Object.keys(service.records)) recordsOf(service.records, name)
  const { address, close } = await startDnsServer(service.records, '127.0.0.1', port)
  return { address, close }
}

/** A DNS server that counts its queries. */
export interface CountingDnsServer extends DnsServer {
  /** how often a TXT record was asked for: of a name in lower case that has records, or of any name */
  queries(name?: string): number
}

/** Serves TXT records over UDP and TCP on one port. No message can stop it. */
export async function startDnsServer(records: TxtRecords, ip = '127.0.0.1', wanted = 0): Promise<CountingDnsServer> {
  let total = 0
  // Counts only names that have records: others can be asked for without end.
  const counts = new Map<string, number>()
  const count = (name: string) => {
    total += 1
    if (Object.hasOwn(records, name)) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  // Imported here, so that the test kit loads where these modules do not exist (Cloudflare Workers).
  const [{ createSocket }, { createServer }] = await Promise.all([import('node:dgram'), import('node:net')])
  const printed = new Set<string>()
  const printOnce = (name: string, error: unknown) => {
    if (!printed.has(name)) console.error(error)
    printed.add(name)
  }
  const reply = (message: Buffer, maxLength: number) => replyTo(message, records, maxLength, count, printOnce)
  const udp = createSocket(ip.includes(':') ? 'udp6' : 'udp4')
  udp.on('message', (message, { address, port }) => {
    const answer = reply(message, MAX_UDP)
    // Sending to port 0 would throw.
    if (answer !== undefined && port > 0) udp.send(answer, port, address, () => {})
  })
  const sockets = new Set<Socket>()
  const tcp = createServer(socket => {
    sockets.add(socket.on('close', () => sockets.delete(socket)))
    serveConnection(socket, message => reply(message, 65_535)).catch(() => {})
  })
  let closing: Promise<unknown> | undefined
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    closing ??= Promise.all([udp, tcp].map(server => new Promise<unknown>(done => server.close(done))))
    await closing
  }
  try {
    await once(udp.bind({ port: wanted, address: ip, exclusive: true }), 'listening')
    const { port } = udp.address()
    await once(tcp.listen({ port, host: ip, exclusive: true }), 'listening')
    for (const server of [tcp, udp]) server.on('error', () => {})
    const queries = (name?: string) => (name === undefined ? total : (counts.get(name) ?? 0))
    return { address: `${ip.includes(':') ? `[${ip}]` : ip}:${port}`, queries, close }
  } catch (error) {
    await close()
    // A free UDP port may be taken for TCP.
    if (wanted === 0 && (error as NodeJS.ErrnoException).code === 'EADDRINUSE') return startDnsServer(records, ip)
    throw error
  }
}

/** RFC 1035 section 4.2.2: two octets of length before each message. Returning ends the connection. */
async function serveConnection(socket: Socket, reply: (message: Buffer) => Buffer | undefined) {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of socket) {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 2) {
      const end = 2 + rest.readUInt16BE(0)
      // A longer message is not a query, and its bytes are not kept.
      if (end > 2 + MAX_QUERY) return
      if (rest.length < end) break
      const answer = reply(rest.subarray(2, end))
      if (answer === undefined) return
      rest = rest.subarray(end)
      socket.write(Buffer.concat([Buffer.of(answer.length >> 8, answer.length & 0xff), answer]))
    }
  }
}

/** RFC 1035 section 4.1.1 */
const HEADER_LENGTH = 12
const SERVER_FAILURE = 2
const NO_SUCH_NAME = 3

/** A name and its question have 260 octets, EDNS options a few more. */
const MAX_QUERY = 1024

/** RFC 1035 section 4.2.1: a longer answer over UDP is truncated, and asked for again over TCP. */
const MAX_UDP = 512

/**
 * Returns the answer to a DNS query, or undefined for any other message: two servers would answer each other's
 * responses forever. The counts are checked before it is parsed, so a message that announces 65,535 questions costs
 * nothing.
 *
 * @param onQuestion called with each name, in lower case, whose TXT record is asked for
 * @param onMistake called with such a name when its records cannot be served; the answer is SERVFAIL
 */
export function replyTo(
  message: Buffer,
  records: TxtRecords,
  maxLength: number,
  onQuestion: (name: string) => void,
  onMistake: (name: string, error: unknown) => void = () => {}
): Buffer | undefined {
  if (message.length < HEADER_LENGTH || message.length > MAX_QUERY) return undefined
  // A query has no opcode, one question, no answers and authorities, and perhaps EDNS.
  const isQuery = message[2]! >> 3 === 0 && message.toString('hex', 4, 10) === '000100000000'
  if (!isQuery || message.readUInt16BE(10) > 2) return undefined
  let question: Question
  try {
    question = decode(message).questions![0]!
  } catch {
    return undefined
  }
  const name = question.name.toLowerCase()
  const isText = question.type === 'TXT'
  if (isText) onQuestion(name)
  const encodeAnswer = (flags: number, texts: TxtRecords[string] = []) =>
    encode({
      type: 'response',
      id: message.readUInt16BE(0),
      flags: AUTHORITATIVE_ANSWER | flags,
      questions: [question],
      // RFC 1035 section 3.3: at most 255 octets in a string.
      answers: texts.map(strings => ({
        type: 'TXT',
        name: question.name,
        ttl: 0,
        data: strings.flatMap(text => text.match(/.{1,255}/gs) ?? ['']).map(text => Buffer.from(text, 'latin1'))
      }))
    })
  let found: TxtRecords[string] | undefined
  try {
    found = recordsOf(records, name)
  } catch (error) {
    onMistake(name, error)
    return encodeAnswer(SERVER_FAILURE)
  }
  const answer = encodeAnswer(found ? 0 : NO_SUCH_NAME, isText ? found : [])
  return answer.length > maxLength ? encodeAnswer(TRUNCATED_RESPONSE) : answer
}

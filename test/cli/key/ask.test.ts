import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Answer, encode, type Packet, TRUNCATED_RESPONSE } from 'dns-packet'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createDns, framedMessage, parseServer } from '../../../cli/key/ask.ts'
import { encodeMessage, MAX_OCTETS } from '../../../src/doh/message.ts'
import { runInside } from '../../support/run-cli.ts'

const NAME = 'one.service.example'
const forever = () => new AbortController().signal

/** Describes a server's reaction to a query: the messages that it sends by UDP, and the chunks that it sends by TCP. */
interface Behaviour {
  readonly udp?: (query: Buffer) => readonly Buffer[]
  readonly tcp?: (query: Buffer) => Iterable<Buffer>
  /** the reported error, if any */
  readonly error: string | undefined
}

const reply = (query: Buffer, parts: Partial<Packet> = {}): Buffer =>
  encode({ type: 'response', id: query.readUInt16BE(0), questions: [{ type: 'TXT', name: NAME }], ...parts })

const replyAbout = (query: Buffer, type: 'A' | 'TXT', name: string) => reply(query, { questions: [{ type, name }] })

const txt = (length: number): Answer => ({ type: 'TXT', name: NAME, data: Array(length).fill('x'.repeat(255)) })

const cut = (query: Buffer): Buffer[] => [reply(query, { flags: TRUNCATED_RESPONSE })]

const framed = (message: Buffer): Buffer =>
  Buffer.concat([Buffer.of(message.length >> 8, message.length & 0xff), message])

function* inPieces(message: Buffer): Iterable<Buffer> {
  for (const octet of message) yield Buffer.of(octet)
}

/** Binds both to one port, which may be free for TCP and taken for UDP: then to another one. */
async function bindBoth(listener: Server, server: UdpSocket): Promise<number> {
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  const { port } = listener.address() as AddressInfo
  try {
    await once(server.bind(port, '127.0.0.1'), 'listening')
    return port
  } catch {
    await once(listener.close(), 'close')
    return bindBoth(listener, server)
  }
}

/** Starts a server on one port for UDP and TCP, which counts the queries. */
async function startServer({ udp = () => [], tcp }: Pick<Behaviour, 'udp' | 'tcp'>) {
  const counts = { udp: 0, tcp: 0 }
  const server: UdpSocket = createSocket('udp4', (query, from) => {
    counts.udp++
    for (const message of udp(query)) server.send(message, from.port, from.address)
  })
  const sockets = new Set<Socket>()
  const listener = createServer(socket => {
    counts.tcp++
    sockets.add(socket.on('error', () => {}))
    socket.on('data', query => {
      for (const chunk of tcp?.(query.subarray(2)) ?? []) socket.write(chunk)
    })
  })
  const port = await bindBoth(listener, server)
  if (tcp === undefined) await once(listener.close(), 'close')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    listener.close()
    server.close()
  })
  return { address: `127.0.0.1:${port}`, counts }
}

test.each<[situation: string, Behaviour]>([
  ['that replies', { udp: query => [reply(query)], error: undefined }],
  ['that replies to another query first', { udp: q => [reply(Buffer.alloc(12)), reply(q)], error: undefined }],
  ['that sends one octet first', { udp: query => [query.subarray(0, 1), reply(query)], error: undefined }],
  ['that sends a part of a message', { udp: query => [query.subarray(0, 2)], error: 'EBADRESP' }],
  ['that returns the query', { udp: query => [query], error: 'EBADRESP' }],
  ['that replies about another name', { udp: query => [replyAbout(query, 'TXT', 'a')], error: 'EBADRESP' }],
  ['that replies about another type', { udp: query => [replyAbout(query, 'A', NAME)], error: 'EBADRESP' }],
  ['that replies without the question', { udp: query => [reply(query, { questions: [] })], error: 'EBADRESP' }],
  ['that sends 60 KB by UDP', { udp: query => [reply(query, { answers: [txt(230)] })], error: 'EBADRESP' }],
  ['that truncates, and has TCP', { udp: cut, tcp: query => [framed(reply(query))], error: undefined }],
  ['that sends octet by octet', { udp: cut, tcp: query => inPieces(framed(reply(query))), error: undefined }],
  ['that truncates by TCP, too', { udp: cut, tcp: query => cut(query).map(framed), error: 'ETRUNCATED' }],
  ['that truncates, and has no TCP', { udp: cut, error: 'ECONNREFUSED' }],
  ['that sends 60 KB by TCP', { udp: cut, tcp: q => [framed(reply(q, { answers: [txt(230)] }))], error: 'EBADRESP' }],
  ['that announces 64 KB by TCP, and sends nothing', { udp: cut, tcp: () => [Buffer.of(255, 255)], error: 'EBADRESP' }]
])('asks a server %s', async (_, { error, ...behaviour }) => {
  const { address } = await startServer(behaviour)
  const dns = createDns([address], false, 60, forever())
  expect((await dns.resolve('TXT', NAME)).error).toBe(error)
})

test.each([
  ['192.0.2.1', '192.0.2.1', 53],
  ['127.0.0.1:5353', '127.0.0.1', 5353],
  ['[::1]:5353', '::1', 5353],
  // Without brackets, the whole text is the address, even where its end looks like a port.
  ['2001:500:2::c', '2001:500:2::c', 53],
  ['2001:500:2::1:53', '2001:500:2::1:53', 53],
  ['::1', '::1', 53]
])('the server %s has the address %s and the port %i', (server, host, port) => {
  expect(parseServer(server)).toEqual({ host, port })
})

test('a message over TCP is whole when its last octet has come, however it is cut', () => {
  const message = reply(Buffer.alloc(12))
  const all = Buffer.concat([framed(message), Buffer.from('more')])
  for (let length = 0; length < message.length + 2; length++)
    expect(framedMessage(all.subarray(0, length))).toBeUndefined()
  expect(framedMessage(all)).toEqual(message)
  expect(() => framedMessage(framed(Buffer.alloc(MAX_OCTETS + 1)).subarray(0, 2))).toThrow('it is too long')
  expect(framedMessage(framed(Buffer.alloc(MAX_OCTETS)))).toHaveLength(MAX_OCTETS)
})

test('a server at an IPv6 address is asked over IPv6', async () => {
  const { error } = await createDns(['[::1]:1'], false, 60, forever()).resolve('TXT', NAME)
  // Machines without IPv6 give the other codes.
  expect(['ECONNREFUSED', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ENETUNREACH']).toContain(error)
})

test('a name server at a private address is asked only where the caller wants that', async () => {
  // When no message is left, the server is not asked.
  const errorOf = async (address: string, asksPrivate: boolean) =>
    (await createDns([], asksPrivate, 0, forever()).askServer(address, 'TXT', NAME)).error
  expect(await errorOf('10.0.0.1', false)).toBe('EPRIVATE')
  expect(await errorOf('10.0.0.1', true)).toBe('EBUDGET')
  expect(await errorOf('192.0.2.1', false)).toBe('EBUDGET')
  expect(await createDns([], false, 60, forever()).resolve('TXT', NAME)).toEqual({ error: 'ECONNREFUSED' })
})

test('asks each resolver in turn until one replies', async () => {
  const silent = await startServer({ udp: cut })
  const replying = await startServer({ udp: query => [reply(query)] })
  const dns = createDns([silent.address, replying.address], false, 60, forever())
  const sockets = () => process.getActiveResourcesInfo().filter(type => type === 'UDPWrap').length
  const before = sockets()
  expect((await dns.resolve('TXT', NAME)).rcode).toBe('NOERROR')
  expect([silent.counts.udp, replying.counts.udp]).toEqual([1, 1])
  expect([before > 0, sockets()]).toEqual([true, before])
})

test('stops waiting for a server that is silent over UDP, whatever the garbage collector does', async () => {
  // Node.js 20 forgets AbortSignal.timeout() in AbortSignal.any() when it collects garbage.
  const { address } = await startServer({ tcp: query => [framed(reply(query))] })
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const collecting = setInterval(collectGarbage, 300)
  onTestFinished(() => clearInterval(collecting))
  const dns = createDns([address], false, 60, forever())
  expect((await dns.resolve('TXT', NAME)).error).toBeUndefined()
})

test('sends at most 60 messages in all, each query once', async () => {
  const { address, counts } = await startServer({ udp: cut, tcp: query => [framed(reply(query))] })
  const dns = createDns([address], false, 60, forever())
  const names = Array.from({ length: 500 }, (_, i) => `${i}.service.example`)
  await Promise.all([dns.resolve('TXT', NAME), dns.resolve('TXT', NAME)])
  expect(counts).toEqual({ udp: 1, tcp: 1 })
  const replies = await Promise.all(names.map(name => dns.resolve('TXT', name)))
  expect(counts.udp + counts.tcp).toBe(60)
  expect(replies.at(-1)).toEqual({ error: 'EBUDGET' })
  expect(await createDns([address], false, 60, AbortSignal.abort()).resolve('TXT', NAME)).toEqual({ error: 'EBUDGET' })
  expect(counts.udp + counts.tcp).toBe(60)
})

test.each<[situation: string, Pick<Behaviour, 'udp' | 'tcp'>]>([
  ['is silent', {}],
  ['sends replies to other queries without an end', { udp: () => Array(500).fill(encodeMessage(0, 0, 'TXT', NAME)) }],
  ['accepts a connection, and is silent', { udp: cut, tcp: () => [] }],
  ['stops in the middle of a message', { udp: cut, tcp: () => [Buffer.of(1, 0, 0)] }]
])('stops after 10 seconds in all, where a server %s', async (_, behaviour) => {
  const { address, counts } = await startServer(behaviour)
  const end = new AbortController()
  const timeouts = vi.spyOn(AbortSignal, 'timeout').mockImplementation(ms => (ms === 10_000 ? end.signal : forever()))
  onTestFinished(() => timeouts.mockRestore())
  const running = runInside(['key', NAME, '--dns-server', address, '--lookup-timeout', '1'])
  await vi.waitUntil(() => counts.tcp > 0 || (behaviour.tcp === undefined && counts.udp > 1), { timeout: 10_000 })
  end.abort()
  expect((await running).stdout).toMatch(/^The receiver must repair its DNS server/)
  expect(timeouts).toHaveBeenCalledWith(10_000)
})

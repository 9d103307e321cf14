import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { decode, encode } from 'dns-packet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createVerifier, dnsTxtLookup } from '../../../src/index.ts'
import { type CountingDnsServer, replyTo, startDnsServer } from '../../../src/testing/dns-server.ts'
import { createTestService, serveDns } from '../../../src/testing/index.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const service = createTestService({ rsaBits: 1024 })
const NAME = 'key1._domainkey.service.example'
const records: Record<string, string[][]> = {
  ...service.records,
  'long.example': [['x'.repeat(2000)]],
  'two.example': [['one'], ['a', 'b']]
}
let dns: CountingDnsServer
let port: number
const resolver = new Resolver({ timeout: 500, tries: 8 })
beforeAll(async () => {
  dns = await startDnsServer(records)
  port = Number(dns.address.split(':')[1])
  // A wrong address fails a test, and skips none.
  resolver.setServers([`127.0.0.1:${port}`])
})
afterAll(() => dns.close())

describe('serveDns', () => {
  test('serves the keys of a service, those of later months too, to a verifier with a real resolver', async () => {
    const server = await serveDns(service)
    expect(server).toEqual({ address: expect.stringMatching(/^127\.0\.0\.1:\d+$/), close: expect.any(Function) })
    const verify = createVerifier({ ...service.options, lookupTxt: dnsTxtLookup({ servers: [server.address] }) })
    expect(await verify(service.sign({ body: '{}' }))).toMatchObject({ status: 'verified' })
    service.rotateKey()
    expect(await verify(service.sign({ body: '{}' }))).toMatchObject({ status: 'verified' })
    await server.close()
    await server.close()
    expect(await verify(service.sign())).toMatchObject({ status: 'unavailable' })
  })

  test('close() ends TCP connections that a client keeps open', async () => {
    const server = await serveDns(service)
    const socket = connect(Number(server.address.split(':')[1]), '127.0.0.1').on('error', () => {})
    await once(socket, 'connect')
    const closed = once(socket.resume(), 'close')
    await server.close()
    await closed
  })

  test('listens on the port that is asked for, and says when it is taken', async () => {
    const first = await serveDns(service)
    const taken = Number(first.address.split(':')[1])
    await expect(serveDns(service, { port: taken })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await first.close()
    const again = await serveDns(service, { port: taken })
    expect(again.address).toBe(first.address)
    await again.close()
  })

  test.each([
    [undefined, {}, 'serveDns() got undefined: it takes the service'],
    [{}, {}, 'serveDns() got an object'],
    [{ records: null }, {}, 'serveDns() got an object'],
    [service, { host: '::' }, 'serveDns() has no option "host"'],
    [service, { port: '5353' }, 'port is a string: pass a port, such as 5353'],
    [service, { port: -1 }, 'port is the number -1'],
    [service, { port: 65_536 }, 'port is the number 65536']
  ])('rejects what is not a service or an option with a TypeError: %#', async (given, options, message) => {
    const serving = serveDns(given as never, options as never)
    await expect(serving).rejects.toThrow(TypeError)
    await expect(serving).rejects.toThrow(message)
  })
})

describe('answers', () => {
  test('answers with every record, and the strings of each', async () => {
    expect(await resolver.resolveTxt('Two.Example')).toEqual([['one'], ['a', 'b']])
  })

  test('splits a string of more than 255 octets, and answers over TCP what does not fit into a datagram', async () => {
    const [strings] = await resolver.resolveTxt('long.example')
    expect(strings!.map(({ length }) => length)).toEqual([255, 255, 255, 255, 255, 255, 255, 215])
  })

  test('distinguishes a name that does not exist from one without TXT records', async () => {
    await expect(resolver.resolveTxt('none.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    await expect(resolver.resolveTxt('__proto__')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    await expect(resolver.resolve4('two.example')).rejects.toMatchObject({ code: 'ENODATA' })
  })

  test('counts what it was asked for', async () => {
    expect(dns.address).toBe(`127.0.0.1:${port}`)
    const before = dns.queries()
    await resolver.resolveTxt('two.example')
    await resolver.resolveTxt(NAME)
    await resolver.resolveTxt('unknown.example').catch(() => {})
    expect(dns.queries()).toBe(before + 3)
    expect(dns.queries(NAME)).toBe(1)
    expect(dns.queries('never.example')).toBe(0)
    // A name without records is not counted: there are any number of them.
    expect(dns.queries('unknown.example')).toBe(0)
  })
})

test('finds a name in any case (RFC 4343), as resolvers write it that choose the case at random', () => {
  const reply = replyTo(query({ questions: [{ type: 'TXT', name: 'TwO.eXample' }] }), records, 512, () => {})
  expect(decode(reply!)).toMatchObject({ rcode: 'NOERROR', answers: [{ name: 'TwO.eXample' }, {}] })
})

const question = { type: 'TXT' as const, name: 'two.example' }
const query = (change: object = {}) => encode({ type: 'query', id: 7, questions: [question], ...change })

function withCounts(questions: number, answers = 0, authorities = 0, additionals = 0): Buffer {
  const message = Buffer.from(query())
  for (const [i, count] of [questions, answers, authorities, additionals].entries()) {
    message.writeUInt16BE(count, 4 + 2 * i)
  }
  return message
}

/** Makes a message whose header announces one question, and these octets after it. */
const questioning = (hex: string): Buffer => Buffer.concat([query().subarray(0, 12), Buffer.from(hex, 'hex')])

const HOSTILE: readonly (readonly [name: string, message: Buffer])[] = [
  ['nothing', Buffer.alloc(0)],
  ['one octet', Buffer.alloc(1)],
  ['half a header', Buffer.alloc(11)],
  ['a header alone that announces 65,535 of everything', Buffer.from(`00070000${'ffff'.repeat(4)}`, 'hex')],
  ['65,535 questions', withCounts(65_535)],
  ['65,535 answers', withCounts(1, 65_535)],
  ['65,535 authorities', withCounts(1, 0, 65_535)],
  ['65,535 additional records', withCounts(1, 0, 0, 65_535)],
  ['two additional records that are not there', withCounts(1, 0, 0, 2)],
  ['no question', withCounts(0)],
  ['a name that points at itself', questioning('c00c00100001')],
  ['a name that points beyond the end', questioning('ffff00100001')],
  ['a label beyond the end', questioning('3f61')],
  ['a label of a reserved kind', questioning('80610000100001')],
  ['a name of 60 labels', query({ questions: [{ type: 'TXT', name: Array(60).fill('a.b').join('.') }] })],
  ['a name with dots and zeros in a label', questioning('032e002e0000100001')],
  ['a response', encode({ type: 'response', id: 7, questions: [question] })],
  ['another opcode', Buffer.from(query().map((octet, i) => (i === 2 ? 0x28 : octet)))],
  ['another class and type', questioning('016100ffff00ff')],
  ['all ones', Buffer.alloc(512, 0xff)],
  ['a datagram of 60,000 octets', Buffer.alloc(60_000, 0x01)]
]

describe('malformed messages', () => {
  async function sendAll(messages: readonly Buffer[]): Promise<void> {
    const socket = createSocket('udp4')
    for (const message of messages) {
      await new Promise(resolve => socket.send(message, port, '127.0.0.1', resolve))
    }
    await resolver.resolveTxt('two.example')
    socket.close()
  }

  test.each(HOSTILE)('survives over UDP: %s', (_, message) => sendAll([message]))

  test.each(HOSTILE)('survives over TCP: %s', async (_, message) => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.on('error', () => {})
    const length = Buffer.alloc(2)
    length.writeUInt16BE(message.length)
    socket.end(Buffer.concat([length, message]))
    socket.resume()
    await once(socket, 'close')
    expect((await resolver.resolveTxt('long.example'))[0]).toHaveLength(8)
  })

  test('takes little processor time: a thousand of each in less than a second', async () => {
    const answerAll = () => {
      for (const [, message] of HOSTILE) {
        for (let i = 0; i < 1000; i++) replyTo(message, records, 512, () => {})
      }
    }
    expect(await cpuTime(answerAll)).toBeLessThan(1000)
  })

  test('a DNS response is never answered, so that two servers cannot answer each other forever', async () => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1')
    await once(socket, 'listening')
    const answers: Buffer[] = []
    socket.on('message', answer => answers.push(answer))
    socket.send(encode({ type: 'response', id: 7, questions: [question] }), port, '127.0.0.1')
    socket.send(query({ id: 8 }), port, '127.0.0.1')
    await once(socket, 'message')
    expect(answers.map(answer => decode(answer).id)).toEqual([8])
    socket.close()
  })
})

test('answers queries over TCP that arrive in pieces and several at once', async () => {
  const socket = connect(port, '127.0.0.1')
  const message = query()
  const framed = Buffer.concat([Buffer.from([0, message.length]), message])
  const received: Buffer[] = []
  socket.on('data', chunk => received.push(chunk))
  socket.write(framed.subarray(0, 1))
  await once(socket, 'connect')
  socket.write(framed.subarray(1, 9))
  socket.write(Buffer.concat([framed.subarray(9), framed, framed]))
  const whole = () => Buffer.concat(received)
  while (whole().length < 2 || whole().length < 3 * (2 + whole().readUInt16BE(0))) await once(socket, 'data')
  expect(decode(whole().subarray(2, 2 + whole().readUInt16BE(0))).answers).toHaveLength(2)
  socket.destroy()
})

test('a TCP connection that announces a message longer than 1,024 octets is closed before it sends any', async () => {
  const announce = async (length: number) => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.resume().write(Buffer.from([length >> 8, length & 0xff]))
    return socket
  }
  const [longest, tooLong] = [await announce(1024), await announce(1025)]
  await once(tooLong, 'close')
  // The server has read both: the message of the first one is still expected.
  const padding = { type: 'OPT', name: '.', udpPayloadSize: 1232, extendedRcode: 0, ednsVersion: 0, flags: 0 } as const
  const withPadding = (length: number) =>
    query({ additionals: [{ ...padding, flag_do: false, options: [{ code: 12, length }] }] as never })
  const answered = once(longest, 'data')
  longest.write(withPadding(1024 - withPadding(0).length))
  const [data] = (await answered) as [Buffer]
  expect(decode(data.subarray(2)).answers).toHaveLength(2)
  longest.destroy()
})

/** Calls a function with each UDP socket that is made while a server starts. */
async function startWith<T>(onSocket: (udp: UdpSocket) => void, start: () => Promise<T>): Promise<T> {
  const listener = (message: unknown) => onSocket((message as { socket: UdpSocket }).socket)
  subscribe('udp.socket', listener)
  try {
    return await start()
  } finally {
    unsubscribe('udp.socket', listener)
  }
}

test('neither a datagram from port 0 nor an error of its socket stops a server', async () => {
  let udp: UdpSocket | undefined
  const server = await startWith(
    socket => {
      udp = socket
    },
    () => startDnsServer(records)
  )
  const sender = { address: '127.0.0.1', family: 'IPv4', port: 0, size: 0 } as const
  expect(udp!.emit('message', query(), sender)).toBe(true)
  expect(udp!.emit('error', new Error('any'))).toBe(true)
  expect(server.queries()).toBe(1)
  await server.close()
})

test('a free port is free for UDP and TCP', async () => {
  // Another program may have the port already: it is taken all the same.
  const taker = createServer().on('error', () => {})
  const taken: number[] = []
  const server = await startWith(
    udp =>
      udp.once('listening', () => {
        taken.push(udp.address().port)
        if (taken.length === 1) taker.listen(taken[0])
      }),
    () => startDnsServer(records)
  )
  // Yet another program may have had the second one.
  expect(taken.length).toBeGreaterThanOrEqual(2)
  expect(taken.at(-1)).toBe(Number(server.address.split(':')[1]))
  taker.close()
  await server.close()
})

test('an address that this machine does not have is an error', async () => {
  await expect(startDnsServer(records, '192.0.2.1')).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' })
})

test('serves on the IPv6 loopback address', async () => {
  const server = await startDnsServer(records, '::1')
  const other = new Resolver()
  other.setServers([server.address])
  expect(await other.resolveTxt('two.example')).toHaveLength(2)
  await server.close()
})

test.each([
  ['is sent whole over TCP', 65_535, { answers: 241, truncated: false }],
  ['is truncated when it is longer, because its length has two octets', 65_536, { answers: 0, truncated: true }]
])('an answer of 65,535 octets %s', async (_, length, expected) => {
  const name = 'huge.example'
  const lengthOf = (texts: string[][]) =>
    replyTo(query({ questions: [{ type: 'TXT', name }] }), { [name]: texts }, Number.POSITIVE_INFINITY, () => {})!
      .length
  const texts = Array.from({ length: 240 }, () => ['x'.repeat(240)])
  const rest = length - lengthOf([...texts, ['']])
  const strings = [...'x'.repeat(rest).match(/.{1,255}/g)!]
  // Each string after the first is preceded by an octet of length.
  strings[strings.length - 1] = strings.at(-1)!.slice(strings.length - 1)
  const server = await startDnsServer({ [name]: [...texts, strings] })
  const socket = connect(Number(server.address.split(':')[1]), '127.0.0.1')
  const message = query({ questions: [{ type: 'TXT', name }] })
  socket.end(Buffer.concat([Buffer.of(0, message.length), message]))
  const received = Buffer.concat(await socket.toArray())
  await server.close()
  expect(received.readUInt16BE(0)).toBe(received.length - 2)
  const { answers, flag_tc } = decode(received.subarray(2)) as ReturnType<typeof decode> & { flag_tc: boolean }
  expect({ answers: answers?.length, truncated: flag_tc }).toEqual(expected)
  if (!expected.truncated) expect(received.length - 2).toBe(length)
})

test('a message is answered up to 1,024 octets, and a part of a head is not', async () => {
  const padded = (length: number) => {
    const option = { code: 12, length: 0, data: Buffer.alloc(length) }
    const edns = { type: 'OPT', name: '.', udpPayloadSize: 1232, flags: 0, options: [option] }
    return query({ additionals: [edns as never] })
  }
  const rest = 1024 - padded(0).length
  const reply = (message: Buffer) => replyTo(message, records, 65_535, () => {})
  expect([padded(rest).length, padded(rest + 1).length]).toEqual([1024, 1025])
  expect(decode(reply(padded(rest))!).answers).toHaveLength(2)
  expect(reply(padded(rest + 1))).toBeUndefined()
  expect(reply(query().subarray(0, 11))).toBeUndefined()
  const socket = connect(port, '127.0.0.1')
  socket.end(Buffer.concat([Buffer.of(4, 0), padded(rest)]))
  const overTcp = Buffer.concat(await socket.toArray())
  expect(decode(overTcp.subarray(2)).answers).toHaveLength(2)
})

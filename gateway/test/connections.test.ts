import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeCertificate } from '../../test/support/https.ts'
import { listen } from '../../test/support/listen.ts'
import { until } from '../../test/support/until.ts'
import { authorityOf } from '../src/addresses.ts'
import { trackConnections, type Waits } from '../src/connections.ts'
import { open, receivedOn } from './for-one-test.ts'

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

type Answer = (req: IncomingMessage, res: ServerResponse, waits: Waits) => void

/** Starts a server that tracks its connections, and opens one on which this was sent. */
async function start(sent: string, answer: Answer = () => {}, maxConnections = 1000) {
  const runs: Promise<void>[] = []
  const server = createServer((req, res) => {
    runs.push(connections.run(res, async waits => answer(req, res, waits)))
  })
  const connections = trackConnections(server, false, maxConnections)
  const socket = open(`127.0.0.1:${await listen(server)}`, Buffer.from(sent))
  return { server, connections, socket, runs }
}

test('an answer that has ended, but was not read yet, is sent to its end', async () => {
  const { server, connections, socket } = await start(REQUEST, (_, res) => res.end(Buffer.alloc(20_000_000)))
  await once(server, 'request')
  connections.drain()
  expect((await receivedOn(socket)).length).toBeGreaterThan(20_000_000)
  expect(server.listening).toBe(false)
})

test('a connection without a request is closed at once, and one with half a head too', async () => {
  const { connections, socket, server } = await start('GET / HTTP/1.1\r\n')
  const [other] = await once(server, 'connection')
  if (other.readyState !== 'open') await once(other, 'ready')
  socket.resume()
  connections.drain()
  if (!socket.closed) await once(socket, 'close')
})

test('all pipelined requests are answered, and then the connection is closed', async () => {
  let finish: (() => void) | undefined
  let served = 0
  const { connections, runs, socket } = await start(REQUEST + REQUEST, (_, res) => {
    served += 1
    if (finish === undefined) finish = () => res.end('done')
    else res.end('done')
  })
  await until(() => runs.length === 2)
  // The server answers one after the other: the second waits for the first.
  expect(served).toBe(1)
  connections.drain()
  finish?.()
  expect((await receivedOn(socket)).match(/done/g)).toHaveLength(2)
})

test.each([1, 2])('a connection whose answer has begun is closed when it drains, after %d answers', async count => {
  const answers: ServerResponse[] = []
  const { server, connections, socket } = await start(REQUEST, (_, res) => {
    answers.push(res)
    res.write('a')
  })
  server.keepAliveTimeout = 0
  const received = receivedOn(socket)
  await once(server, 'request')
  connections.drain()
  for (let behind = 1; behind < count; behind++) {
    socket.write(REQUEST)
    await once(server, 'request')
  }
  for (let at = 0; at < count; at++) {
    await until(() => answers.length > at)
    answers[at]!.end()
  }
  const expected = ['keep-alive', 'close'].slice(0, count)
  expect([...(await received).matchAll(/^Connection: (.*)$/gm)].map(([, value]) => value?.trim())).toEqual(expected)
})

test.each([
  ['::1', '[::1]:80'],
  ['[::1]', '[::1]:80'],
  ['localhost', 'localhost:80']
])('the address of %s is written as %s', (host, expected) => expect(authorityOf(host, 80)).toBe(expected))

test('requests that wait for their turn are over when their connection is', async () => {
  let served = 0
  const { socket, runs } = await start(REQUEST.repeat(5), () => {
    served += 1
  })
  await until(() => runs.length === 5)
  socket.destroy()
  await Promise.all(runs)
  expect(served).toBe(1)
})

test('a request behind one that Node.js refuses itself is not served, and is over', async () => {
  const served: (string | undefined)[] = []
  const { runs, socket } = await start(`GET / HTTP/1.1\r\n\r\n${REQUEST}`, ({ url }, res) => {
    served.push(url)
    res.end()
  })
  expect(await receivedOn(socket)).toMatch(/^HTTP\/1\.1 400 /)
  await Promise.all(runs)
  expect(runs).toHaveLength(1)
  expect(served).toEqual([])
})

test('a request behind one that Node.js answers itself is served in its turn', async () => {
  const unexpected = REQUEST.replace('\r\n\r\n', '\r\nExpect: nothing\r\n\r\n')
  const { socket } = await start(unexpected + REQUEST, (_, res) => {
    res.shouldKeepAlive = false
    res.end('done')
  })
  expect(await receivedOn(socket)).toMatch(/^HTTP\/1\.1 417 .*HTTP\/1\.1 200 .*done/s)
})

test('drain() leaves answers that are in progress, and destroy() ends them', async () => {
  const { connections, socket, server } = await start(REQUEST)
  await once(server, 'request')
  connections.drain()
  await new Promise(setImmediate)
  expect(socket.closed).toBe(false)
  connections.destroy()
  if (!socket.closed) await once(socket, 'close')
})

test('a connection that pipelines endlessly is destroyed, and only a bounded part of it is read', async () => {
  const { socket, runs } = await start(REQUEST.repeat(100_000))
  await receivedOn(socket)
  // Requests in the same chunk of 64 KiB are handed over, too.
  expect(runs.length).toBeLessThan(5000)
})

test('ten requests may be in progress on one connection, and an eleventh closes it', async () => {
  const { server, socket, runs } = await start(REQUEST.repeat(10))
  const [accepted] = await once(server, 'connection')
  await until(() => runs.length === 10)
  expect(accepted.destroyed).toBe(false)
  socket.write(REQUEST)
  await until(() => runs.length === 11)
  expect(accepted.destroyed).toBe(true)
})

test('a pipelined request closes its connection when as many are in progress as connections are allowed', async () => {
  const { server, socket, runs } = await start(REQUEST.repeat(2), () => {}, 4)
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const [first] = await once(server, 'connection')
  await until(() => runs.length === 2)
  const other = open(address, Buffer.from(REQUEST.repeat(2)))
  const [second] = await once(server, 'connection')
  await until(() => runs.length === 4)
  const alone = open(address, Buffer.from(REQUEST))
  const [third] = await once(server, 'connection')
  await until(() => runs.length === 5)
  // The first request of a connection is not a pipelined one.
  expect([first, second, third].map(({ destroyed }) => destroyed)).toEqual([false, false, false])
  alone.destroy()
  await until(() => third.closed)
  other.write(REQUEST)
  await until(() => runs.length === 6)
  expect([first, second].map(({ destroyed }) => destroyed)).toEqual([false, true])
  // Closed connections no longer count.
  await until(() => second.closed)
  socket.write(REQUEST.repeat(2))
  await until(() => runs.length === 8)
  expect(first.destroyed).toBe(false)
})

describe('when all connections are taken, a new one', () => {
  const HALF = 'GET / HTTP/1.1\r\n'
  const REFUSED = 'GET /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n'

  /** Opens three connections, the limit, on which this was sent, and which the server has seen. */
  async function startFull(...sent: readonly string[]) {
    let ended = 0
    const answer: Answer = (req, res, waits) => {
      if (req.url === '/') res.end('done')
      if (req.url !== '/refused') return
      waits.forAnswer()
      req.resume().on('end', () => {
        ended += 1
      })
    }
    const started = await start(sent[0]!, answer, 3)
    const address = `127.0.0.1:${(started.server.address() as AddressInfo).port}`
    const others = sent.slice(1).map(octets => open(address, Buffer.from(octets)))
    const sockets = [started.socket, ...others]
    const requests = sent.filter(octets => octets.endsWith('\r\n\r\n')).length
    await until(async () => started.runs.length === requests && (await countOf(started.server)) === 3)
    return { address, sockets, ended: () => ended, count: () => countOf(started.server) }
  }
  const countOf = (server: Server) =>
    new Promise<number>((resolve, reject) =>
      server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
    )
  /** Answers on one more connection; returns which of these were closed. */
  async function closedBy(address: string, sockets: readonly Socket[]): Promise<boolean[]> {
    const closed = sockets.map(() => false)
    for (const [i, socket] of sockets.entries()) socket.resume().on('close', () => (closed[i] = true))
    await receivedOn(open(address, Buffer.from('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')))
    await new Promise(setImmediate)
    return closed
  }

  test('replaces one that has not sent a whole head', async () => {
    const running = REQUEST.replace('/', '/waits')
    const { address, sockets } = await startFull(running, HALF, '')
    expect((await closedBy(address, sockets)).filter(Boolean)).toHaveLength(1)
    expect(sockets[0]!.closed).toBe(false)
  })

  test('replaces the one that is idle longest, when each has sent a head', async () => {
    const running = REQUEST.replace('/', '/waits')
    const { address, sockets } = await startFull(running, REQUEST, REQUEST)
    expect(await closedBy(address, sockets)).toEqual([false, true, false])
  })

  test('replaces an idle one where most are idle, and none whose head is on its way', async () => {
    const { address, sockets } = await startFull(REQUEST, REQUEST, REQUEST)
    const half = open(address, Buffer.from(HALF))
    await until(() => sockets[0]!.resume().closed)
    expect(await closedBy(address, [...sockets.slice(1), half])).toEqual([true, false, false])
  })

  test('replaces none, when the sender of another has closed its own', async () => {
    const { address, sockets, count } = await startFull(REQUEST, REQUEST, '')
    sockets[2]!.destroy()
    await until(async () => (await count()) === 2)
    expect(await closedBy(address, sockets.slice(0, 2))).toEqual([false, false])
  })

  test('replaces the oldest that was not verified while its body is on its way', async () => {
    const { address, sockets } = await startFull(REQUEST.replace('/', '/waits'), REFUSED, REFUSED)
    expect(await closedBy(address, sockets)).toEqual([false, true, false])
  })

  test('replaces the oldest that was not verified and has no answer yet, whether its body is whole or not', async () => {
    const withoutBody = REFUSED.replace('Content-Length: 3\r\n', '')
    const { address, sockets, ended } = await startFull(withoutBody, REFUSED, withoutBody)
    sockets[1]!.write('abc')
    await until(() => ended() === 3)
    expect(await closedBy(address, sockets)).toEqual([true, false, false])
  })

  test('when all connections are taken, a new one is closed, when each has a request in progress', async () => {
    const running = REQUEST.replace('/', '/waits')
    const { address, sockets } = await startFull(running, running, running)
    expect(await closedBy(address, sockets)).toEqual([false, false, false])
  })
})

test('senders that have reset their connections before these are accepted leave no room for more', async () => {
  const { server, socket } = await start('', () => {}, 3)
  await once(server, 'connection')
  const accepted: Socket[] = []
  server.on('connection', (socket: Socket) => accepted.push(socket))
  const { port } = server.address() as AddressInfo
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 3; i++) {
      connect(port, '127.0.0.1')
        .on('error', () => {})
        .resetAndDestroy()
    }
    open(`127.0.0.1:${port}`, Buffer.of())
    await until(() => accepted.length >= 4 * (round + 1))
  }
  socket.destroy()
  await until(() => accepted.filter(({ closed }) => !closed).length <= 3)
  for (let i = 0; i < 20; i++) {
    open(`127.0.0.1:${port}`, Buffer.of())
    await once(server, 'connection')
  }
  await until(() => accepted.every(({ destroyed, closed }) => destroyed === closed))
  expect(accepted.filter(({ closed }) => !closed)).toHaveLength(3)
})

test('a slow sender of another address passes, however many silent connections are opened from one', async () => {
  const { server, socket } = await start('', (_, res) => res.end('done'), 20)
  const { port } = server.address() as AddressInfo
  const address = `127.0.0.1:${port}`
  await once(server, 'connection')
  for (let round = 0; round < 20; round++) {
    const slow = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' })
    onTestFinished(() => void slow.on('error', () => {}).destroy())
    slow.write('GET / HTTP/1.1\r\nHost: a\r\n')
    await once(server, 'connection')
    for (let i = 0; i < 50; i++) {
      open(address, Buffer.of())
      await once(server, 'connection')
    }
    const answer = receivedOn(slow)
    slow.write('Connection: close\r\n\r\n')
    expect(await answer).toContain('done')
  }
  socket.destroy()
})

test('with TLS, a new connection replaces a silent one, and none whose request is in progress', async () => {
  const { key, cert } = await makeCertificate('receiver.example')
  let waiting = 0
  const server = createHttpsServer({ key, cert }, (req, res) => {
    connections.run(res, async () => {
      if (req.url === '/') res.end('done')
      else waiting += 1
    })
  })
  const connections = trackConnections(server, true, 2)
  const port = await listen(server)
  const overTls = (octets: string) => {
    const socket = connectTls({ port, host: '127.0.0.1', servername: 'receiver.example', ca: cert })
    onTestFinished(() => void socket.on('error', () => {}).destroy())
    socket.write(octets)
    return socket
  }
  const running = overTls(REQUEST.replace('/', '/waits'))
  await until(() => waiting === 1)
  for (const silent of ['before its handshake', 'after it']) {
    const [[accepted]] = await Promise.all([
      once(server, silent === 'after it' ? 'secureConnection' : 'connection'),
      silent === 'after it' ? overTls('') : open(`127.0.0.1:${port}`, Buffer.of())
    ])
    expect(await receivedOn(overTls(REQUEST.replace('a\r\n', 'a\r\nConnection: close\r\n')))).toContain('done')
    expect([silent, accepted.destroyed, running.destroyed]).toEqual([silent, true, false])
  }
})

test('a connection that its sender has closed while a request was in progress no longer counts', async () => {
  const { server, socket, runs } = await start(REQUEST, () => {}, 2)
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const [first] = await once(server, 'connection')
  await until(() => runs.length === 1)
  socket.destroy()
  await until(() => first.closed)
  const accepted: Socket[] = []
  server.on('connection', (socket: Socket) => accepted.push(socket))
  for (const count of [2, 3]) {
    open(address, Buffer.from(REQUEST))
    await until(() => runs.length === count)
  }
  expect(accepted.map(({ destroyed }) => destroyed)).toEqual([false, false])
})

import { once } from 'node:events'
import { createServer as createHttpServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { exchangeBytes, send, statusesOf, wire } from '../../test/support/wire.ts'
import { createUpstream } from '../src/forward.ts'
import { logText } from '../src/log.ts'
import { startApplication, startTestGateway } from './start.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

/** An upstream that reads a whole head and then does what it is told, once for each connection. */
async function startRaw(answer: (socket: Socket, count: number) => void): Promise<URL> {
  let count = 0
  const sockets = new Set<Socket>()
  const server: Server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    let text = ''
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
      if (!text.includes('\r\n\r\n')) return
      text = ''
      count += 1
      answer(socket, count)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  undo.push(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise(resolve => server.close(resolve))
  })
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

async function start(upstream: URL, settings: Parameters<typeof startTestGateway>[1] = {}) {
  const gateway = await startTestGateway(upstream, settings)
  undo.push(gateway.close)
  return gateway
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n'

describe('when the upstream fails, the claim is released and a retry accepted', () => {
  test.each([
    ['closes without an answer', 502, 'broken-off', (socket: Socket) => socket.destroy()],
    ['resets', 502, 'broken-off', (socket: Socket) => socket.resetAndDestroy()],
    ['answers what is not HTTP', 502, 'broken-off', (socket: Socket) => socket.end('hello\r\n\r\n')],
    [
      'switches protocols',
      502,
      'broken-off',
      (socket: Socket) => socket.write('HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n')
    ],
    ['has a status that does not exist', 502, 'broken-off', (socket: Socket) => socket.write(OK.replace('200', '042'))],
    ['does not answer', 504, 'timed-out', () => {}],
    ['never ends its head', 504, 'timed-out', (socket: Socket) => socket.write(OK.slice(0, -2))],
    ['answers 500', 500, 'answered', (socket: Socket) => socket.end(`${OK.replace('200 OK', '500 X')}done`)],
    ['answers 503', 503, 'answered', (socket: Socket) => socket.end(`${OK.replace('200 OK', '503 X')}done`)]
  ] as const)('that %s: %d', async (_, status, upstream, fail) => {
    const url = await startRaw((socket, count) => (count === 1 ? fail(socket) : socket.end(`${OK}done`)))
    const { service, address, over } = await start(url, { upstreamTimeout: status === 504 ? 1000 : 30_000 })
    const signed = service.sign({ target: '/hook', body: 'x' })
    expect(statusesOf(await send(address, signed))).toEqual([status])
    expect(await over(1)).toMatchObject([{ status, upstream, verdict: { status: 'verified' } }])
    expect(statusesOf(await send(address, signed))).toEqual([200])
    expect(statusesOf(await send(address, signed))).toEqual([401])
  })

  test('that refuses connections: 502', async () => {
    const application = await startApplication()
    await application.close()
    const { service, address, over } = await start(application.url)
    const signed = service.sign({ target: '/hook' })
    expect(statusesOf(await send(address, signed))).toEqual([502])
    expect(statusesOf(await send(address, signed))).toEqual([502])
    const upstreamError = `${application.url.host} ECONNREFUSED`
    const result = { upstream: 'unreachable', upstreamError }
    const [exchange] = await over(2)
    expect(await over(2)).toMatchObject([result, result])
    expect(logText(exchange!, 'text')).toMatch(`unreachable (${upstreamError})`)
    expect(JSON.parse(logText(exchange!, 'json'))).toMatchObject(result)
  })

  test.each([
    ['with Content-Length', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345'],
    ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n']
  ])('that breaks off its answer, %s: the connection of the sender is broken off too', async (_, part) => {
    const url = await startRaw((socket, count) => socket.end(count === 1 ? part : `${OK}done`))
    const { service, address, over } = await start(url)
    const signed = service.sign({ target: '/hook' })
    expect(await send(address, signed)).not.toMatch(/\r\n0\r\n\r\n$|1234567890/)
    expect(await over(1)).toMatchObject([{ status: 200, upstream: 'broken-off' }])
    expect(statusesOf(await send(address, signed))).toEqual([200])
  })

  test('that stops during its answer: aborted after the timeout', async () => {
    const url = await startRaw((socket, count) => socket.write(count === 1 ? `${OK}d` : `${OK}done`))
    const { service, address, over } = await start(url, { upstreamTimeout: 1000 })
    const signed = service.sign({ target: '/hook' })
    await send(address, signed)
    expect(await over(1)).toMatchObject([{ upstream: 'timed-out' }])
    expect(statusesOf(await send(address, signed))).toEqual([200])
  })

  test('a sender of HTTP/1.0 sees a reset, and not a complete answer', async () => {
    const url = await startRaw(socket =>
      socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n')
    )
    const { service, address } = await start(url)
    const socket = connect(Number(new URL(`http://${address}`).port), '127.0.0.1')
    const bytes = wire(service.sign({ target: '/hook' })).toString('latin1')
    socket.write(bytes.replace('HTTP/1.1', 'HTTP/1.0'), 'latin1')
    socket.resume()
    const [error] = await once(socket, 'error')
    expect(error.code).toBe('ECONNRESET')
  })

  test('the claim is free before an answer of 5xx reaches the sender', async () => {
    const url = await startRaw((socket, count) => {
      // The head of the answer alone: the sender may act on it at once.
      if (count === 1) socket.write('HTTP/1.1 500 X\r\nContent-Length: 10\r\n\r\n')
      else socket.end(`${OK}done`)
    })
    // The first answer never ends, and the gateway would wait for it.
    const { service, address } = await start(url, { drain: 0 })
    const signed = service.sign({ target: '/hook' })
    expect(await exchangeBytes(address, wire(signed), /HTTP\/1\.1 500/)).toMatch(/^HTTP\/1\.1 500/)
    expect(statusesOf(await send(address, signed))).toEqual([200])
  })
})

describe('when the upstream has answered, the claim stays', () => {
  test.each([200, 204, 302, 400, 401, 404, 409, 429])('%d', async status => {
    const application = await startApplication(res => res.writeHead(status).end())
    undo.push(application.close)
    const { service, address } = await start(application.url)
    const signed = service.sign({ target: '/hook' })
    expect(statusesOf(await send(address, signed))).toEqual([status])
    expect(statusesOf(await send(address, signed))).toEqual([401])
    expect(application.seen).toHaveLength(1)
  })

  test('also when the sender disconnected meanwhile: the upstream goes on', async () => {
    let finish = () => {}
    const application = await startApplication(res => {
      finish = () => res.end('done')
      res.once('close', () => closed.push(res.writableFinished))
    })
    const closed: boolean[] = []
    undo.push(application.close)
    const { service, address, over } = await start(application.url)
    const signed = service.sign({ target: '/hook' })
    const socket = connect(Number(new URL(`http://${address}`).port), '127.0.0.1')
    socket.write(wire(signed))
    while (application.seen.length === 0) await new Promise(setImmediate)
    socket.resetAndDestroy()
    await once(socket, 'close')
    // An answer to somebody else: the gateway has seen the reset by then.
    await exchangeBytes(address, Buffer.from('GET / HTTP/1.1\r\nHost: receiver.example\r\n\r\n'))
    finish()
    expect((await over(2))[1]).toMatchObject({ status: 0, upstream: 'answered' })
    expect(closed).toEqual([true])
    expect(statusesOf(await send(address, signed))).toEqual([401])
  })
})

test('passes on status, headers and a streamed body, and no reason phrase', async () => {
  let go = () => {}
  const application = await startApplication(res => {
    res.writeHead(
      201,
      'Very Fine',
      [
        ['X-one', '1'],
        ['Set-Cookie', 'a'],
        ['Set-Cookie', 'b'],
        ['Connection', 'close']
      ].flat()
    )
    res.write('first')
    go = () => res.end('second')
  })
  undo.push(application.close)
  const { service, address } = await start(application.url)
  const socket = connect(Number(new URL(`http://${address}`).port), '127.0.0.1')
  socket.write(wire(service.sign({ target: '/hook' }), [['Connection', 'close']]))
  let answer = ''
  socket.on('data', chunk => {
    answer += chunk
    // The first part has arrived before the application writes the second.
    if (answer.includes('first') && !answer.includes('second')) go()
  })
  await once(socket, 'close')
  expect(answer).toMatch(/^HTTP\/1\.1 201 Created\r\nX-one: 1\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nDate: /)
  expect(answer).toMatch(/\r\n5\r\nfirst\r\n6\r\nsecond\r\n0\r\n\r\n$/)
})

test('a sender that does not read its answer is disconnected, and the claim stays', async () => {
  const application = await startApplication(res => res.end(Buffer.alloc(40_000_000)))
  undo.push(application.close)
  const { service, address, over } = await start(application.url, { upstreamTimeout: 1500 })
  const signed = service.sign({ target: '/hook' })
  const socket = connect(Number(new URL(`http://${address}`).port), '127.0.0.1')
  undo.push(() => socket.destroy())
  socket.write(wire(signed))
  expect(await over(1)).toMatchObject([{ upstream: 'answered', status: 200 }])
  expect(statusesOf(await send(address, signed))).toEqual([401])
})

test.each(['HEAD', 'GET', 'DELETE', 'OPTIONS', 'PATCH'])('forwards %s without a body', async method => {
  const application = await startApplication(res => res.end(method === 'HEAD' ? '' : 'done'))
  undo.push(application.close)
  const { service, address } = await start(application.url)
  const signed = service.sign({ method, target: '/hook' })
  expect(statusesOf(await send(address, signed))).toEqual([200])
  expect(application.seen).toMatchObject([{ method, body: Buffer.alloc(0) }])
  expect(application.seen[0]!.headers['content-length'] ?? '0').toBe('0')
})

test.each([200, 500])('a head of %d that Node.js does not send is a 502, and rejects nothing', async status => {
  const url = await startRaw(socket => socket.end(`${OK.replace('200', `${status}`)}done`))
  const upstream = createUpstream(url, 1000)
  const server = createHttpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  undo.push(upstream.destroy, () => new Promise(resolve => server.close(resolve)))
  const { port } = server.address() as AddressInfo
  const answer = exchangeBytes(`127.0.0.1:${port}`, Buffer.from('GET / HTTP/1.0\r\n\r\n'))
  const [, res] = (await once(server, 'request')) as [unknown, ServerResponse]
  const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => ServerResponse
  res.writeHead = (...args: unknown[]) => {
    if (args[0] === status) throw new TypeError('ERR_INVALID_CHAR')
    return writeHead(...args)
  }
  let released = 0
  const release = async () => {
    released += 1
  }
  const outgoing = { method: 'GET', path: '/', headers: [['Host', 'a']], body: new Uint8Array() } as const
  expect(await upstream.forward(outgoing, res, release)).toMatchObject({ upstream: 'broken-off' })
  expect(statusesOf(await answer)).toEqual([502])
  expect(released).toBe(1)
})

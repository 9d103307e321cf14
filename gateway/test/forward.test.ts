import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeCertificate, open as openTls } from '../../test/support/https.ts'
import { listen } from '../../test/support/listen.ts'
import { service } from '../../test/support/service.ts'
import { until } from '../../test/support/until.ts'
import { exchangeBytes, send, statusesOf, wire } from '../../test/support/wire.ts'
import { createUpstream } from '../src/forward.ts'
import { logText } from '../src/log.ts'
import { countTimers, open, start, startInFront, startRaw } from './for-one-test.ts'
import { startApplication } from './start.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n'
const SWITCHING = 'HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'
const PART = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345'
const PART_IN_CHUNKS = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n'

function sendInterimAnswers(socket: Socket): void {
  const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 100)
  socket.on('close', () => clearInterval(timer))
}

describe('when the upstream fails, the claim is released and a retry accepted', () => {
  test.each<[string, number, string, (socket: Socket) => unknown]>([
    ['closes without an answer', 502, 'broken-off', socket => socket.destroy()],
    ['resets', 502, 'broken-off', socket => socket.resetAndDestroy()],
    ['answers what is not HTTP', 502, 'broken-off', socket => socket.end('hello\r\n\r\n')],
    ['switches protocols', 502, 'broken-off', socket => socket.write(SWITCHING)],
    ['has a status that does not exist', 502, 'broken-off', socket => socket.write(OK.replace('200', '042'))],
    ['does not answer', 504, 'timed-out', () => {}],
    ['never gets beyond interim answers', 504, 'timed-out', sendInterimAnswers],
    ['never ends its head', 504, 'timed-out', socket => socket.write(OK.slice(0, -2))],
    ['answers 500', 500, 'answered', socket => socket.end(`${OK.replace('200 OK', '500 X')}done`)],
    ['answers 503', 503, 'answered', socket => socket.end(`${OK.replace('200 OK', '503 X')}done`)],
    // The gateway cuts the sender's connection, too.
    ['breaks off its answer, with Content-Length', 200, 'broken-off', socket => socket.end(PART)],
    ['breaks off its answer, in chunks', 200, 'broken-off', socket => socket.end(PART_IN_CHUNKS)],
    ['stops during its answer', 200, 'timed-out', socket => socket.write(PART)]
  ])('the claim is released and a retry accepted when the upstream %s: %d', async (_, status, upstream, fail) => {
    const url = await startRaw((socket, count) => (count === 1 ? fail(socket) : socket.end(`${OK}done`)))
    const upstreamTimeout = upstream === 'timed-out' ? 1000 : 30_000
    const { address, over, statuses } = await startInFront(url, { upstreamTimeout })
    const signed = service.sign({ target: '/hook', body: 'x' })
    const answer = await send(address, signed)
    expect(statusesOf(answer)).toEqual([status])
    expect(answer).not.toMatch(/\r\n0\r\n\r\n$|1234567890/)
    expect(await over(1)).toMatchObject([{ status, upstream, verdict: { status: 'verified' } }])
    expect(await statuses(signed)).toEqual([200])
    expect(await statuses(signed)).toEqual([401])
  })

  test('the claim is released and a retry accepted when the upstream refuses connections: 502', async () => {
    const application = await startApplication()
    await application.close()
    const { over, statuses } = await startInFront(application.url)
    const signed = service.sign({ target: '/hook' })
    expect([await statuses(signed), await statuses(signed)]).toEqual([[502], [502]])
    const upstreamError = `${application.url.host} ECONNREFUSED`
    const result = { upstream: 'unreachable', upstreamError }
    const exchanges = await over(2)
    expect(exchanges).toMatchObject([result, result])
    expect(logText(exchanges[0]!, 'text')).toMatch(`unreachable (${upstreamError})`)
    expect(JSON.parse(logText(exchanges[0]!, 'json'))).toMatchObject(result)
  })

  test('a sender of HTTP/1.0 sees a reset, and not a complete answer', async () => {
    const { address } = await startInFront(await startRaw(socket => socket.end(PART_IN_CHUNKS)))
    const bytes = wire(service.sign({ target: '/hook' })).toString('latin1')
    const socket = open(address, Buffer.from(bytes.replace('HTTP/1.1', 'HTTP/1.0'), 'latin1')).resume()
    const [error] = await once(socket, 'error')
    expect(error.code).toBe('ECONNRESET')
  })

  test('a sender over TLS sees a reset, too', async () => {
    const tls = await makeCertificate('receiver.example')
    const { address, over } = await startInFront(await startRaw(socket => socket.end(PART)), { tls, https: undefined })
    const to = { host: 'receiver.example', port: Number(address.split(':')[1]), cert: tls.cert }
    const request = openTls(service.sign({ target: '/hook' }), to).end()
    const [answer] = await once(request, 'response')
    await expect(buffer(answer)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(await over(1)).toMatchObject([{ status: 200, upstream: 'broken-off' }])
  })

  test('the log has no status for a sender that disconnected before the upstream failed', async () => {
    const asked: Socket[] = []
    const { address, over } = await startInFront(await startRaw(socket => asked.push(socket)))
    const socket = open(address, wire(service.sign({ target: '/hook' })))
    await until(() => asked.length)
    socket.resetAndDestroy()
    await once(socket, 'close')
    // This answer is for another sender: the gateway has seen the reset by then.
    await exchangeBytes(address, Buffer.from('GET / HTTP/1.1\r\nHost: receiver.example\r\nConnection: close\r\n\r\n'))
    asked[0]!.destroy()
    expect((await over(2))[1]).toMatchObject({ status: 0, upstream: 'broken-off' })
  })

  test('the claim is free before an answer of 5xx reaches the sender', async () => {
    const url = await startRaw((socket, count) => {
      // Only the head of the answer has arrived: the sender may act on it at once.
      if (count === 1) socket.write('HTTP/1.1 500 X\r\nContent-Length: 10\r\n\r\n')
      else socket.end(`${OK}done`)
    })
    // The first answer never ends, and the gateway would wait for it.
    const { address, statuses } = await startInFront(url, { drain: 0 })
    const signed = service.sign({ target: '/hook' })
    expect(await exchangeBytes(address, wire(signed), /HTTP\/1\.1 500/)).toMatch(/^HTTP\/1\.1 500/)
    expect(await statuses(signed)).toEqual([200])
  })
})

describe('when the upstream has answered, the claim stays', () => {
  test.each([200, 204, 302, 400, 401, 404, 409, 429])('the claim stays when the upstream answers %d', async status => {
    const { statuses, seen } = await start({}, res => res.writeHead(status).end())
    const signed = service.sign({ target: '/hook' })
    expect(await statuses(signed)).toEqual([status])
    expect(await statuses(signed)).toEqual([401])
    expect(seen).toHaveLength(1)
  })

  test('the claim stays when the upstream goes on although the sender disconnected', async () => {
    let finish = () => {}
    const closed: boolean[] = []
    const { address, malformed, over, statuses, seen } = await start({}, res => {
      finish = () => res.end('done')
      res.once('close', () => closed.push(res.writableFinished))
    })
    const signed = service.sign({ target: '/hook' })
    const socket = open(address, wire(signed))
    await until(() => seen.length)
    socket.resetAndDestroy()
    await once(socket, 'close')
    // This answer is for another sender: the gateway has seen the reset by then.
    await exchangeBytes(address, Buffer.from('GET / HTTP/1.1\r\nHost: receiver.example\r\nConnection: close\r\n\r\n'))
    finish()
    expect((await over(2))[1]).toMatchObject({ status: 0, upstream: 'answered' })
    expect([closed, malformed]).toEqual([[true], []])
    expect(await statuses(signed)).toEqual([401])
  })

  test('the claim stays when the sender does not read the answer, and is disconnected', async () => {
    const { address, over, statuses } = await start({ upstreamTimeout: 1500 }, res => res.end(Buffer.alloc(40_000_000)))
    const signed = service.sign({ target: '/hook' })
    open(address, wire(signed))
    expect(await over(1)).toMatchObject([{ upstream: 'answered', status: 200 }])
    expect(await statuses(signed)).toEqual([401])
  })
})

test('passes on status, headers and a streamed body, and no reason phrase', async () => {
  let go = () => {}
  const { address } = await start({}, res => {
    const lines = ['X-one', '1', 'Set-Cookie', 'a', 'Set-Cookie', 'b', 'Connection', 'close']
    res.writeHead(201, 'Very Fine', lines).write('first')
    go = () => res.end('second')
  })
  const socket = open(address, wire(service.sign({ target: '/hook' }), [['Connection', 'close']]))
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

test.each(['HEAD', 'GET', 'DELETE', 'OPTIONS', 'PATCH'])('forwards %s without a body', async method => {
  const { statuses, seen } = await start({}, res => res.end(method === 'HEAD' ? '' : 'done'))
  expect(await statuses(service.sign({ method, target: '/hook' }))).toEqual([200])
  expect(seen).toMatchObject([{ method, body: Buffer.alloc(0) }])
  expect(seen[0]!.headers['content-length'] ?? '0').toBe('0')
})

/** Starts an upstream that answers this, and sends a request to it. */
async function startForwarding(url: URL) {
  const upstream = createUpstream(url, 1000)
  const server = createServer()
  const port = await listen(server)
  onTestFinished(async () => {
    server.close()
    await upstream.destroy()
  })
  const answer = exchangeBytes(port, Buffer.from('GET / HTTP/1.0\r\n\r\n'))
  const [, res] = (await once(server, 'request')) as [unknown, ServerResponse]
  const outgoing = { method: 'GET', path: '/', headers: [['Host', 'a']], body: new Uint8Array() } as const
  return { answer, res, forward: (release: () => Promise<void>) => upstream.forward(outgoing, res, release) }
}

test.each([200, 500])('a head of %d that Node.js does not send is a 502, and rejects nothing', async status => {
  const url = await startRaw(socket => socket.end(`${OK.replace('200', `${status}`)}done`))
  const { answer, res, forward } = await startForwarding(url)
  const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => ServerResponse
  res.writeHead = (...args: unknown[]) => {
    if (args[0] === status) throw new TypeError('ERR_INVALID_CHAR')
    return writeHead(...args)
  }
  let released = 0
  const release = async () => {
    released += 1
  }
  expect(await forward(release)).toMatchObject({ upstream: 'broken-off' })
  expect(statusesOf(await answer)).toEqual([502])
  expect(released).toBe(1)
})

test('answers when the claim is released and not before, so that a retry at once is accepted', async () => {
  const { answer, res, forward } = await startForwarding(await startRaw(socket => socket.destroy()))
  const isAnswered: boolean[] = []
  await forward(async () => {
    await setImmediate()
    isAnswered.push(res.headersSent)
  })
  expect(statusesOf(await answer)).toEqual([502])
  expect(isAnswered).toEqual([false])
})

test('a sender that pauses and reads on is not late: no timer of a pause outlives it', async () => {
  const url = await startRaw(socket => {
    socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 4000000\r\n\r\n${'x'.repeat(4_000_000)}`)
  })
  const { answer, res, forward } = await startForwarding(url)
  let pauses = 0
  res.on('drain', () => {
    pauses += 1
  })
  const before = countTimers()
  await forward(async () => {})
  expect(pauses).toBeGreaterThan(0)
  expect(countTimers()).toBeLessThanOrEqual(before)
  expect((await answer).length).toBeGreaterThan(4_000_000)
})

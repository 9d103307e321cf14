import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { answerWhenDrained, DRAIN_LIMITS } from '../../../../src/platforms/node/drain.ts'
import { listenInTest } from '../../../support/node-server.ts'
import { exchangeBytes } from '../../../support/wire.ts'

const REFUSAL = { status: 401, headers: { 'WWW-Authenticate': 'Signature' } }
const head = (length: number) => Buffer.from(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`)

afterEach(() => void vi.useRealTimers())

/** Starts a server that leaves each response to the test, and a connection on which this was sent. */
async function received(sent: Uint8Array) {
  const server = createServer()
  const port = await listenInTest(server)
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => void socket.destroy())
  socket.write(sent)
  const [, res] = (await once(server, 'request')) as [unknown, ServerResponse]
  return { socket, res }
}

describe('the rest of a request, by default', () => {
  test.each([
    ['is read to its end, and the connection stays open: 10485760 bytes', 10_485_760, false],
    ['is not read beyond that, and the connection is closed: 10485761 bytes', 10_485_761, true],
    ['is nothing, and the connection stays open: 0 bytes', 0, false]
  ])('by default the rest of a request %s', async (_, length, isClosed) => {
    const server = createServer((_, res) => answerWhenDrained(res, REFUSAL, { isLast: false, limits: DRAIN_LIMITS }))
    const answer = await exchangeBytes(
      await listenInTest(server),
      Buffer.concat([head(length), Buffer.alloc(length)]),
      /\r\n\r\n/
    )
    expect(answer).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\nWWW-Authenticate: Signature\r\nContent-Length: 0\r\n/)
    expect(/^Connection: close\r$/m.test(answer)).toBe(isClosed)
  })

  test('the rest is read for 5 s by default, and the sender has 0.1 s to read the response', async () => {
    const { res } = await received(Buffer.concat([head(10), Buffer.alloc(9)]))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const answered = answerWhenDrained(res, REFUSAL, { isLast: false, limits: DRAIN_LIMITS })
    const states: boolean[][] = []
    for (const time of [4999, 1, 99, 1]) {
      await vi.advanceTimersByTimeAsync(time)
      states.push([res.headersSent, res.writableEnded])
    }
    expect(states).toEqual([
      [false, false],
      [true, false],
      [true, false],
      [true, true]
    ])
    await answered
  })
})

test('without limits the rest stays unread: the response is sent at once, and ends the connection', async () => {
  const { res, socket } = await received(head(10))
  const answered = answerWhenDrained(res, REFUSAL, { isLast: false })
  expect([res.headersSent, res.getHeader('Connection')]).toEqual([true, 'close'])
  const [chunk] = await once(socket, 'data')
  expect(String(chunk)).toContain('\r\nConnection: close\r\n')
  await answered
})

test('the response that a framework ends while the rest is read is the refusal', async () => {
  const { res, socket } = await received(head(10))
  const limits = { ...DRAIN_LIMITS, drainTimeout: 50 }
  const answered = answerWhenDrained(res.setHeader('Content-Length', 7), REFUSAL, { isLast: true, limits })
  res.end()
  const [chunk] = await once(socket, 'data')
  expect(String(chunk)).toMatch(/^HTTP\/1\.1 401 [\s\S]*\r\nContent-Length: 0\r\nConnection: close\r\n[\s\S]*\r\n\r\n$/)
  await answered
})

test('nothing is added when something else has answered meanwhile', async () => {
  const { res, socket } = await received(head(10))
  const limits = { ...DRAIN_LIMITS, drainTimeout: 50 }
  const answered = answerWhenDrained(res, REFUSAL, { isLast: true, limits })
  res.writeHead(418).end()
  socket.write(Buffer.alloc(10))
  await answered
  expect([res.statusCode, res.writableEnded]).toEqual([418, true])
})

test('no response is begun when the sender has gone', async () => {
  const { res, socket } = await received(head(10))
  const answered = answerWhenDrained(res, REFUSAL, { isLast: true, limits: DRAIN_LIMITS })
  socket.destroy()
  await answered
  expect([res.destroyed, res.headersSent]).toEqual([true, false])
})

test.each(['complete', 'readableEnded', 'destroyed'])(
  'a request that is %s has nothing left to read, and the connection stays open',
  async name => {
    const { res, socket } = await received(head(0))
    const state = { complete: false, readableEnded: false, destroyed: false, [name]: true }
    const answered = answerWhenDrained(Object.defineProperty(res, 'req', { value: state }), REFUSAL, { isLast: false })
    const [chunk] = await once(socket, 'data')
    expect(String(chunk)).not.toContain('Connection: close')
    await answered
  }
)

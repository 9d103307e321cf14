import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import {
  createVerifier,
  fromNodeRequest,
  nodeHandler,
  nodeMiddleware,
  type ReceivedRequest,
  type RefusalOptions,
  sendRefusal
} from '../../../../src/index.ts'
import { listenInTest } from '../../../support/node-server.ts'
import { service } from '../../../support/service.ts'
import { exchangeBytes, statusesOf, wire } from '../../../support/wire.ts'

// When a refused request keeps its connection of HTTP/1, and when it ends it.

const verify = createVerifier({ ...service.options, requireHttps: false, maxBodyBytes: 1_000_000 })

type Receive = (req: IncomingMessage, res: ServerResponse) => Promise<void>
type Make = (handle: (res: ServerResponse) => void, options?: RefusalOptions) => Receive

const RECEIVERS: Readonly<Record<string, Make>> = {
  nodeHandler: (handle, options) => nodeHandler(verify, (_, _req, res) => handle(res), options),
  nodeMiddleware: (handle, options) => {
    const middleware = nodeMiddleware(verify, options)
    return (req, res) => middleware(req, res, () => handle(res))
  },
  sendRefusal: (handle, options) => async (req, res) => {
    const verdict = await verify(fromNodeRequest(req))
    if (verdict.status === 'verified') handle(res)
    else await sendRefusal(res, verdict, options)
  }
}

const CLOSE = ['Connection', 'close'] as const
const UNSIGNED = 'GET / HTTP/1.1\r\nHost: receiver.example\r\n\r\n'
const good = () => service.sign({ target: '/good', body: '{}' })
const stale = (length: number): ReceivedRequest =>
  service.sign({ target: '/stale', body: Buffer.alloc(length), date: new Date(0) })
const changed = (): ReceivedRequest => ({ ...service.sign({ target: '/changed', body: '{"a":1}' }), body: '{"a":2}' })
const tooLarge = () => service.sign({ target: '/large', body: Buffer.alloc(3_000_000) })

describe.each(Object.entries(RECEIVERS))('%s', (_, make) => {
  /** Sends these, and behind them a good request that asks for the end; returns the statuses and the whole answer. */
  async function sendBefore(sent: string | Buffer, options?: RefusalOptions, before = (_res: ServerResponse) => {}) {
    const receive = make(res => void res.end(), options)
    const server = createServer((req, res) => {
      before(res)
      receive(req, res)
    })
    const answer = await exchangeBytes(
      await listenInTest(server),
      Buffer.concat([Buffer.from(sent), wire(good(), [CLOSE])])
    )
    return { statuses: statusesOf(answer), answer }
  }

  test.each<[string, string | Buffer, number]>([
    ['no body', UNSIGNED, 401],
    ['an empty body', wire(stale(0)), 401],
    ['a body that has arrived', wire(stale(100)), 401],
    ['a body that has arrived, and fills every buffer', wire(stale(500_000)), 401],
    ['a body that was read', wire(changed()), 401],
    ['a body that is still arriving', wire(stale(9_000_000)), 401],
    ['a body over the limit', wire(tooLarge()), 413],
    ['a chunked body', UNSIGNED.replace('\r\n\r\n', '\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'), 401]
  ])('a refused request with %s keeps its connection, and the next one is served', async (_, sent, status) => {
    const { statuses, answer } = await sendBefore(sent)
    expect(statuses).toEqual([status, expect.toSatisfy((next: number) => next < 300)])
    expect(answer.slice(0, answer.indexOf('\r\n\r\n'))).not.toMatch(/^connection: close/im)
  })

  test('refused requests that are pipelined are answered one by one, and the good one behind them is served', async () => {
    const { statuses } = await sendBefore(UNSIGNED.repeat(8))
    expect(statuses).toEqual([...Array(8).fill(401), expect.toSatisfy((next: number) => next < 300)])
  })

  test.each<[string, string | Buffer, RefusalOptions?, ((res: ServerResponse) => void)?]>([
    ['has more left than drainBytes', wire(stale(3_000_000)), { drainBytes: 100_000 }],
    ['comes to a server that is closing', UNSIGNED, {}, res => void res.setHeader('connection', 'Close')]
  ])('a refused request that %s ends its connection, and the next one is not answered', async (_, ...given) => {
    const { statuses, answer } = await sendBefore(...given)
    expect(statuses).toEqual([401])
    expect(answer).toMatch(/^connection: close\r$/im)
  })

  test.each([
    ['asks for that', UNSIGNED.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')],
    ['is of HTTP/1.0', UNSIGNED.replace('1.1', '1.0')]
  ])('a refused request that %s ends its connection', async (_, sent) => {
    const answer = await exchangeBytes(await listenInTest(createServer(make(() => {}))), Buffer.from(sent))
    expect(statusesOf(answer)).toEqual([401])
    expect(answer).toMatch(/^connection: close\r$/im)
  })

  test('a refused request whose body does not end within drainTimeout ends its connection', async () => {
    const server = createServer(make(() => {}, { drainTimeout: 50 }))
    const answer = await exchangeBytes(await listenInTest(server), wire(stale(100)).subarray(0, -1))
    expect(statusesOf(answer)).toEqual([401])
    expect(answer).toMatch(/^connection: close\r$/im)
  })

  test('a refused request of HTTP/1.0 keeps its connection when it asks for that', async () => {
    const { statuses, answer } = await sendBefore(UNSIGNED.replace('1.1\r\n', '1.0\r\nConnection: keep-alive\r\n'))
    expect(statuses).toHaveLength(2)
    expect(answer).toMatch(/^connection: keep-alive\r$/im)
  })

  test('a body in tiny chunks ends its connection, also when it has arrived', async () => {
    const chunks = `1\r\na\r\n`.repeat(20_000)
    const sent = UNSIGNED.replace('\r\n\r\n', `\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`)
    expect((await sendBefore(sent)).statuses).toEqual([401])
  })

  test('a framework that answers while the rest is read ends the connection', async () => {
    const receive = make(() => {})
    const server = createServer((req, res) => {
      receive(req, res)
      setTimeout(() => res.end(), 50)
    })
    const sent = Buffer.concat([wire(stale(1000)).subarray(0, -1), Buffer.from(UNSIGNED)])
    const answer = await exchangeBytes(await listenInTest(server), sent.subarray(0, -UNSIGNED.length))
    expect(statusesOf(answer)).toEqual([401])
    expect(answer).toMatch(/^connection: close\r$/im)
  })
})

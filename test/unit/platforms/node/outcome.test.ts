import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  createVerifier,
  nodeHandler,
  nodeMiddleware,
  type ReceivedRequest,
  type Verdict
} from '../../../../src/index.ts'
import { memoryReplayStore } from '../../../../src/replay/index.ts'
import { http2Fields, listenInTest } from '../../../support/node-server.ts'
import { service } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { wire } from '../../../support/wire.ts'

// Which outcomes of a response release the claim, so that the same bytes are accepted again.

type Work = (req: IncomingMessage, res: ServerResponse) => unknown
type Serve = (verify: ReturnType<typeof createVerifier>, work: Work) => RequestListener

const SERVE: Readonly<Record<string, Serve>> = {
  nodeHandler: (verify, work) =>
    nodeHandler(verify, (_, req, res) => Promise.resolve(work(req, res)).then(() => true), { onError: () => {} }),
  nodeMiddleware: (verify, work) => {
    const middleware = nodeMiddleware(verify)
    return (req, res) => middleware(req, res, error => error === undefined && work(req, res))
  }
}

const OPTIONS = { ...service.options, requireHttps: false }
let verify: ReturnType<typeof createVerifier>
let released: Verdict[]
beforeEach(() => {
  released = []
  verify = createVerifier({ ...OPTIONS, replayStore: memoryReplayStore() })
  const { release } = verify
  verify.release = async verdict => {
    await release(verdict)
    released.push(verdict)
  }
})
afterEach(() => void vi.restoreAllMocks())

const sign = () => service.sign({ target: '/hook', body: '{"id":1}' })

/** Opens a connection, and sends a request on it. */
function send(port: number, request: ReceivedRequest): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => void socket.destroy())
  socket.resume().write(wire(request))
  return socket
}

const accepted = async (request: ReceivedRequest) => (await verify(request)).status

/** Settles when the response is over, with every listener of the library called. */
const over = (res: ServerResponse) => new Promise(resolve => res.once('close', () => setImmediate(resolve)))

/** Serves one request with this work; returns when its response is over. */
async function serveOne(serve: Serve, work: (req: IncomingMessage, res: ServerResponse, socket: Socket) => unknown) {
  let closed: Promise<unknown> | undefined
  let socket: Socket | undefined
  const receive = serve(verify, (req, res) => {
    closed = over(res)
    return work(req, res, socket as Socket)
  })
  const port = await listenInTest(createServer(receive))
  const request = sign()
  socket = send(port, request)
  await until(() => closed !== undefined)
  await closed
  return { request, socket }
}

/** A stream that breaks off. */
async function* broken() {
  yield 'one '
  throw new Error('ours')
}

const gone = (socket: Socket) => new Promise(resolve => socket.once('close', resolve))

describe.each(Object.entries(SERVE))('%s', (_, serve) => {
  test.each<[string, Work]>([
    ['finishes with 500', (_req, res) => res.writeHead(500).end('error')],
    ['finishes with 503, later', (_req, res) => setTimeout(() => res.writeHead(503).end(), 10)],
    ['is destroyed', (_req, res) => res.destroy()],
    ['is destroyed with an error', (_req, res) => res.on('error', () => {}).destroy(new Error('ours'))],
    ['is destroyed half way', (_req, res) => res.write('one', () => res.destroy())],
    ['breaks off while it is streamed', (_req, res) => pipeline(Readable.from(broken()), res).catch(() => {})]
  ])('a response that %s releases the claim', async (_, work) => {
    const { request } = await serveOne(serve, work)
    await until(() => released.length > 0)
    expect([await accepted(request), await accepted(request)]).toEqual(['verified', 'rejected'])
  })

  test.each<[string, Work]>([
    ['finishes with 200', (_req, res) => res.end()],
    ['finishes with 499', (_req, res) => res.writeHead(499).end()],
    ['is destroyed after it has finished', (_req, res) => res.end(() => res.destroy())]
  ])('a response that %s keeps the claim', async (_, work) => {
    const { request, socket } = await serveOne(serve, work)
    socket.destroy()
    expect([released, await accepted(request)]).toEqual([[], 'rejected'])
  })

  test.each<[string, (socket: Socket) => unknown]>([
    ['ends the connection', socket => socket.end()],
    ['destroys the connection', socket => socket.destroy()],
    ['resets the connection', socket => socket.resetAndDestroy()]
  ])('a sender that %s while the handler works keeps the claim', async (_, hangUp) => {
    const { request } = await serveOne(serve, (req, _res, socket) => {
      hangUp(socket)
      return gone(req.socket)
    })
    expect([released, await accepted(request)]).toEqual([[], 'rejected'])
  })

  test.each<[string, (socket: Socket) => unknown]>([
    ['ends', socket => socket.end()],
    ['resets', socket => socket.resetAndDestroy()]
  ])('a handler that destroys its response because the sender %s the connection keeps the claim', async (_, hangUp) => {
    const { request } = await serveOne(serve, (req, res, socket) => {
      for (const event of ['end', 'error']) req.socket.prependOnceListener(event, () => res.destroy())
      hangUp(socket)
      return gone(req.socket)
    })
    expect([released, await accepted(request)]).toEqual([[], 'rejected'])
  })

  test('a handler that has set 500 and not sent it yet, when the sender hangs up, keeps the claim', async () => {
    const { request } = await serveOne(serve, (req, res, socket) => {
      res.statusCode = 500
      socket.resetAndDestroy()
      return gone(req.socket)
    })
    await new Promise(resolve => setImmediate(resolve))
    expect([released, await accepted(request)]).toEqual([[], 'rejected'])
  })

  test('a handler that answers 500 after the sender has hung up releases the claim', async () => {
    const { request } = await serveOne(serve, async (req, res, socket) => {
      socket.resetAndDestroy()
      await gone(req.socket)
      setTimeout(() => res.writeHead(500).end(), 10)
    })
    await until(() => released.length > 0)
    expect(await accepted(request)).toBe('verified')
  })

  test('a release that fails is reported, and disturbs nothing', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    verify.release = vi.fn().mockRejectedValue(new Error('store'))
    await serveOne(serve, (_req, res) => res.writeHead(500).end())
    await until(() => error.mock.calls.length > 0)
    expect(error.mock.calls).toEqual([[new Error('store')]])
    expect(verify.release).toHaveBeenCalledOnce()
  })

  test('a connection that serves many requests gathers no listeners', async () => {
    const counts: number[] = []
    const receive = serve(verify, (req, res) => {
      counts.push(req.socket.listenerCount('close'))
      res.end()
    })
    const port = await listenInTest(createServer(receive))
    const socket = send(port, sign())
    for (let sent = 1; sent <= 12; sent++) {
      await until(() => counts.length === sent)
      socket.write(wire(service.sign({ target: `/${sent}` })))
    }
    expect(new Set(counts).size).toBe(1)
  })
})

describe.each(Object.entries(SERVE))('%s over HTTP/2', (_, serve) => {
  type End = (socket: Socket, session: ClientHttp2Session) => void

  /** Serves one request; `hangUp` resets the stream, or ends its session or connection. */
  async function serveOneStream(
    work: (res: ServerResponse, hangUp: (how: 'stream' | 'session' | End) => void) => unknown
  ) {
    const closed = vi.fn()
    let hangUp = (_how: 'stream' | 'session' | End) => {}
    const receive = serve(verify, (_req, res) => {
      res.once('close', closed)
      return work(res, how => hangUp(how))
    })
    const port = await listenInTest(createHttp2Server(receive as never))
    const socket = connect(port, '127.0.0.1')
    const session = connectHttp2(`http://127.0.0.1:${port}`, { createConnection: () => socket }).on('error', () => {})
    onTestFinished(() => session.destroy())
    const request = sign()
    const stream = session.request(http2Fields(request)).on('error', () => {})
    hangUp = how => {
      if (how === 'stream') stream.close(8)
      else if (how === 'session') session.destroy()
      else how(socket, session)
    }
    stream.resume().end(request.body)
    await until(() => closed.mock.calls.length > 0)
    await new Promise(resolve => setImmediate(resolve))
    return request
  }

  test.each<[string, (res: ServerResponse) => unknown]>([
    ['finishes with 500', res => res.writeHead(500).end()],
    ['is destroyed', res => res.destroy()],
    [
      'is destroyed with an error',
      res => {
        ;(res as unknown as { stream: Readable }).stream.on('error', () => {})
        res.destroy(new Error('ours'))
      }
    ]
  ])('a response that %s releases the claim', async (_, work) => {
    const request = await serveOneStream(work)
    await until(() => released.length > 0)
    expect([await accepted(request), await accepted(request)]).toEqual(['verified', 'rejected'])
  })

  test('a response that finishes with 200 keeps the claim', async () => {
    const request = await serveOneStream(res => res.end())
    expect([released, await accepted(request)]).toEqual([[], 'rejected'])
  })

  test.each<['stream' | 'session' | 'connection']>([['stream'], ['session'], ['connection']])(
    'a sender that ends the %s while the handler works keeps the claim',
    async what => {
      const request = await serveOneStream((res, hangUp) => {
        hangUp(what === 'connection' ? socket => socket.resetAndDestroy() : what)
        return new Promise(resolve => res.once('close', resolve))
      })
      expect([released, await accepted(request)]).toEqual([[], 'rejected'])
    }
  )
})

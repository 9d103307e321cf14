import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { connect, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  createVerifier,
  fromNodeRequest,
  type NodeHandlerOptions,
  nodeHandler,
  type ReceivedRequest,
  sendRefusal,
  type Verified
} from '../../../../src/index.ts'
import { memoryReplayStore } from '../../../../src/replay/index.ts'
import { exchange, http2Fields, listenInTest } from '../../../support/node-server.ts'
import { service } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { exchangeBytes, statusesOf, wire } from '../../../support/wire.ts'

// ../handler.test.ts tests the promises of all handlers.

type Handle = (verified: Verified, req: IncomingMessage, res: ServerResponse) => unknown
type Receive = (req: IncomingMessage, res: ServerResponse) => Promise<void>

const order = { target: '/hook?id=1', body: '{"amount":100}' }
const forged = (): ReceivedRequest => ({ ...service.sign(order), body: '{"amount":900}' })
const upload = (length: number) => ({ ...service.sign({ ...order, body: Buffer.alloc(length) }), target: '/other' })

afterEach(() => void vi.restoreAllMocks())

const OPTIONS = { ...service.options, requireHttps: false }
let store: ReturnType<typeof memoryReplayStore>
let verify: ReturnType<typeof createVerifier>
let errors: unknown[]
const onError = (error: unknown) => errors.push(error)
beforeEach(() => {
  store = memoryReplayStore()
  verify = createVerifier({ ...OPTIONS, replayStore: store })
  errors = []
})

const serve = (handle: Handle, options?: NodeHandlerOptions) => serveAs(nodeHandler(verify, handle, options))
const serveAs = (receive: Receive) => listenInTest(createServer(receive))

/** Sends these requests on a connection; returns all statuses until the receiver closes it. */
const statusesOn = async (port: number, ...requests: ReceivedRequest[]) =>
  statusesOf(await exchangeBytes(port, Buffer.concat(requests.map(request => wire(request)))))

const throwing = () => {
  throw new Error('ours')
}

describe('the arguments and the return value of the handler', () => {
  test('the handler gets a verified request, the request and the response', async () => {
    const port = await serve((verified, req, res) => {
      res.end(`${verified.accountId} ${req.method} ${Buffer.from(verified.body)}`)
    })
    expect(await exchange(service.sign(order), port)).toMatchObject({ status: 200, body: '1234 POST {"amount":100}' })
  })

  test('a handler that returns undefined answers 204, whatever the status was before', async () => {
    const receive = nodeHandler(verify, () => {})
    const port = await serveAs((req, res) => receive(req, Object.assign(res, { statusCode: 404 })))
    const { status, headers } = await exchange(service.sign(order), port)
    expect([status, headers['content-length']]).toEqual([204, undefined])
  })

  test('a handler that returns undefined after it wrote a head answers by itself', async () => {
    const port = await serve((_, _req, res) => {
      res.writeHead(200)
      setImmediate(() => res.end('later'))
    })
    expect(await exchange(service.sign(order), port)).toMatchObject({ status: 200, body: 'later' })
  })
})

describe('a refused request', () => {
  test('a refused request is passed to onRefused, before the answer', async () => {
    const onRefused = vi.fn(({ failures }, req, res) => [failures[0].code, req.url, res.headersSent])
    await exchange(forged(), await serve(() => {}, { onRefused }))
    expect(onRefused).toHaveReturnedWith(['digest-mismatch', '/hook?id=1', false])
  })

  test('a refused request is answered once, although a framework ends the response too', async () => {
    const receive = nodeHandler(verify, () => {})
    const port = await serveAs((req, res) => receive(req, res).then(() => void res.end()))
    expect(await exchange(upload(3_000_000), port)).toMatchObject({ status: 401, body: '' })
  })
})

describe('the rest of a refused upload', () => {
  test.each<[string, NodeHandlerOptions, number | undefined, least: number, most: number]>([
    ['is read to its end before the response, within the limits', {}, undefined, 9_000_000, 9_010_000],
    ['is cut off at drainBytes, and answered', { drainBytes: 1_000_000 }, undefined, 1_000_001, 2_000_000],
    ['is cut off after drainTimeout, and answered', { drainTimeout: 50 }, 100_000, 0, 100_000]
  ])('the rest of a refused upload %s', async (_, options, sent, least, most) => {
    let read = -1
    const port = await serveAs((req, res) => {
      res.once('finish', () => {
        read = req.socket.bytesRead
      })
      return nodeHandler(verify, () => {}, options)(req, res)
    })
    const bytes = wire(upload(9_000_000))
    expect(statusesOf(await exchangeBytes(port, bytes.subarray(0, sent)))).toEqual([401])
    if (least === 9_000_000) expect(read).toBe(bytes.length)
    expect(read).toBeGreaterThanOrEqual(least)
    expect(read).toBeLessThanOrEqual(most)
  })
})

test('a handler inside a handler, for one request, does not wait for itself', async () => {
  const inner = nodeHandler(verify, (_, _req, res) => res.end('inner'), { body: () => order.body })
  verify = createVerifier(OPTIONS)
  const port = await serve((_, req, res) => inner(req, res).then(() => true))
  expect(await exchange(service.sign(order), port)).toMatchObject({ status: 200, body: 'inner' })
})

describe('a handler that throws', () => {
  test.each([
    ['throws', throwing],
    ['rejects', () => Promise.reject(new Error('ours'))]
  ])('%s: 500, and onError has the error', async (_, handle) => {
    expect(await exchange(service.sign(order), await serve(handle, { onError }))).toMatchObject({
      status: 500,
      body: ''
    })
    expect(errors).toEqual([new Error('ours')])
  })

  test('a handler that throws is reported with console.error by default', async () => {
    const port = await serve(throwing)
    // The handler uses the current console.error, and logs only the error: no request with its Authorization.
    const error = vi.spyOn(console, 'error').mockReturnValue()
    await exchange(service.sign(order), port)
    expect(error.mock.calls).toEqual([[new Error('ours')]])
  })

  test('accepts the retry too when the status that the handler has set cannot be sent', async () => {
    const statuses = [99_999, 202]
    const answer: Handle = (_, _req, res) => void Object.assign(res, { statusCode: statuses.shift() })
    const port = await serve(answer, { onError })
    const request = service.sign(order)
    expect((await exchange(request, port)).status).toBe(500)
    expect((await exchange(request, port)).status).toBe(202)
  })

  test('a handler that throws goes to next where there is one', async () => {
    const receive = nodeHandler(verify, throwing)
    const next = (res: ServerResponse) => (error: unknown) => {
      errors.push(error)
      res.writeHead(418).end()
    }
    const port = await serveAs((req, res) => receive(req, res, next(res)))
    expect((await exchange(service.sign(order), port)).status).toBe(418)
    expect(errors).toEqual([new Error('ours')])
  })

  test.each([
    ['rejects', () => Promise.reject(new Error('store'))],
    ['hangs', () => new Promise<never>(() => {})]
  ])('a handler that throws is not hidden by a release that %s', async (_, release) => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    vi.spyOn(store, 'release').mockImplementation(release)
    expect((await exchange(service.sign(order), await serve(throwing, { onError }))).status).toBe(500)
    expect(errors).toEqual([new Error('ours')])
    expect(error).toHaveBeenCalledOnce()
  })

  test('a handler that throws after a head was written aborts the answer', async () => {
    const handle: Handle = (_, _req, res) => {
      res.writeHead(200, { 'Content-Length': 10 }).write('01234')
      throwing()
    }
    const answer = exchange(service.sign(order), await serve(handle, { onError }))
    await expect(answer).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  test('a mistake around verify() goes the same way', async () => {
    const port = await serve(() => {}, { onError, body: () => ({ a: 1 }) as never })
    expect((await exchange(service.sign(order), port)).status).toBe(500)
    expect(errors).toEqual([expect.any(TypeError)])
  })
})

/** Refuses with the handler, or with the code that an application writes instead. */
const REFUSING: Readonly<Record<string, (handle: Handle) => Receive>> = {
  'the handler': handle => nodeHandler(verify, handle),
  'sendRefusal()': handle => async (req, res) => {
    const verdict = await verify(fromNodeRequest(req))
    if (verdict.status === 'verified') handle(verdict, req, res)
    else await sendRefusal(res, verdict)
  }
}

test('a framework that writes after a refusal crashes nothing', async () => {
  process.on('uncaughtException', onError)
  onTestFinished(() => void process.off('uncaughtException', onError))
  const refuse = REFUSING['sendRefusal()']!(() => {})
  const port = await serveAs((req, res) => refuse(req, res).then(() => void res.end('Forbidden resource')))
  expect(await exchange(forged(), port)).toMatchObject({ status: 401, body: '' })
  await new Promise(resolve => setImmediate(resolve))
  expect(errors).toEqual([])
})

describe('requests that are pipelined on one connection', () => {
  const one = () => service.sign({ target: '/1' })
  const two = () => service.sign({ target: '/2' })

  test('requests that are pipelined on one connection are handled one after another', async () => {
    const order: string[] = []
    const port = await serve(async (_, req, res) => {
      order.push(`begin ${req.url}`)
      await new Promise(resolve => setTimeout(resolve, 20))
      order.push(`end ${req.url}`)
      if (req.url === '/2') res.setHeader('Connection', 'close')
      res.end()
    })
    expect(await statusesOn(port, one(), two())).toEqual([200, 200])
    expect(order).toEqual(['begin /1', 'end /1', 'begin /2', 'end /2'])
  })

  test.each([
    ['the handler', 0],
    // Code other than our handler is called, but cannot answer.
    ['sendRefusal()', 1]
  ])('a pipelined request after a refusal that closes the connection is not answered: by %s', async (by, calls) => {
    const handle = vi.fn((_: Verified, _req: IncomingMessage, res: ServerResponse) => res.end('handled'))
    const receive = REFUSING[by]!(handle)
    const port = await serveAs((req, res) => receive(req, res.setHeader('Connection', 'close')))
    expect(await statusesOn(port, upload(1), two())).toEqual([401])
    expect(handle).toHaveBeenCalledTimes(calls)
  })

  test('pipelined requests are not handled after a 500', async () => {
    const handle = vi.fn().mockRejectedValue(new Error('ours'))
    expect(await statusesOn(await serve(handle, { onError }), one(), two())).toEqual([500])
    expect(handle).toHaveBeenCalledOnce()
  })

  test('a connection that is kept alive serves the next request', async () => {
    const socket = connect(await serve(() => {}), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    for (const request of [one(), two()]) {
      socket.write(wire(request))
      expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 204/)
    }
  })
})

describe('a client that disconnects', () => {
  test('a client that disconnects before the handler is done: the handler ends, and the claim is kept', async () => {
    let isDone = false
    const socket = new Socket()
    const port = await serve(async (_, req) => {
      const closed = once(req.socket, 'close')
      socket.destroy()
      await closed
      isDone = true
    })
    const request = service.sign(order)
    socket.connect(port, '127.0.0.1').write(wire(request))
    await until(() => isDone)
    expect((await exchange(request, port)).status).toBe(401)
  })

  test('a client that disconnects while its body is read: it is refused, and the process goes on', async () => {
    let codes: unknown
    const port = await serve(() => {}, {
      onRefused: verdict => {
        codes = verdict.failures.map(({ code }) => code)
      }
    })
    const request = service.sign({ ...order, body: Buffer.alloc(500_000) })
    const socket = connect(port, '127.0.0.1')
    socket.write(wire(request).subarray(0, 100_000), () => socket.destroy())
    await until(() => codes !== undefined)
    expect(codes).toEqual(['body-unreadable'])
    expect((await exchange(service.sign(order), port)).status).toBe(204)
  })
})

/** A whole body would exceed the memory limit of a Node.js session. */
function* chunksOf(body: Uint8Array | string) {
  const bytes = Buffer.from(body)
  for (let i = 0; i < bytes.length; i += 65_536) yield bytes.subarray(i, i + 65_536)
}

test('over HTTP/2 verified, refused and failed requests share a connection', async () => {
  const handle: Handle = ({ body }, req, res) => {
    if (req.url === '/halfway') res.write('ans')
    return body.length === 0 ? throwing() : res.end('answer')
  }
  const port = await listenInTest(createHttp2Server(nodeHandler(verify, handle, { onError }) as never))
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  onTestFinished(() => session.close())

  const send = (request: ReceivedRequest) =>
    new Promise<{ status: unknown; code: number }>(resolve => {
      const stream = session.request(http2Fields(request))
      let status: unknown
      stream.on('response', head => {
        status = head[':status']
      })
      stream.on('error', () => {})
      stream.on('close', () => resolve({ status, code: stream.rstCode }))
      stream.resume()
      Readable.from(chunksOf((request.body ?? '') as Uint8Array | string)).pipe(stream)
    })

  expect(await send(service.sign(order))).toEqual({ status: 200, code: 0 })
  expect(await send(forged())).toEqual({ status: 401, code: 0 })
  expect(await send(upload(20_000_000))).toEqual({ status: 401, code: 0 })
  expect(await send(service.sign({ target: '/empty' }))).toEqual({ status: 500, code: 0 })
  // RFC 9113 section 7: INTERNAL_ERROR, so that nobody takes the part for the whole.
  expect(await send(service.sign({ target: '/halfway' }))).toEqual({ status: 200, code: 2 })
  expect(await send(service.sign(order))).toEqual({ status: 200, code: 0 })
})

test('a call with ctx of Koa rejects with what to pass instead', async () => {
  const receive = nodeHandler(verify, () => {})
  await expect(receive({ req: {}, res: {} } as never, undefined as never)).rejects.toThrow('ctx.req in Koa')
})

describe('options', () => {
  test('body may be a function of the request', async () => {
    const receive = nodeHandler(verify, () => {}, { body: req => (req as { rawBody?: Buffer }).rawBody })
    const port = await serveAs(async (req, res) => {
      await receive(Object.assign(req, { rawBody: Buffer.concat(await req.toArray()) }), res)
    })
    expect((await exchange(service.sign(order), port)).status).toBe(204)
    expect((await exchange(forged(), port)).status).toBe(401)
  })

  test.each([
    [{ drainBytes: -1 }, 'options.drainBytes is the number -1: pass a number of bytes, at least 0, such as 10485760'],
    [{ drainTimeout: '5s' }, 'options.drainTimeout is a string: pass a number of milliseconds, at least 1'],
    [{ onError: 1 }, 'options.onError is the number 1: pass a function']
  ])('%j is a TypeError at once', (options, message) => {
    expect(() => nodeHandler(verify, () => {}, options as never)).toThrow(TypeError)
    expect(() => nodeHandler(verify, () => {}, options as never)).toThrow(message)
  })
})

test('a handler that answers 304 sends no Content-Length, which would be that of another body', async () => {
  const port = await serve((_, _req, res) => void Object.assign(res, { statusCode: 304 }))
  const { status, headers } = await exchange(service.sign(order), port)
  expect([status, headers['content-length']]).toEqual([304, undefined])
})

test.each(['writableEnded', 'destroyed'])('a response that is %s is left alone, and its connection too', async name => {
  const destroy = vi.fn()
  const state = { headersSent: true, writableEnded: false, destroyed: false, [name]: true, on() {}, writeHead() {} }
  await sendRefusal({ ...state, req: { socket: { destroy } } } as never, (await verify(forged())) as never)
  expect(destroy).not.toHaveBeenCalled()
})

test('a response that has begun and has no socket any more is left alone', async () => {
  const end = vi.fn()
  const state = { headersSent: true, writableEnded: false, destroyed: false, on() {}, writeHead() {}, end }
  for (const req of [undefined, {}, { socket: null }]) {
    const res = { ...state, req: req ?? {} } as unknown as ServerResponse
    await sendRefusal(res, (await verify(forged())) as never)
  }
  expect(end).not.toHaveBeenCalled()
})

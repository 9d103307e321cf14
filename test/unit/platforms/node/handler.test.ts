import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { connect, type Server, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
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
import { pairs } from '../../../meta/examples/kinds.ts'
import { sendOverHttp } from '../../../meta/examples/senders.ts'
import { listen as listenOn } from '../../../support/listen.ts'
import { service } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { exchangeBytes, statusesOf, wire } from '../../../support/wire.ts'

type Handle = (verified: Verified, req: IncomingMessage, res: ServerResponse) => unknown

const order = { target: '/hook?id=1', body: '{"amount":100}' }
const forged = (): ReceivedRequest => ({ ...service.sign(order), body: '{"amount":900}' })

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  vi.restoreAllMocks()
})

let store: ReturnType<typeof memoryReplayStore>
let verify: ReturnType<typeof createVerifier>
beforeEach(() => {
  store = memoryReplayStore()
  verify = createVerifier({ ...service.options, requireHttps: false, replayStore: store })
})

async function listen(server: Server): Promise<number> {
  closing.push(() => server.close())
  return listenOn(server)
}

const serve = (handle: Handle, options?: NodeHandlerOptions) =>
  listen(createServer(nodeHandler(verify, handle, options)))

interface Answer {
  status: number
  headers: IncomingMessage['headers']
  body: string
}

async function exchange(request: ReceivedRequest, port: number): Promise<Answer> {
  const { method, target: path } = request
  const headers = pairs(request).flat()
  const outgoing = httpRequest({ host: '127.0.0.1', port, agent: false, method, path, headers })
  outgoing.end(request.body)
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  const body = Buffer.concat(await response.toArray()).toString()
  return { status: response.statusCode ?? 0, headers: response.headers, body }
}

/** All statuses that a connection answers to these requests, until the receiver closes it. */
const statusesOn = async (port: number, ...requests: ReceivedRequest[]) =>
  statusesOf(await exchangeBytes(port, Buffer.concat(requests.map(request => wire(request)))))

const throwing = (message: string) => (): never => {
  throw new Error(message)
}

describe('the arguments and the return value of the handler', () => {
  test('a verified request, the request and the response', async () => {
    const port = await serve((verified, req, res) => {
      res.end(`${verified.accountId} ${req.method} ${Buffer.from(verified.body)}`)
    })
    expect(await exchange(service.sign(order), port)).toMatchObject({ status: 200, body: '1234 POST {"amount":100}' })
  })

  test('undefined where the status was not 200 before: 204', async () => {
    const handler = nodeHandler(verify, () => {})
    const port = await listen(
      createServer((req, res) => {
        res.statusCode = 404
        return handler(req, res)
      })
    )
    expect((await exchange(service.sign(order), port)).status).toBe(204)
  })

  test('undefined after a head was written: the answer is the handler’s', async () => {
    const port = await serve((_, _req, res) => {
      res.writeHead(200)
      setImmediate(() => res.end('later'))
    })
    expect(await exchange(service.sign(order), port)).toMatchObject({ status: 200, body: 'later' })
  })
})

describe('a refused request', () => {
  test('never reaches the handler, and is answered without a body', async () => {
    const handle = vi.fn()
    const answer = await exchange(forged(), await serve(handle))
    expect(answer).toMatchObject({ status: 401, body: '' })
    expect(answer.headers).toMatchObject({
      'content-length': '0',
      connection: 'close',
      'www-authenticate': 'Signature'
    })
    expect(answer.headers).not.toHaveProperty('retry-after')
    expect(handle).not.toHaveBeenCalled()
  })

  test('that could not be judged gets 503 with Retry-After', async () => {
    verify = createVerifier({
      ...service.options,
      requireHttps: false,
      lookupTxt: () => Promise.reject(Object.assign(new Error(), { code: 'ESERVFAIL' }))
    })
    const answer = await exchange(service.sign(order), await serve(() => {}))
    expect(answer).toMatchObject({ status: 503, body: '', headers: { 'retry-after': '10' } })
  })

  test('that is too large: 413, although the sender is still sending', async () => {
    verify = createVerifier({ ...service.options, requireHttps: false, maxBodyBytes: 1000 })
    const request = service.sign({ ...order, body: Buffer.alloc(5_000_000) })
    expect(await sendOverHttp(request, await serve(() => {}))).toBe(413)
  })

  test('is passed to onRefused, before the answer', async () => {
    const codes: string[] = []
    const port = await serve(() => {}, {
      onRefused(verdict, req, res) {
        codes.push(verdict.failures[0].code, req.url ?? '', String(res.headersSent))
      }
    })
    await exchange(forged(), port)
    expect(codes).toEqual(['digest-mismatch', '/hook?id=1', 'false'])
  })

  test.each([
    ['throws', throwing('log')],
    ['rejects', () => Promise.reject(new Error('log'))]
  ])('is refused all the same when onRefused %s', async (_, onRefused) => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    expect((await exchange(forged(), await serve(() => {}, { onRefused }))).status).toBe(401)
    expect(error).toHaveBeenCalledOnce()
  })

  test('is answered once, although a framework ends the response too', async () => {
    const handler = nodeHandler(verify, () => {})
    const port = await listen(
      createServer(async (req, res) => {
        await handler(req, res)
        res.end()
      })
    )
    const body = Buffer.alloc(3_000_000)
    const request = { ...service.sign({ ...order, body }), target: '/other' }
    expect(await exchange(request, port)).toMatchObject({ status: 401, body: '' })
  })
})

describe('the rest of a refused upload', () => {
  const upload = (length: number) =>
    wire({ ...service.sign({ ...order, body: Buffer.alloc(length) }), target: '/other' })

  test.each<[string, NodeHandlerOptions, number | undefined, least: number, most: number]>([
    ['is read to its end before the response, within the limits', {}, undefined, 9_000_000, 9_010_000],
    ['is cut off at drainBytes, and answered', { drainBytes: 1_000_000 }, undefined, 1_000_001, 2_000_000],
    ['is cut off after drainTimeout, and answered', { drainTimeout: 50 }, 100_000, 0, 100_000]
  ])('%s', async (_, options, sent, least, most) => {
    let read = -1
    const port = await listen(
      createServer((req, res) => {
        res.once('finish', () => {
          read = req.socket.bytesRead
        })
        return nodeHandler(verify, () => {}, options)(req, res)
      })
    )
    const bytes = upload(9_000_000)
    expect(statusesOf(await exchangeBytes(port, bytes.subarray(0, sent)))).toEqual([401])
    if (least === 9_000_000) expect(read).toBe(bytes.length)
    expect(read).toBeGreaterThanOrEqual(least)
    expect(read).toBeLessThanOrEqual(most)
  })
})

describe('onRefused chooses the status', () => {
  const chosen = async (value: unknown) => {
    const { status, headers } = await exchange(forged(), await serve(() => {}, { onRefused: () => value }))
    return [status, headers['retry-after'], headers['www-authenticate']]
  }

  test.each([
    [503, '10', undefined],
    [400, undefined, undefined],
    [401, undefined, 'Signature'],
    [599, undefined, undefined]
  ])('%i', async (status, retryAfter, challenge) => {
    expect(await chosen(status)).toEqual([status, retryAfter, challenge])
  })

  test.each([399, 600, 200, 503.5, Number.NaN, '503', Promise.resolve(503), null, { status: 503 }])(
    'not with %j',
    async value => {
      expect(await chosen(value)).toEqual([401, undefined, 'Signature'])
    }
  )
})

describe('a handler inside a handler, for one request', () => {
  test('does not wait for itself', async () => {
    const inner = nodeHandler(verify, (_, _req, res) => res.end('inner'), { body: () => order.body })
    const other = createVerifier({ ...service.options, requireHttps: false })
    const port = await listen(createServer(nodeHandler(other, (_, req, res) => inner(req, res).then(() => true))))
    expect(await exchange(service.sign(order), port)).toMatchObject({ status: 200, body: 'inner' })
  })
})

describe('a handler that throws', () => {
  const failing = [
    ['throws', throwing('ours')],
    ['rejects', () => Promise.reject(new Error('ours'))]
  ] as const

  test.each(failing)('%s: 500, and onError has the error', async (_, handle) => {
    const errors: unknown[] = []
    const port = await serve(handle, { onError: error => errors.push(error) })
    expect(await exchange(service.sign(order), port)).toMatchObject({ status: 500, body: '' })
    expect(errors).toEqual([new Error('ours')])
  })

  test('is reported with console.error by default', async () => {
    const port = await serve(failing[0][1])
    // The one of this moment, and the error alone: no request with its Authorization.
    const error = vi.spyOn(console, 'error').mockReturnValue()
    await exchange(service.sign(order), port)
    expect(error.mock.calls).toEqual([[new Error('ours')]])
  })

  test('accepts the retry too when the status that the handler has set cannot be sent', async () => {
    const statuses = [99_999, 202]
    const answer: Handle = (_, _req, res) => {
      res.statusCode = statuses.shift()!
    }
    const port = await serve(answer, { onError: () => {} })
    const request = service.sign(order)
    expect((await exchange(request, port)).status).toBe(500)
    expect((await exchange(request, port)).status).toBe(202)
  })

  test('goes to next where there is one', async () => {
    const handler = nodeHandler(verify, failing[0][1])
    const errors: unknown[] = []
    const port = await listen(
      createServer((req, res) =>
        handler(req, res, error => {
          errors.push(error)
          res.writeHead(418).end()
        })
      )
    )
    expect((await exchange(service.sign(order), port)).status).toBe(418)
    expect(errors).toEqual([new Error('ours')])
  })

  test.each([
    ['rejects', () => Promise.reject(new Error('store'))],
    ['hangs', () => new Promise<never>(() => {})]
  ])('is not hidden by a release that %s', async (_, release) => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    vi.spyOn(store, 'release').mockImplementation(release)
    const errors: unknown[] = []
    const port = await serve(failing[0][1], { onError: error => errors.push(error) })
    expect((await exchange(service.sign(order), port)).status).toBe(500)
    expect(errors).toEqual([new Error('ours')])
    expect(error).toHaveBeenCalledOnce()
  })

  test('after a head was written: the answer is aborted', async () => {
    const port = await serve(
      (_, _req, res) => {
        res.writeHead(200, { 'Content-Length': 10 }).write('01234')
        throw new Error('ours')
      },
      { onError: () => {} }
    )
    await expect(exchange(service.sign(order), port)).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  test('a mistake around verify() goes the same way', async () => {
    const errors: unknown[] = []
    const port = await serve(() => {}, { onError: error => errors.push(error), body: () => ({ a: 1 }) as never })
    expect((await exchange(service.sign(order), port)).status).toBe(500)
    expect(errors).toEqual([expect.any(TypeError)])
  })
})

test('a framework that writes after a refusal crashes nothing', async () => {
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  process.on('uncaughtException', onError)
  closing.push(() => process.off('uncaughtException', onError))
  const port = await listen(
    createServer(async (req, res) => {
      const verdict = await verify(fromNodeRequest(req))
      if (verdict.status === 'verified') return
      await sendRefusal(res, verdict)
      res.end('Forbidden resource')
    })
  )
  expect(await exchange(forged(), port)).toMatchObject({ status: 401, body: '' })
  await new Promise(resolve => setImmediate(resolve))
  expect(errors).toEqual([])
})

describe('requests that are pipelined on one connection', () => {
  const one = () => service.sign({ target: '/1' })
  const two = () => service.sign({ target: '/2' })

  test('are handled one after another', async () => {
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

  const REFUSING = {
    'the handler': (handle: Handle) => nodeHandler(verify, handle),
    'sendRefusal()': (handle: Handle) => async (req: IncomingMessage, res: ServerResponse) => {
      const verdict = await verify(fromNodeRequest(req))
      if (verdict.status === 'verified') handle(verdict, req, res)
      else sendRefusal(res, verdict)
    }
  }
  test.each([
    ['the handler', 'in one packet', 1],
    ['the handler', 'behind a large body', 2_000_000],
    ['sendRefusal()', 'in one packet', 1],
    ['sendRefusal()', 'behind a large body', 2_000_000]
  ] as const)('after a refusal by %s there is no handling and no answer: %s', async (by, _, length) => {
    const handle = vi.fn((_: Verified, _req: IncomingMessage, res: ServerResponse) => res.end('handled'))
    const port = await listen(createServer(REFUSING[by](handle)))
    const refused = { ...service.sign({ target: '/1', body: Buffer.alloc(length) }), target: '/other' }
    expect(await statusesOn(port, refused, two())).toEqual([401])
    // What is not our handler is called, and cannot answer.
    expect(handle).toHaveBeenCalledTimes(by === 'the handler' ? 0 : 1)
  })

  test('are not handled after a 500', async () => {
    const handle = vi.fn().mockRejectedValue(new Error('ours'))
    const port = await serve(handle, { onError: () => {} })
    expect(await statusesOn(port, one(), two())).toEqual([500])
    expect(handle).toHaveBeenCalledOnce()
  })

  test('a connection that is kept alive serves the next request', async () => {
    const port = await serve((_, req, res) => {
      if (req.url === '/2') res.setHeader('Connection', 'close')
    })
    const socket = connect(port, '127.0.0.1')
    for (const request of [one(), two()]) {
      socket.write(wire(request))
      expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 204/)
    }
  })
})

describe('a client that disconnects', () => {
  test('before the handler is done: the handler runs to its end, and the claim is kept', async () => {
    let done = () => {}
    const handled = new Promise<void>(resolve => {
      done = resolve
    })
    const socket = new Socket()
    const port = await serve(async (_, req) => {
      const closed = once(req.socket, 'close')
      socket.destroy()
      await closed
      done()
    })
    const request = service.sign(order)
    socket.connect(port, '127.0.0.1').write(wire(request))
    await handled
    expect((await exchange(request, port)).status).toBe(401)
  })

  test('while its body is read: it is refused, and the process goes on', async () => {
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

/** All at once it would be more than a session of Node.js may hold. */
function* chunksOf(body: Uint8Array | string) {
  const bytes = Buffer.from(body)
  for (let i = 0; i < bytes.length; i += 65_536) yield bytes.subarray(i, i + 65_536)
}

describe('HTTP/2', () => {
  test('verified, refused and failed requests share a connection', async () => {
    const handler = nodeHandler(
      verify,
      (verified, _req, res) => {
        if (verified.body.length === 0) throw new Error('ours')
        res.end('answer')
      },
      { onError: () => {} }
    )
    const port = await listen(createHttp2Server(handler as never))
    const session = connectHttp2(`http://127.0.0.1:${port}`)
    closing.push(() => session.close())

    const send = (request: ReceivedRequest) =>
      new Promise<{ status: number; code: number }>(resolve => {
        const fields = pairs(request).map(([name, value]) => [
          name.toLowerCase() === 'host' ? ':authority' : name.toLowerCase(),
          value
        ])
        const stream = session.request({
          ':method': request.method,
          ':path': request.target,
          ...Object.fromEntries(fields)
        })
        let status = 0
        stream.on('response', head => {
          status = head[':status'] ?? 0
        })
        stream.on('error', () => {})
        stream.on('close', () => resolve({ status, code: stream.rstCode }))
        stream.resume()
        Readable.from(chunksOf((request.body ?? '') as Uint8Array | string)).pipe(stream)
      })

    expect(await send(service.sign(order))).toEqual({ status: 200, code: 0 })
    expect(await send(forged())).toEqual({ status: 401, code: 0 })
    const upload = service.sign({ ...order, body: Buffer.alloc(20_000_000) })
    expect(await send({ ...upload, target: '/other' })).toEqual({ status: 401, code: 0 })
    expect(await send(service.sign({ target: '/empty' }))).toEqual({ status: 500, code: 0 })
    expect(await send(service.sign(order))).toEqual({ status: 200, code: 0 })
  })
})

describe('options', () => {
  test('are the adapter’s', async () => {
    verify = createVerifier(service.options)
    const port = await serve(() => {}, { https: 'x-forwarded-proto', host: 'x-forwarded-host', prefix: '/hooks' })
    const signed = service.sign({ ...order, target: '/hooks/1' })
    const lines = pairs(signed).map(([name, value]) => [name === 'Host' ? 'X-Forwarded-Host' : name, value] as const)
    const headers = [...lines, ['Host', 'inside'], ['X-Forwarded-Proto', 'https']] as const
    expect((await exchange({ ...signed, headers, target: '/1' }, port)).status).toBe(204)
  })

  test('body may be a function of the request', async () => {
    const handler = nodeHandler(verify, () => {}, { body: req => (req as { rawBody?: Buffer }).rawBody })
    const port = await listen(
      createServer(async (req, res) => {
        Object.assign(req, { rawBody: Buffer.concat(await req.toArray()) })
        await handler(req, res)
      })
    )
    expect((await exchange(service.sign(order), port)).status).toBe(204)
    expect((await exchange(forged(), port)).status).toBe(401)
  })

  test('are not inherited', async () => {
    const polluted = Object.prototype as Record<string, unknown>
    try {
      polluted['https'] = true
      verify = createVerifier(service.options)
      expect((await exchange(service.sign(order), await serve(() => {}))).status).toBe(401)
    } finally {
      delete polluted['https']
    }
  })

  test.each([
    [{ https: 'yes' }, 'options.https is "yes"'],
    [{ prefix: 'hooks' }, 'options.prefix is "hooks"'],
    [{ drainBytes: -1 }, 'options.drainBytes is the number -1: pass a number of bytes, at least 0, such as 10485760'],
    [{ drainTimeout: '5s' }, 'options.drainTimeout is a string: pass a number of milliseconds, at least 1'],
    [{ onRefused: 'log' }, 'options.onRefused is a string: pass a function'],
    [{ onError: 1 }, 'options.onError is the number 1: pass a function'],
    [{ onrefused: () => {} }, 'nodeHandler() has no option "onrefused"']
  ])('%j is a TypeError at once', (options, message) => {
    expect(() => nodeHandler(verify, () => {}, options as never)).toThrow(TypeError)
    expect(() => nodeHandler(verify, () => {}, options as never)).toThrow(message)
  })

  test('rejects a verifier that is not one, and a missing handler', () => {
    expect(() => nodeHandler((() => {}) as never, () => {})).toThrow(/pass what createVerifier\(\) returned/)
    expect(() => nodeHandler(verify, undefined as never)).toThrow(/the handler is undefined: pass a function/)
  })
})

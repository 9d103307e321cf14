import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createVerifier,
  type NodeMiddlewareOptions,
  nodeMiddleware,
  type ReceivedRequest,
  type VerifiedRequest
} from '../../../../src/index.ts'
import { memoryReplayStore } from '../../../../src/replay/index.ts'
import { exchange, listenInTest } from '../../../support/node-server.ts'
import { CHALLENGE, service } from '../../../support/service.ts'
import { exchangeBytes, statusesOf, wire } from '../../../support/wire.ts'

// outcome.test.ts tests when the claim is released, and examples/test the frameworks.

const order = { target: '/hook?id=1', body: '{"amount":100}' }
const forged = (): ReceivedRequest => ({ ...service.sign(order), body: '{"amount":900}' })

const OPTIONS = { ...service.options, requireHttps: false }
let verify: ReturnType<typeof createVerifier>
beforeEach(() => {
  verify = createVerifier({ ...OPTIONS, replayStore: memoryReplayStore() })
})

type Handle = (req: VerifiedRequest, res: ServerResponse) => unknown

/** Serves with the middleware, and this handler behind it. An error is answered with 418. */
function serve(handle: Handle, options?: NodeMiddlewareOptions) {
  const middleware = nodeMiddleware(verify, options)
  const errors: unknown[] = []
  const receive = (req: IncomingMessage, res: ServerResponse) =>
    middleware(req, res, error => {
      if (error === undefined) return handle(req as VerifiedRequest, res)
      errors.push(error)
      return res.writeHead(418).end()
    })
  return listenInTest(createServer(receive)).then(port => ({ port, errors }))
}

test('a verified request goes on, with its verdict and the bytes that were verified', async () => {
  let seen: Partial<VerifiedRequest> = {}
  const { port } = await serve((req, res) => {
    seen = { verified: req.verified, body: req.body }
    res.end()
  })
  expect((await exchange(service.sign(order), port)).status).toBe(200)
  expect(seen.verified).toMatchObject({ status: 'verified', accountId: '1234' })
  expect(JSON.parse(seen.body as never)).toEqual({ amount: 100 })
  expect(seen.body?.buffer).toBe(seen.verified?.body.buffer)
})

test('a request without a body goes on with no bytes', async () => {
  const { port } = await serve((req, res) => res.end(`${Buffer.isBuffer(req.body)} ${req.body.length}`))
  expect(await exchange(service.sign({ method: 'GET', target: '/hook' }), port)).toMatchObject({ body: 'true 0' })
})

test('a refused request is passed to onRefused, answered with 401, and goes no further', async () => {
  const [handle, onRefused] = [vi.fn(), vi.fn(({ failures }, req, res) => [failures[0].code, req.url, res.headersSent])]
  const { port, errors } = await serve(handle, { onRefused })
  const { status, headers, body } = await exchange(forged(), port)
  expect([status, headers['www-authenticate'], body]).toEqual([401, CHALLENGE, ''])
  expect(onRefused).toHaveReturnedWith(['digest-mismatch', '/hook?id=1', false])
  expect([handle.mock.calls, errors]).toEqual([[], []])
})

test('onRefused may choose another status', async () => {
  const { port } = await serve(vi.fn(), { onRefused: () => 503 })
  const { status, headers } = await exchange(forged(), port)
  expect([status, headers['retry-after']]).toEqual([503, '10'])
})

test('mounted twice, it says so to next', async () => {
  const middleware = nodeMiddleware(verify)
  const errors: unknown[] = []
  const server = createServer((req, res) => {
    middleware(req, res, () =>
      middleware(req, res, error => {
        errors.push(error)
        res.end()
      })
    )
  })
  await exchange(service.sign(order), await listenInTest(server))
  expect(errors).toEqual([expect.any(TypeError)])
  expect(String(errors)).toContain('mount it once')
})

test('a handler in the place of options is a TypeError that says where it goes, and starts with the caller', () => {
  const call = () => nodeMiddleware(verify, (() => {}) as never)
  expect(call).toThrow('app.post(')
  let stack = ''
  try {
    call()
  } catch (error) {
    stack = (error as Error).stack ?? ''
  }
  expect(stack.split('\n')[1]).toContain('middleware.test.ts')
})

test('a mistake in the program goes to next', async () => {
  const { port, errors } = await serve(vi.fn(), { body: () => ({ amount: 100 }) as never })
  expect((await exchange(service.sign(order), port)).status).toBe(418)
  expect(errors).toEqual([expect.any(TypeError)])
})

test.each([
  ['throws', vi.fn().mockThrow(new Error('ours'))],
  ['rejects', vi.fn().mockRejectedValue(new Error('ours'))]
])('when next itself %s, the claim is released, and the error is not passed to next', async (_, next) => {
  const middleware = nodeMiddleware(verify)
  const results: unknown[] = []
  const port = await listenInTest(
    createServer((req, res) => {
      middleware(req, res, next)
        .catch(error => results.push(error))
        .finally(() => res.end())
    })
  )
  const request = service.sign(order)
  await exchange(request, port)
  expect([results, next.mock.calls]).toEqual([[new Error('ours')], [[]]])
  await exchange(request, port)
  expect(next).toHaveBeenCalledTimes(2)
})

test('the bytes may come from a parser, and become the body', async () => {
  const middleware = nodeMiddleware(verify, { body: req => (req as { rawBody?: Buffer }).rawBody })
  const bodies: unknown[] = []
  const receive = async (req: IncomingMessage, res: ServerResponse) => {
    const parsed = { rawBody: Buffer.concat(await req.toArray()), body: { amount: 100 } }
    await middleware(Object.assign(req, parsed), res, () => {
      bodies.push(String((req as VerifiedRequest).body))
      res.end()
    })
  }
  const port = await listenInTest(createServer(receive))
  expect((await exchange(service.sign(order), port)).status).toBe(200)
  expect((await exchange(forged(), port)).status).toBe(401)
  expect(bodies).toEqual(['{"amount":100}'])
})

test('pipelined requests go on one after another', async () => {
  const order: string[] = []
  const { port } = await serve(async (req, res) => {
    order.push(`begin ${req.url}`)
    await new Promise(resolve => setTimeout(resolve, 20))
    order.push(`end ${req.url}`)
    if (req.url === '/2') res.setHeader('Connection', 'close')
    res.end()
  })
  const sent = Buffer.concat([wire(service.sign({ target: '/1' })), wire(service.sign({ target: '/2' }))])
  expect(statusesOf(await exchangeBytes(port, sent))).toEqual([200, 200])
  expect(order).toEqual(['begin /1', 'end /1', 'begin /2', 'end /2'])
})

describe('options', () => {
  test.each([
    [{ body: Buffer.from('{}') }, 'options.body'],
    [{ https: 'yes' }, 'options.https is "yes"'],
    [{ drainBytes: -1 }, 'options.drainBytes is the number -1'],
    [{ onRefused: 'log' }, 'options.onRefused is a string: pass a function'],
    [{ onError: () => {} }, 'nodeMiddleware() has no option "onError"']
  ])('%j is a TypeError at once', (options, message) => {
    expect(() => nodeMiddleware(verify, options as never)).toThrow(TypeError)
    expect(() => nodeMiddleware(verify, options as never)).toThrow(message)
  })

  test('a verifier that is not one is a TypeError at once', () => {
    expect(() => nodeMiddleware((() => {}) as never)).toThrow('nodeMiddleware() got a function')
  })
})

import { createServer } from 'node:http'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { createVerifier, fetchHandler, lambdaHandler, nodeHandler, type ReceivedRequest } from '../../../src/index.ts'
import { memoryReplayStore } from '../../../src/replay/index.ts'
import { exchange, listenInTest } from '../../support/node-server.ts'
import { CHALLENGE, linesOf, service, withHeaders } from '../../support/service.ts'

// The handlers of all platforms promise this.

const order = { target: '/hook', body: '{"amount":100}' }
const forged = () => ({ ...service.sign(order), body: '{"amount":900}' })

const OPTIONS = { ...service.options, requireHttps: false }
let verify: ReturnType<typeof createVerifier>
beforeEach(() => {
  verify = createVerifier({ ...OPTIONS, replayStore: memoryReplayStore() })
})

const answer = (status: number, headers: object = {}, body = '') => {
  const all = new Headers(headers as Record<string, string>)
  return { status, challenge: all.get('WWW-Authenticate'), retryAfter: all.get('Retry-After'), body }
}
const refused = answer(401, { 'WWW-Authenticate': CHALLENGE })

type Handle = (...args: never[]) => unknown

/** Sends a request; returns the sender's view of the answer. */
type Ask = (request: ReceivedRequest, handle: Handle, options?: object) => Promise<ReturnType<typeof answer>>

const overNode: Ask = async (request, handle, options) => {
  const server = createServer(nodeHandler(verify, handle as () => unknown, { onError: () => {}, ...options }))
  const { status, headers, body } = await exchange(request, await listenInTest(server))
  return answer(status, headers, body)
}

const overFetch: Ask = async (request, handle, options) => {
  const { method, target } = request
  const init = { method, headers: linesOf(request) as [string, string][], body: request.body as string }
  const received = new Request(`http://receiver.example${target}`, init)
  const response = await fetchHandler(verify, handle as () => Response, options)(received)
  return answer(response.status, response.headers, await response.text())
}

const overLambda: Ask = async (request, handle, options) => {
  const { method: httpMethod, target: path } = request
  const body = Buffer.from(request.body as string).toString()
  const event = { httpMethod, path, headers: Object.fromEntries(linesOf(request)), body, requestContext: {} }
  const result = await lambdaHandler(verify, handle as () => undefined, options)(event, 'context')
  return answer(result.statusCode, result.headers, result.body)
}

type Make = (verify: unknown, handle: unknown, options?: unknown) => unknown

type NodeHandle = (verified: unknown, req: unknown, res: { statusCode: number }) => void
const nodeAnswer =
  (status: number): NodeHandle =>
  (_, _req, res) => {
    res.statusCode = status
  }
const fetchAnswer = (status: number) => () => new Response(null, { status })
const lambdaAnswer = (statusCode: unknown) => () => ({ statusCode, body: '' })

const HANDLERS = [
  { make: nodeHandler as Make, ask: overNode, more: 2, failure: answer(500), answerWith: nodeAnswer },
  { make: fetchHandler as Make, ask: overFetch, more: 1, failure: new Error('ours'), answerWith: fetchAnswer },
  { make: lambdaHandler as Make, ask: overLambda, more: 2, failure: new Error('ours'), answerWith: lambdaAnswer }
]

describe.each(HANDLERS)('$make.name', ({ make, ask, more, failure, answerWith }) => {
  test('a handler that returns nothing is answered with 204', async () => {
    const handle = vi.fn()
    expect(await ask(service.sign(order), handle)).toEqual(answer(204))
    expect(handle).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ status: 'verified' }),
      ...Array(more).fill(expect.anything())
    )
  })

  test('a forged request is shown to onRefused, never reaches the handler, and gets a 401 without a body', async () => {
    const [handle, onRefused] = [vi.fn(), vi.fn()]
    expect(await ask(forged(), handle, { onRefused })).toEqual(refused)
    const verdict = expect.objectContaining({ status: 'rejected' })
    expect(onRefused).toHaveBeenCalledExactlyOnceWith(verdict, ...Array(more).fill(expect.anything()))
    expect(handle).not.toHaveBeenCalled()
  })

  test('a request that could not be judged is answered with 503 and Retry-After', async () => {
    const lookupTxt = () => Promise.reject(Object.assign(new Error(), { code: 'ESERVFAIL' }))
    verify = createVerifier({ ...OPTIONS, lookupTxt })
    expect(await ask(service.sign(order), vi.fn())).toEqual(answer(503, { 'Retry-After': '10' }))
  })

  test.each([answer(503, { 'Retry-After': '10' }), answer(400), refused, answer(599)])(
    'onRefused chooses $status',
    async expected => {
      expect(await ask(forged(), vi.fn(), { onRefused: () => expected.status })).toEqual(expected)
    }
  )

  test.each([399, 600, 200, 503.5, Number.NaN, '503', Promise.resolve(503), null, { status: 503 }])(
    'onRefused does not choose with %j',
    async value => expect(await ask(forged(), vi.fn(), { onRefused: () => value })).toEqual(refused)
  )

  test.each([
    ['throws', vi.fn().mockThrow(new Error('log'))],
    ['rejects', vi.fn().mockRejectedValue(new Error('log'))]
  ])('a request is refused all the same when onRefused %s', async (_, onRefused) => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    expect(await ask(forged(), vi.fn(), { onRefused })).toEqual(refused)
    expect(error.mock.calls).toEqual([[new Error('log')]])
    error.mockRestore()
  })

  test('the claim is released when the handler fails, so that a retry is accepted', async () => {
    const handle = vi.fn().mockRejectedValueOnce(new Error('ours'))
    const request = service.sign(order)
    expect(await ask(request, handle).catch(error => error)).toEqual(failure)
    expect(await ask(request, handle)).toEqual(answer(204))
    expect(await ask(request, handle)).toEqual(refused)
  })

  test.each([500, 503, 599])('the claim is released when the handler answers %i', async status => {
    const request = service.sign(order)
    expect((await ask(request, answerWith(status))).status).toBe(status)
    expect(await ask(request, vi.fn())).toEqual(answer(204))
    expect(await ask(request, vi.fn())).toEqual(refused)
  })

  test.each([202, 301, 404, 499])('the claim is kept when the handler answers %i', async status => {
    const request = service.sign(order)
    expect((await ask(request, answerWith(status))).status).toBe(status)
    expect(await ask(request, vi.fn())).toEqual(refused)
  })

  test('an answer of 500 leaves after the release, and also when the release fails', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    const store = memoryReplayStore()
    const released = vi.fn()
    const release = async () => {
      await new Promise(resolve => setTimeout(resolve, 20))
      released()
      throw new Error('of the store')
    }
    verify = createVerifier({ ...OPTIONS, replayStore: { ...store, release } })
    expect((await ask(service.sign(order), answerWith(500))).status).toBe(500)
    expect(released).toHaveBeenCalledOnce()
    expect(error).toHaveBeenCalledOnce()
    error.mockRestore()
  })

  test('a handler takes the options of its adapter', async () => {
    verify = createVerifier(service.options)
    const signed = service.sign({ ...order, target: '/hooks/1' })
    const forwarded = { Host: 'inside', 'X-Forwarded-Host': 'receiver.example', 'X-Forwarded-Proto': 'https' }
    const options = { https: 'x-forwarded-proto', host: 'x-forwarded-host', prefix: '/hooks' }
    const request = { ...withHeaders(signed, forwarded), target: '/1' }
    expect(await ask(request, vi.fn(), options)).toEqual(answer(204))
    expect(await ask(request, vi.fn())).toEqual(refused)
  })

  test('a handler takes no options from Object.prototype', async () => {
    const polluted = Object.prototype as Record<string, unknown>
    try {
      polluted['prefix'] = '/hooks'
      expect(await ask(service.sign(order), vi.fn())).toEqual(answer(204))
    } finally {
      delete polluted['prefix']
    }
  })

  test.each([
    [{ https: 'yes' }, 'options.https is "yes"'],
    [{ prefix: 'hooks' }, 'options.prefix is "hooks"'],
    [{ body: Buffer.from('{}') }, 'body'],
    [{ body: '{}' }, 'body'],
    [{ body: new Uint8Array(0) }, 'body'],
    [{ onRefused: 'log' }, 'options.onRefused is a string: pass a function'],
    [{ onrefused: () => {} }, '() has no option "onrefused"']
  ])('the options %j of a handler are a TypeError at once', (options, message) => {
    expect(() => make(verify, vi.fn(), options)).toThrow(TypeError)
    expect(() => make(verify, vi.fn(), options)).toThrow(message)
  })

  test('rejects a verifier that is not one, and a missing handler', () => {
    expect(() => make(() => {}, vi.fn())).toThrow(
      new RegExp(`^${make.name}\\(\\) got a function .* pass the result of createVerifier\\(\\)`)
    )
    expect(() => make(verify, undefined)).toThrow('the handler is undefined: pass a function')
  })
})

test('a handler that fails has its error after 1 s when the store does not release the claim', async () => {
  const replayStore = { ...memoryReplayStore(), release: vi.fn(() => new Promise<never>(() => {})) }
  verify = createVerifier({ ...OPTIONS, replayStore, replayTimeout: 60_000 })
  const reported = vi.spyOn(console, 'error').mockReturnValue()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const settled = vi.fn()
    const failing = overFetch(service.sign(order), () => Promise.reject(new Error('ours'))).then(settled, settled)
    await vi.waitFor(() => expect(replayStore.release).toHaveBeenCalledOnce(), { interval: 0 })
    await vi.advanceTimersByTimeAsync(999)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await failing
    expect(settled).toHaveBeenCalledExactlyOnceWith(new Error('ours'))
    expect(reported).toHaveBeenCalledExactlyOnceWith(
      new Error('the replay store did not release the claim within 1000 ms')
    )
  } finally {
    vi.useRealTimers()
    reported.mockRestore()
  }
})

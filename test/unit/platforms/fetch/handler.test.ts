import { describe, expect, test, vi } from 'vitest'
import { createVerifier, fetchHandler, type ReceivedRequest, refusalResponse } from '../../../../src/index.ts'
import { memoryReplayStore } from '../../../../src/replay/index.ts'
import { pairs } from '../../../meta/examples/kinds.ts'
import { service } from '../../../support/service.ts'

const verify = createVerifier({ ...service.options, replayStore: memoryReplayStore() })
const sign = () => service.sign({ target: '/hook', body: '{"id":1}' })

const toRequest = ({ method, target, body, ...signed }: ReceivedRequest): Request =>
  new Request(`https://receiver.example${target}`, {
    method,
    headers: pairs({ ...signed } as ReceivedRequest) as [string, string][],
    body: body as string
  })
const forged = () => toRequest({ ...sign(), body: '{"id":2}' })

describe('fetchHandler', () => {
  test('makes a function with a parameter: Deno passes no request to one without', () => {
    expect(fetchHandler(verify, () => {})).toHaveLength(1)
  })

  test('passes on the verified request, the request and everything else', async () => {
    const handle = vi.fn().mockReturnValue(new Response('answer', { status: 201 }))
    const request = toRequest(sign())
    const env = { KEY: 'value' }
    const context = { waitUntil() {} }
    const response = await fetchHandler(verify, handle)(request, env, context)
    expect([response.status, await response.text()]).toEqual([201, 'answer'])
    expect(handle).toHaveBeenCalledWith(expect.objectContaining({ status: 'verified' }), request, env, context)
  })

  test('refuses, and calls onRefused', async () => {
    const onRefused = vi.fn()
    const handle = vi.fn()
    const request = forged()
    const response = await fetchHandler(verify, handle, { onRefused })(request, 'more')
    expect([response.status, response.body, [...response.headers]]).toEqual([
      401,
      null,
      [['www-authenticate', 'Signature']]
    ])
    expect(onRefused).toHaveBeenCalledWith(expect.objectContaining({ status: 'rejected' }), request, 'more')
    expect(handle).not.toHaveBeenCalled()
  })

  test.each([
    [503, 503, '10'],
    [Promise.resolve(503), 401, null],
    [200, 401, null]
  ])('onRefused chooses the status: %j', async (returned, status, retryAfter) => {
    const response = await fetchHandler(verify, () => {}, { onRefused: () => returned })(forged())
    expect([response.status, response.headers.get('Retry-After')]).toEqual([status, retryAfter])
  })

  test('releases the claim and rethrows the error of the handler', async () => {
    const request = sign()
    const handle = vi.fn().mockRejectedValueOnce(new Error('ours'))
    await expect(fetchHandler(verify, handle)(toRequest(request))).rejects.toThrow('ours')
    expect((await fetchHandler(verify, handle)(toRequest(request))).status).toBe(204)
    expect((await fetchHandler(verify, handle)(toRequest(request))).status).toBe(401)
  })

  test('takes the options of the adapter', async () => {
    const { headers, ...signed } = service.sign({ target: '/hooks/1', body: '{}' })
    const request = new Request('http://inside.example/1', { method: signed.method, headers, body: '{}' })
    const handler = fetchHandler(verify, () => {}, { https: true, host: 'header', prefix: '/hooks' })
    expect((await handler(request)).status).toBe(204)
  })

  test.each([
    [{ https: 1 }, 'options.https is the number 1'],
    [{ onRefused: 1 }, 'options.onRefused is the number 1'],
    [{ onError: () => {} }, 'fetchHandler() has no option "onError"']
  ])('%j is a TypeError at once', (options, message) => {
    expect(() => fetchHandler(verify, () => {}, options as never)).toThrow(message)
  })
})

describe('refusalResponse', () => {
  test('has the status, no body, and Retry-After only with 503', async () => {
    const unavailable = { status: 'unavailable', failures: [{ code: 'key-lookup-failed' }], checks: {} }
    const response = refusalResponse(unavailable as never)
    expect([response.status, response.body, response.headers.get('Retry-After')]).toEqual([503, null, '10'])
    const tooLarge = { status: 'rejected', failures: [{ code: 'body-too-large' }], checks: {} }
    expect(refusalResponse(tooLarge as never).status).toBe(413)
  })

  test.each([
    ['a verified verdict', { status: 'verified', failures: [], checks: {} }, 'a verdict that is verified'],
    ['a promise', Promise.resolve(), 'a Promise, so an await is missing'],
    ['nothing', undefined, 'undefined']
  ])('of %s is a TypeError', (_, verdict, what) => {
    expect(() => refusalResponse(verdict as never)).toThrow(`refusalResponse() got ${what}`)
  })
})

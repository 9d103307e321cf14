import { describe, expect, test, vi } from 'vitest'
import { createVerifier, fetchHandler, refusalResponse } from '../../../../src/index.ts'
import { CHALLENGE, linesOf, service } from '../../../support/service.ts'

// ../handler.test.ts tests the promises of all handlers.

const verify = createVerifier(service.options)

function received(body = '{"id":1}'): Request {
  const { method, target, ...signed } = service.sign({ target: '/hook', body: '{"id":1}' })
  const headers = linesOf({ method, target, ...signed }) as [string, string][]
  return new Request(`https://receiver.example${target}`, { method, headers, body })
}

describe('fetchHandler', () => {
  test('makes a function with a parameter: Deno passes no request to one without', () => {
    expect(fetchHandler(verify, () => {})).toHaveLength(1)
  })

  test('passes on the verified request, the request and everything else, and returns the response', async () => {
    const response = new Response('answer', { status: 201 })
    const handle = vi.fn().mockReturnValue(response)
    const [request, env, context] = [received(), { KEY: 'value' }, { waitUntil() {} }]
    expect(await fetchHandler(verify, handle)(request, env, context)).toBe(response)
    expect(handle).toHaveBeenCalledWith(expect.objectContaining({ status: 'verified' }), request, env, context)
  })

  test('a refusal has no body, and only headers of ours, whatever onRefused does', async () => {
    const onRefused = vi.fn((_: unknown, request: Request, ..._more: unknown[]) => request.headers.set('Trailer', 'X'))
    const request = received('{"id":2}')
    const response = await fetchHandler<Request, [string]>(verify, () => {}, { onRefused })(request, 'more')
    expect([response.body, [...response.headers]]).toEqual([null, [['www-authenticate', CHALLENGE]]])
    expect(onRefused).toHaveBeenCalledWith(expect.objectContaining({ status: 'rejected' }), request, 'more')
  })

  test('takes the host from the header, and has no onError', async () => {
    const { headers, ...signed } = service.sign({ target: '/hook', body: '{}' })
    const request = new Request('http://inside.example/hook', { method: signed.method, headers, body: '{}' })
    expect((await fetchHandler(verify, () => {}, { https: true, host: 'header' })(request)).status).toBe(204)
    const options = { onError: () => {} } as never
    expect(() => fetchHandler(verify, () => {}, options)).toThrow('fetchHandler() has no option "onError"')
  })
})

describe('refusalResponse', () => {
  test('refusalResponse has the status, no body, and Retry-After only with 503', async () => {
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
  ])('refusalResponse of %s is a TypeError', (_, verdict, what) => {
    expect(() => refusalResponse(verdict as never)).toThrow(`refusalResponse() got ${what}`)
  })
})

import { describe, expect, test } from 'vitest'
import { assertReceivedRequest } from '../../../../src/core/http/assert-request.ts'
import type { ReceivedRequest } from '../../../../src/core/http/request.ts'

const request = { method: 'POST', target: '/hook', headers: [], body: null, https: true }
const judge = (given: unknown) => () => assertReceivedRequest(given as ReceivedRequest)

describe('accepts as body', () => {
  test.each<[string, () => unknown]>([
    ['null', () => null],
    ['text', () => ''],
    ['bytes', () => new Uint8Array(1)],
    ['an async iterable', () => (async function* () {})()],
    ['a web stream, also where it cannot be iterated', () => ({ getReader: () => {} })]
  ])('a request may have as its body: %s', (_, body) => expect(judge({ ...request, body: body() })).not.toThrow())
})

test('accepts a record as headers', () => expect(judge({ ...request, headers: {} })).not.toThrow())

describe('throws a TypeError that says what was expected and what it got, for', () => {
  test.each<[string, unknown, string]>([
    ['undefined', undefined, 'verify() got undefined: it takes { method, target, headers, body, https }'],
    ['null', null, 'verify() got null: '],
    ['text', 'POST /', 'verify() got a string: '],
    [
      'a promise',
      Promise.resolve(),
      'pass what fromNodeRequest(req), fromFetchRequest(request) or fromLambdaEvent(event) returns'
    ],
    ['a URL alone', { url: '/hook' }, 'request.method is undefined: '],
    [
      'no method',
      { ...request, method: undefined },
      'request.method is undefined: it must be a string, such as "POST"'
    ],
    ['a target that is not text', { ...request, target: 7 }, 'request.target is the number 7: '],
    ['headers that are text', { ...request, headers: 'Host: a' }, 'request.headers is a string: '],
    ['null as headers', { ...request, headers: null }, 'request.headers is null: '],
    ['https that is not a boolean', { ...request, https: 'yes' }, 'request.https is a string: '],
    ['no body', { ...request, body: undefined }, 'request.body is undefined: pass the raw bytes, or null for no body'],
    [
      'an ArrayBuffer',
      { ...request, body: new ArrayBuffer(1) },
      'request.body is an ArrayBuffer: pass its bytes, new Uint8Array(buffer)'
    ],
    [
      'a parsed body',
      { ...request, body: { amount: 1 } },
      'the digest is over the bytes as sent, so pass a Uint8Array, a string or the stream, taken before any body'
    ],
    [
      'a number as body',
      { ...request, body: 5 },
      'request.body is the number 5 and not raw bytes (is it a parsed body?)'
    ],
    ['an array as body', { ...request, body: [1, 2] }, 'and not raw bytes (is it a parsed body?)']
  ])('a request is refused with a TypeError that says what is expected: %s', (_, given, message) => {
    expect(judge(given)).toThrow(TypeError)
    expect(judge(given)).toThrow(message)
  })
})

const node = { rawHeaders: [] }
const fetched = { url: 'https://hooks.example.com/', headers: new Headers() }

describe('names the adapter for', () => {
  test.each<[string, unknown, string]>([
    ["Node's request (node:http, Express, Nest)", node, 'fromNodeRequest(req)'],
    ["Fastify's request", { raw: node }, 'fromNodeRequest(request.raw)'],
    ['a fetch Request', fetched, 'fromFetchRequest(request)'],
    ["Koa's context", { req: node }, 'fromNodeRequest(ctx.req)'],
    ["Hono's context", { req: { raw: fetched } }, 'fromFetchRequest(c.req.raw)'],
    ["Hono's request", { raw: fetched }, 'fromFetchRequest(c.req.raw)'],
    ['an event with a fetch Request', { request: fetched }, 'fromFetchRequest(event.request)'],
    ['a Lambda event', { requestContext: {} }, 'fromLambdaEvent(event)'],
    ['a Lambda event', { httpMethod: 'POST' }, 'fromLambdaEvent(event)'],
    ['a Lambda event', { rawPath: '/' }, 'fromLambdaEvent(event)']
  ])('the TypeError names the adapter for %s: %j', (what, request, call) => {
    const message = `verify() got ${what}: an adapter converts it byte for byte, so write verify(${call})`
    expect(judge(request)).toThrow(message)
  })
})

describe('names none for', () => {
  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['text', 'POST / HTTP/1.1'],
    ['a function', () => node],
    ['an empty object', {}],
    ['headers that are not an array', { rawHeaders: 'Host: a' }],
    ['a url without headers', { url: '/' }],
    ['null as headers', { url: '/', headers: null }],
    ['headers as a record', { url: '/', headers: { host: 'a' } }],
    ['headers with a get that is not a function', { url: '/', headers: { get: 'a' } }],
    ['headers without a url', { headers: new Headers() }],
    ['a url that is not text', { url: new URL('https://a.example/'), headers: new Headers() }],
    ['parts that are null', { raw: null, req: null, request: null, requestContext: null }],
    ['parts that are text', { raw: 'a', req: 'a', request: 'a' }],
    ['a req whose raw is null', { req: { raw: null } }]
  ])('the TypeError names no adapter for %s', (_, request) => {
    expect(judge(request)).toThrow(TypeError)
    expect(judge(request)).not.toThrow('an adapter converts it')
  })
})

import { describe, expect, test } from 'vitest'
import { adapterCallFor } from '../../../src/http/framework-request.ts'

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
  ])('%s: %j', (what, request, call) => {
    expect(adapterCallFor(request)).toEqual({ what, call })
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
    ['parts that are text', { raw: 'a', req: 'a', request: 'a', requestContext: 'a' }],
    ['a req whose raw is null', { req: { raw: null } }],
    ['a method and a path that are not text', { httpMethod: 1, rawPath: 1 }]
  ])('%s', (_, request) => {
    expect(adapterCallFor(request)).toBeUndefined()
  })
})

import type * as aws from 'aws-lambda'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { createVerifier, fromLambdaEvent, type LambdaEvent, type ReceivedRequest } from '../../../../src/index.ts'
import { linesOf, service } from '../../../support/service.ts'
import { failuresOf } from '../../../support/verdicts.ts'
import functionUrl from './events/function-url.json' with { type: 'json' }
import httpApi1 from './events/http-api-1.0.json' with { type: 'json' }
import httpApi2 from './events/http-api-2.0.json' with { type: 'json' }
import loadBalancer from './events/load-balancer.json' with { type: 'json' }
import loadBalancerMultiValue from './events/load-balancer-multi-value.json' with { type: 'json' }
import restApi from './events/rest-api.json' with { type: 'json' }

const headerOf = (request: ReceivedRequest, name: string) =>
  linesOf(request).flatMap(([header, value]) => (header.toLowerCase() === name ? [value] : []))

describe('the documented events', () => {
  const TARGET = '/my/path?parameter1=value1&parameter1=value2&parameter2=value'
  const HELLO = { method: 'POST', target: TARGET, body: 'Hello from Lambda', https: true }

  test('REST API: the path with the stage, repeats adjacent, Content-Length from the body', () => {
    const request = fromLambdaEvent(restApi)
    const target = '/Prod/hello/world?name=you&name=me'
    expect(request).toMatchObject({ method: 'POST', target, body: '{"test":"body"}', https: true })
    expect(headerOf(request, 'host')).toEqual(['70ixmpl4fl.execute-api.us-east-2.amazonaws.com'])
    expect(headerOf(request, 'content-length')).toEqual(['15'])
  })

  test('HTTP API, payload format 1.0', () => {
    const request = fromLambdaEvent(httpApi1)
    expect(request).toMatchObject({ ...HELLO, method: 'GET', body: 'Hello from Lambda!' })
    expect(headerOf(request, 'header2')).toEqual(['value1', 'value2'])
  })

  test.each([
    ['HTTP API, payload format 2.0', httpApi2, 'Hello from Lambda'],
    ['function URL', functionUrl, 'Hello from client!']
  ])('a documented event is a request: %s', (_, event, body) => {
    const request = fromLambdaEvent(event)
    expect(request).toMatchObject({ ...HELLO, body })
    const lines = { header1: 'value1', header2: 'value1,value2', Cookie: 'cookie1; cookie2' }
    expect(linesOf(request)).toEqual(Object.entries(lines))
  })

  test('load balancer: the query as it is, and HTTPS only as X-Forwarded-Proto says, when asked', () => {
    expect(fromLambdaEvent(loadBalancer)).toMatchObject({ target: '/?myKey=val%202', https: false })
    expect(fromLambdaEvent(loadBalancer, { https: 'x-forwarded-proto' }).https).toBe(true)

    const request = fromLambdaEvent(loadBalancerMultiValue, { https: 'x-forwarded-proto' })
    expect(request).toMatchObject({ target: '/?myKey=val%201&myKey=val2', https: false })
    expect(headerOf(request, 'cookie')).toHaveLength(2)
    expect(headerOf(request, 'content-length')).toEqual([])
  })
})

describe('the target', () => {
  const onDomain = (event: LambdaEvent, domainName: string, stage: string, path: string): LambdaEvent => ({
    ...event,
    rawPath: path,
    requestContext: { ...event.requestContext, domainName, stage }
  })
  /** Makes the event of a signed GET without a query at this path, in the form of another event. */
  const eventOf = (event: object, signed: ReceivedRequest, path: string, context: object): LambdaEvent => ({
    ...event,
    ...('rawPath' in event ? { rawPath: path, rawQueryString: '', cookies: [] } : { path, httpMethod: 'GET' }),
    queryStringParameters: {},
    multiValueQueryStringParameters: {},
    multiValueHeaders: null,
    headers: Object.fromEntries(linesOf(signed)),
    body: null,
    requestContext: { ...context, path, http: 'rawPath' in event ? { method: 'GET' } : undefined }
  })
  const target = (event: LambdaEvent) => fromLambdaEvent({ ...event, rawQueryString: '' }).target
  const ownDomain = 'id.execute-api.us-east-1.amazonaws.com'

  test('the target of an HTTP API on a custom domain has no stage, and nothing more is left out', () => {
    expect(target(onDomain(httpApi2, 'hooks.example.com', 'prod', '/prod'))).toBe('/')
    expect(target(onDomain(httpApi2, 'hooks.example.com', 'prod', '/product'))).toBe('/product')
  })

  // See developerguide/http-api-stages.html: `$default` is served from the base of the URL. The paths of format 2.0
  // behind a custom domain were read from published events of others: AWS documents only that the key of a mapping is
  // left out.
  const url = 'id.lambda-url.us-east-1.on.aws'
  test.each([
    ['HTTP API 2.0, $default', httpApi2, ownDomain, '$default', '/hook', '/hook', '/$default/hook'],
    ['HTTP API 2.0, a stage', httpApi2, ownDomain, 'prod', '/prod/hook', '/prod/hook', '/prod/prod/hook'],
    // Two paths that a handler can tell apart never have the same target.
    ['HTTP API 2.0, a space', httpApi2, ownDomain, '$default', '/a%20b', '/a b', '/a%20b'],
    ['HTTP API 2.0, own domain, $default', httpApi2, 'a.example', '$default', '/hook', '/hook', '/$default/hook'],
    ['HTTP API 2.0, own domain, a stage', httpApi2, 'a.example', 'prod', '/hook', '/prod/hook', '/prod/prod/hook'],
    ['HTTP API 1.0, $default', httpApi1, ownDomain, '$default', '/hook', '/hook', '/$default/hook'],
    ['HTTP API 1.0, a stage', httpApi1, ownDomain, 'prod', '/prod/hook', '/prod/hook', '/prod/prod/hook'],
    ['HTTP API 1.0, own domain, like the stage', httpApi1, 'a.example', 'prod', '/prod/hook', '/prod/hook', '/hook'],
    ['HTTP API 1.0, own domain, key', httpApi1, 'a.example', 'prod', '/key/hook', '/key/hook', '/hook'],
    ['REST API, a stage', restApi, ownDomain, 'prod', '/prod/hook', '/prod/hook', '/prod/prod/hook'],
    ['REST API, own domain, key', restApi, 'a.example', 'prod', '/key/hook', '/key/hook', '/hook'],
    ['function URL', functionUrl, url, '$default', '/hook', '/hook', '/$default/hook'],
    ['load balancer', loadBalancer, '', '', '/hook', '/hook', '/$default/hook']
  ])('%s: verified at the signed path, and at no other', async (_, event, domainName, stage, signed, path, other) => {
    const verify = createVerifier({ ...service.options, requireHttps: false })
    const request = service.sign({ method: 'GET', target: signed })
    const context = { ...event.requestContext, domainName, stage }
    const at = (path: string) => eventOf(event, request, path, context)
    expect(failuresOf(await verify(fromLambdaEvent(at(path))))).toEqual([])
    expect(failuresOf(await verify(fromLambdaEvent(at(other))))).toEqual(['signature: signature-mismatch'])
  })

  test('the target of an HTTP API is percent-encoded again, as it was decoded once', () => {
    const path = '/caf\u00e9 \u20ac/a?b#c/%2F/~x:@!$&\'()*+,;=-._/"<>[]^`{|}\\/\ud800'
    const start = "/caf%C3%A9%20%E2%82%AC/a%3Fb%23c/%252F/~x:@!$&'()*+,;=-._/"
    expect(target({ ...httpApi2, rawPath: path })).toBe(`${start}%22%3C%3E%5B%5D%5E%60%7B%7C%7D%5C/%EF%BF%BD`)
    const noQuery = { multiValueQueryStringParameters: null, queryStringParameters: null }
    expect(fromLambdaEvent({ ...httpApi1, ...noQuery, path: '/caf\u00e9%20' }).target).toBe('/caf%C3%A9%2520')
  })

  test('the target of a REST API has whole numbers first, as JavaScript orders names: it is refused', () => {
    const multiValueQueryStringParameters = JSON.parse('{ "b": ["1"], "2": ["x"] }')
    expect(fromLambdaEvent({ ...restApi, multiValueQueryStringParameters }).target).toBe('/Prod/hello/world?2=x&b=1')
  })

  test('the target of a function URL and of a load balancer is unchanged', () => {
    const path = '/a%2Fb//c d/[]|'
    expect(target({ ...functionUrl, rawPath: path })).toBe(path)
    expect(fromLambdaEvent({ ...loadBalancer, path, queryStringParameters: {} }).target).toBe(path)
    expect(fromLambdaEvent({ ...functionUrl, rawQueryString: 'a=%2f+%zz&&=' }).target).toBe('/my/path?a=%2f+%zz&&=')
  })

  test('the target of a REST API behind a custom domain has its base path; without one there, path is used', () => {
    const requestContext = { ...restApi.requestContext, path: '/v1/hello/world' }
    const targetOf = (event: object) => fromLambdaEvent({ ...restApi, ...event }).target
    expect(targetOf({ path: '/v1/hello/world', requestContext })).toBe('/v1/hello/world?name=you&name=me')
    expect(targetOf({ requestContext: {} })).toBe('/hello/world?name=you&name=me')
  })

  test('the target of a REST API has its decoded parameters re-encoded', () => {
    const parameters = { 'a b': ['\u00e9&=', ''], '[]': ["~-._!'()*/?:@"] }
    const event = { ...restApi, multiValueQueryStringParameters: parameters }
    const query = 'a%20b=%C3%A9%26%3D&a%20b=&%5B%5D=~-._%21%27%28%29%2A%2F%3F%3A%40'
    expect(fromLambdaEvent(event).target).toBe(`/Prod/hello/world?${query}`)
    const single = { multiValueQueryStringParameters: null, queryStringParameters: { id: '1', no: undefined } }
    expect(fromLambdaEvent({ ...event, ...single }).target).toBe('/Prod/hello/world?id=1')
  })
})

describe('the body', () => {
  test('the body is decoded when it is base64', () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe])
    const encoded = { body: bytes.toString('base64'), isBase64Encoded: true }
    expect(fromLambdaEvent({ ...functionUrl, ...encoded }).body).toEqual(bytes)
    expect(headerOf(fromLambdaEvent({ ...restApi, ...encoded }), 'content-length')).toEqual(['3'])
  })

  test('a Lambda event without a body gives null', () => {
    expect(fromLambdaEvent({ ...restApi, body: null }).body).toBeNull()
    expect(headerOf(fromLambdaEvent({ ...restApi, body: null }), 'content-length')).toEqual([])
    const { body: _, ...without } = functionUrl
    expect(fromLambdaEvent(without).body).toBeNull()
  })

  test('the body has its Content-Length in bytes, and a Content-Length that is there is kept', () => {
    expect(headerOf(fromLambdaEvent({ ...restApi, body: '\u20ac' }), 'content-length')).toEqual(['3'])
    const event = { ...restApi, multiValueHeaders: null, headers: { 'CONTENT-LENGTH': '7' } }
    expect(headerOf(fromLambdaEvent(event), 'content-length')).toEqual(['7'])
  })
})

test('headers: none at all, and one without a value', () => {
  expect(linesOf(fromLambdaEvent({ ...restApi, headers: null, multiValueHeaders: null, body: null }))).toEqual([])
  const event = { ...functionUrl, cookies: null, multiValueHeaders: {}, headers: { a: '1', b: undefined } }
  expect(linesOf(fromLambdaEvent(event))).toEqual([['a', '1']])
  const twice = { ...functionUrl, cookies: ['a=1', 'b=2'], headers: { cookie: 'a=1; b=2' } }
  expect(linesOf(fromLambdaEvent(twice))).toEqual([['cookie', 'a=1; b=2']])
})

test('a signed request whose REST API event has lost Content-Length is verified', async () => {
  const verify = createVerifier(service.options)
  const signed = service.sign({ target: '/Prod/hello/world?name=you&name=me', body: '\u20ac' })
  const headers = linesOf(signed).filter(([name]) => name !== 'Content-Length')
  const multiValueHeaders = Object.fromEntries(headers.map(([name, value]) => [name, [value]]))
  const event = { ...restApi, multiValueHeaders, body: '\u20ac' }
  expect((await verify(fromLambdaEvent(event))).status).toBe('verified')
  expect((await verify(fromLambdaEvent({ ...event, body: '\u20ac ' }))).status).toBe('rejected')
})

test('the published types of these events fit', () => {
  expectTypeOf<aws.APIGatewayProxyEvent>().toExtend<LambdaEvent>()
  expectTypeOf<aws.APIGatewayProxyEventV2>().toExtend<LambdaEvent>()
  expectTypeOf<aws.LambdaFunctionURLEvent>().toExtend<LambdaEvent>()
  expectTypeOf<aws.ALBEvent>().toExtend<LambdaEvent>()
  expectTypeOf<aws.S3Event>().not.toExtend<LambdaEvent>()
})

describe("mistakes are the programmer's", () => {
  const anything = (event: unknown) => () => fromLambdaEvent(event as LambdaEvent)

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['the event as text', JSON.stringify(restApi)],
    ['an event of another service', { Records: [{ eventSource: 'aws:s3' }] }],
    ['a WebSocket event', { requestContext: { connectionId: 'x', stage: 'prod' }, body: '' }],
    ['a Request', new Request('https://receiver.example/')]
  ])('a mistake of the programmer is a TypeError: %s', (_, event) =>
    expect(anything(event)).toThrow(/^fromLambdaEvent\(\) got .* the event of an HTTP request/)
  )

  test('a header that is no string, as in an event made by hand', async () => {
    const event = { ...restApi, multiValueHeaders: null, headers: { 'X-Count': 1 } } as unknown as LambdaEvent
    const verdict = createVerifier(service.options)(fromLambdaEvent(event))
    await expect(verdict).rejects.toThrow('yields the number 1 for "X-Count"')
  })

  test('a parsed body of a Lambda event is a TypeError', () => {
    expect(anything({ ...restApi, body: { test: 'body' } })).toThrow(/verify before middy httpJsonBodyParser/)
  })
})

test('the mistake of a body that was parsed says why, and what to do', () => {
  expect(() => fromLambdaEvent({ ...restApi, body: {} } as never)).toThrow(
    'event.body is a parsed body, and the digest is over the bytes as sent: verify before middy httpJsonBodyParser or the like'
  )
})

test('the stage stays in the path of an HTTP API that does not say its domain', () => {
  const requestContext = { http: { method: 'POST' }, stage: 'prod' }
  const event = { version: '2.0', rawPath: '/prod/hook', rawQueryString: '', requestContext }
  expect(fromLambdaEvent(event).target).toBe('/prod/hook')
  const domainName = 'hooks.example.com'
  expect(fromLambdaEvent({ ...event, requestContext: { ...requestContext, domainName } }).target).toBe('/hook')
})

import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  describeError,
  describeResponse,
  endpointOf,
  exchange,
  isRefusal,
  parseUrl,
  RESPONSE_TIMEOUT,
  type Response
} from '../../cli/exchange.ts'
import { listen } from '../support/listen.ts'
import { CHALLENGE } from '../support/service.ts'

const response = (status: number, headers: Response['headers'] = {}, body = ''): Response => ({
  method: 'POST',
  url: new URL('http://receiver.example/hook'),
  path: '/hook?id=$&',
  status,
  statusText: '',
  headers,
  body: Buffer.from(body)
})

describe('a refusal of this library is recognised', () => {
  test.each<[string, Response, boolean]>([
    ['401 with our challenge', response(401, { 'www-authenticate': 'Signature' }), true],
    ['401 that says what to sign', response(401, { 'www-authenticate': CHALLENGE }), true],
    ['401 with the challenge of another', response(401, { 'www-authenticate': 'Signature realm="a"' }), false],
    ['401 with our challenge and another', response(401, { 'www-authenticate': 'signature , Basic' }), true],
    ['401 with a challenge that begins like ours', response(401, { 'www-authenticate': 'Signatures' }), false],
    ['401 with our challenge as a parameter', response(401, { 'www-authenticate': 'Basic realm="Signature"' }), false],
    ['401 without a challenge', response(401), false],
    ['413', response(413), true],
    ['413 with text', response(413, { 'content-type': 'text/plain' }, 'too large'), true],
    ['413 with a page by its type', response(413, { 'content-type': 'TEXT/HTML; charset=utf-8' }), false],
    ['413 with a page by its first character', response(413, {}, '\n <html>'), false],
    ['503 with Retry-After', response(503, { 'retry-after': '10' }), true],
    ['503 without Retry-After', response(503), false],
    ['503 with Retry-After and a page', response(503, { 'retry-after': '10' }, '<!doctype html>'), false],
    ['400 with our challenge', response(400, { 'www-authenticate': 'Signature' }), false],
    ['500 with Retry-After', response(500, { 'retry-after': '10' }), false]
  ])('a refusal of this library is recognised: %s', (_, given, expected) => expect(isRefusal(given)).toBe(expected))
})

test('of a body that comes in pieces, the beginning is read, and no timer is left behind', async () => {
  const server = createServer((_, response) => {
    response.write('a', () => setImmediate(() => response.end('b'.repeat(20_000))))
  })
  const url = new URL(`http://127.0.0.1:${await listen(server)}/hook?a=b`)
  const [set, clear] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')]
  onTestFinished(() => {
    vi.restoreAllMocks()
    server.close()
  })
  const { path, body } = await exchange(url, { method: 'GET', headers: [['Host', 'a.example']], body: null })
  expect([path, body.length]).toEqual(['/hook?a=b', 16_384])
  const timer = set.mock.results[set.mock.calls.findIndex(([, delay]) => delay === 1000)]!.value
  expect(clear).toHaveBeenCalledWith(timer)
})

describe('a response of something else is described by its status and by who names itself', () => {
  test.each<[status: number, meaning: RegExp]>([
    [101, /another protocol/],
    [204, /accepted without a signature/],
    [301, /a redirect.*last URL/],
    [400, /could not read/],
    [401, /asks for credentials/],
    [403, /forbids it/],
    [404, /no route for POST \/hook;/],
    [405, /does not take this method/],
    [413, /a body limit/],
    [415, /Content-Type/],
    [421, /no site for this Host/],
    [429, /a rate limit/],
    [500, /its own log/],
    [502, /is it running/],
    [503, /a maintenance page/],
    [504, /timed out/],
    [102, /^an unknown status/],
    [600, /^an unknown status/]
  ])('a response of something else is described by its status: %i', (status, meaning) => {
    const text = describeResponse(response(status))
    expect(text).toMatch(meaning)
    expect(text).toMatch(/; it does not say who answered$/)
  })

  test.each<[name: string, status: number, headers: Response['headers'], body: string, meaning: RegExp]>([
    [
      'API Gateway without that route, by its error type',
      403,
      { 'x-amzn-errortype': 'MissingAuthenticationTokenException', 'x-amzn-requestid': 'a' },
      '{"message":"Missing Authentication Token"}',
      /^API Gateway has no route for POST \/hook.*add the route/
    ],
    [
      'API Gateway without that route, by its text',
      403,
      { 'x-amz-apigw-id': 'a' },
      '{"message":"Missing Authentication Token"}',
      /^API Gateway has no route for POST \/hook/
    ],
    [
      'an authorizer of API Gateway',
      403,
      { 'x-amzn-errortype': 'AccessDeniedException' },
      '{"message":"User is not authorized"}',
      /^API Gateway refuses it before the function/
    ],
    [
      'API Gateway that failed',
      500,
      { 'x-amzn-errortype': 'InternalServerErrorException' },
      '',
      /^API Gateway answers/
    ],
    ['a tunnel that is off', 404, { 'ngrok-error-code': 'ERR_NGROK_3200' }, '', /^the ngrok tunnel is off/],
    ['a tunnel to a closed port', 502, { 'ngrok-error-code': 'ERR_NGROK_8012' }, '', /nothing listens at the port/],
    ['another error of ngrok', 403, { 'ngrok-error-code': 'ERR_NGROK_9999' }, '', /^ngrok answers.*ERR_NGROK_9999/],
    [
      'Vercel without that deployment',
      404,
      { 'x-vercel-error': 'DEPLOYMENT_NOT_FOUND' },
      '',
      /^Vercel has no deployment/
    ],
    [
      'a function that failed at Vercel',
      500,
      { 'x-vercel-error': 'FUNCTION_INVOCATION_FAILED' },
      '',
      /^Vercel answers/
    ],
    ['a challenge of Cloudflare', 403, { 'cf-mitigated': 'challenge' }, '', /^Cloudflare takes it for a bot/],
    ['an error of Azure Front Door', 403, { 'x-azure-ref': 'a' }, '', /answered with x-azure-ref: a/],
    ['an application at Fly.io', 404, { 'fly-request-id': 'a' }, '', /^there is no route.*fly-request-id: a/]
  ])('a platform that answers by itself is named: %s', (_, status, headers, body, meaning) => {
    expect(describeResponse(response(status, headers, body))).toMatch(meaning)
  })

  test('each header in which a program names itself is shown, and the title of a page', () => {
    const headers = {
      'x-amz-cf-id': 'g',
      'cf-ray': 'f',
      via: 'e',
      'x-powered-by': 'd',
      server: 'c',
      'www-authenticate': 'b',
      location: 'a',
      'x-other': 'h'
    }
    const signs = 'location: a, www-authenticate: b, server: c, x-powered-by: d, via: e, x-amz-cf-id: g, cf-ray: f'
    const page = `<html><title>\n Sign in \x1b</title>`
    expect(describeResponse(response(405, headers, page))).toBe(
      `the route does not take this method; answered with ${signs}, page "Sign in \\x1b"`
    )
  })

  test.each([
    ['empty', '<title> </title>'],
    ['beyond the first 4,000 bytes', `${' '.repeat(4000)}<title>a</title>`]
  ])('a title that is %s is not shown', (_, body) => {
    expect(describeResponse(response(405, {}, body))).toMatch(/; it does not say who answered$/)
  })
})

test.each<[error: object, text: string]>([
  [{ code: 'ABORT_ERR', message: 'aborted' }, `nothing within ${RESPONSE_TIMEOUT / 1000} s`],
  [{ code: 'EADDRINUSE', message: 'm' }, 'another program uses this port (EADDRINUSE)'],
  [
    { code: 'HPE_INVALID_CONSTANT', message: 'm' },
    'that port does not speak HTTP/1: perhaps TLS, which needs https in the URL (HPE_INVALID_CONSTANT)'
  ],
  [{ code: 'EPROTO', message: 'm' }, 'it does not speak TLS as expected: is it http? (EPROTO)'],
  [
    { code: 'ERR_SSL_WRONG_VERSION_NUMBER', message: 'm' },
    'it does not speak TLS as expected: is it http? (ERR_SSL_WRONG_VERSION_NUMBER)'
  ],
  [{ code: 'EOTHER', message: 'said by Node.js' }, 'said by Node.js (EOTHER)'],
  [{ message: 'said by Node.js' }, 'said by Node.js']
])('the error %j of a connection is described as: %s', (error, text) => {
  expect(describeError(error)).toBe(text)
})

test.each([
  ['http://a.example/', 'a.example', 80],
  ['https://a.example/', 'a.example', 443],
  ['https://a.example:8443/', 'a.example', 8443],
  ['http://[::1]:81/', '::1', 81]
])('the server of %s listens on %s, port %i', (url, host, port) => {
  expect(endpointOf(new URL(url))).toEqual({ host, port })
})

test.each([
  ['localhost:3000/hook', ': write http://localhost:3000/hook'],
  ['a.example', ': write http://a.example'],
  ['hooks.a.example:8443/hook', ': write http://hooks.a.example:8443/hook'],
  ['ftp://a.example/', '']
])('%s is not a URL to send to%s', (text, hint) => {
  expect(() => parseUrl(text)).toThrow(new RegExp(`^${text} is not an http or https URL${hint}$`))
})

test.each([
  '/hook',
  'S3CRET',
  'S3CRET/',
  '.S3CRET',
  'eyJh.eyJz.S3CRET',
  'ftp://user:S3CRET@a.example',
  `a.${'x'.repeat(31)}`
])('%s, which can be a token, is refused without being repeated', text => {
  expect(() => parseUrl(text)).toThrow(/^URL must be an http or https URL, such as http:\/\/localhost:3000\/hook$/)
})

test.each(['http://a.example/x', 'https://a.example/x'])('%s is a URL to send to', url => {
  expect(parseUrl(url).href).toBe(url)
})

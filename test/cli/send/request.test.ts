import { beforeEach, describe, expect, test } from 'vitest'
import type { Entry } from '../../../cli/captures/capture.ts'
import { takeRequest } from '../../../cli/send/request.ts'
import { FORGERY_NAMES } from '../../../cli/send/tamper.ts'
import { draftCavage } from '../../../src/core/standards/draft-cavage/scheme.ts'
import { rfc9421 } from '../../../src/rfc9421/index.ts'
import { createTestService } from '../../../src/testing/index.ts'
import { FORMATS, type Format } from '../captures/build.ts'
import { receiver, SERVE_DNS, send, serve } from './receiver.ts'

/** This capture has another key, another account and another receiver, and is too old for any. */
const captured = createTestService({ rsaBits: 1024, accountId: '77' }).sign({
  method: 'PUT',
  target: '/in/a%2Fb/../c?id=1&x=%20',
  body: '{"id":1}',
  date: '2020-01-01',
  headers: { 'Content-Type': 'application/vnd.a+json', 'X-Event': 'paid', Connection: 'X-Hop', 'X-Hop': '1' }
})
const raw = FORMATS[0]!.write(captured)

const fixture: Format = {
  name: 'a fixture',
  write({ method, target, headers, body }) {
    const request = { method, target, headers, body: { utf8: Buffer.from(body ?? []).toString() }, https: true }
    return Buffer.from(JSON.stringify({ request, now: '2020-01-01T00:00:00Z', dns: {} }))
  }
}

const received: { method: string; url: string; headers: Record<string, unknown> }[] = []
let url: string
beforeEach(async () => {
  received.length = 0
  const receive = receiver({ accounts: ['77', '8'], schemes: [draftCavage, rfc9421] })
  url = await serve((request, response) => {
    received.push({ method: request.method!, url: request.url!, headers: request.headers })
    receive(request, response)
  })
})
const again = (capture: string | Uint8Array, ...flags: string[]) =>
  send(url, [...SERVE_DNS, '--request', '-', ...flags], capture)

test.each<[header: string, value: string]>([
  ['Transfer-Encoding', 'chunked'],
  ['Content-Length', '8']
])(
  'a request whose body is not in the capture is not sent without it: its %s says that it had one',
  async (...line) => {
    const headers = [...captured.headers.filter(([name]) => !/^(?:Digest|Content-Length)$/i.test(name)), line]
    const { code, stderr } = await again(
      Buffer.from(JSON.stringify({ request: { ...captured, headers, body: null }, dns: {} }))
    )
    expect([code, stderr]).toEqual([
      64,
      'signed-requests: the capture does not have the body: pass it with --data @FILE\n'
    ])
    expect(received).toEqual([])
  }
)

describe.each([...FORMATS, fixture])('$name', ({ write, isBodyless }) => {
  const body = isBodyless ? ['--data', '{"id":1}'] : []

  test.each(['draft-cavage', 'rfc9421'])('a captured request is accepted, signed again by %s', async scheme => {
    const { code, stdout, text } = await again(write(captured), ...body, '--scheme', scheme)
    expect(stdout).toContain('answer: 200 OK')
    expect(stdout.replace(/\n {2}(?=\S)/g, '')).toContain('"account":"77"')
    expect(text).toContain('captured: PUT /in/a%2Fb/../c?id=1&x=%20, a body of 8 bytes')
    const headers = { 'content-type': 'application/vnd.a+json', 'x-event': 'paid', 'content-length': '8' }
    expect(received).toMatchObject([{ method: 'PUT', url: captured.target, headers }])
    expect(received[0]?.headers['x-hop']).toBeUndefined()
    expect(code).toBe(0)
  })

  test.each(FORGERY_NAMES)('a captured request is refused with --tamper %s', async what => {
    const { code, stdout } = await again(write(captured), ...body, '--tamper', what)
    expect(stdout).toContain('answer: 401 Unauthorized')
    expect([code, received.length]).toEqual([0, 1])
  })
})

test.each(FORMATS.filter(({ isBodyless }) => isBodyless))('$name is not sent without its body', async ({ write }) => {
  const { code, stderr } = await again(write(captured))
  expect([code, received]).toEqual([64, []])
  expect(stderr).toContain('the capture does not have the body: pass it with --data @FILE\n')
})

test('a path of the URL replaces the target, and flags replace what the capture has', async () => {
  const flags = ['--account', '8', '--method', 'POST', '--prefix', '/p', '--header', 'content-type: text/plain']
  const { text } = await send(`${url}/hook?a=b`, [...SERVE_DNS, '--request', '-', ...flags], raw)
  expect(text).toContain('the URL replaces the captured target /in/a%2Fb/../c?id=1&x=%20')
  expect(text).toMatch(
    /signed again: POST \/p\/hook\?a=b, a body of 8 bytes; Host: [^;]+; Date: [^;]+; X-Service-ID: account-8 \n?serving/
  )
  expect(text).toContain('left out: connection, x-hop')
  expect(received).toMatchObject([{ method: 'POST', url: '/hook?a=b', headers: { 'content-type': 'text/plain' } }])
})

test('headers of proxies and an old signature are left out, and lines of a name are joined', async () => {
  const head = 'POST https://other.example/a HTTP/1.1\r\nHost: other.example\r\nX-Forwarded-Proto: https\r\nVia: 1.1 b'
  const lines = 'X-A: 1\r\nX-A: 2\r\nCookie: a=b\r\ncookie: c=d\r\nExpect: 100-continue\r\nContent-Length: 2'
  const signature = 'Authorization: Signature keyId="a"'
  const { code } = await again(`${head}\r\n${signature}\r\n${lines}\r\n\r\n{}`, '--account', '77')
  const [request] = received
  expect([code, request?.url]).toEqual([0, '/a'])
  expect(request?.headers).toMatchObject({ 'x-a': '1, 2', cookie: 'a=b; c=d', host: new URL(url).host })
  for (const name of ['x-forwarded-proto', 'via', 'authorization', 'expect', 'content-type'])
    expect(request?.headers).not.toHaveProperty(name)
})

/** Takes a request of these header lines that has a body. */
const take = (...headers: [name: string, value: string][]) => {
  const request = { method: 'POST', target: '/', headers, body: null, https: true }
  return takeRequest({ request, notes: [] } as Entry, 'X-Service-ID', Buffer.from('{}'))
}

test('headers about a connection or a proxy are left out, and said', () => {
  const leftOut =
    'connection, expect, http2-settings, keep-alive, proxy-authenticate, proxy-authorization, proxy-connection, te, ' +
    'trailer, transfer-encoding, upgrade, x-hop, x-other, forwarded, via, x-real-ip, x-forwarded-host, authorization'
  const lines = leftOut.split(', ').map((name): [string, string] => [name.toUpperCase(), 'Signature\tx'])
  const { headers, notes } = take(['Connection', 'X-Hop,\tX-Other'], ...lines, ['X-A', '1'])
  expect(headers).toEqual({ 'Content-Type': undefined, 'X-A': '1' })
  expect(notes).toEqual(['captured: POST /, a body of 2 bytes', `left out: ${leftOut}`])
})

test('headers that are like those about a proxy, or like a signature, are taken', () => {
  const lines: [string, string][] = [
    ...['My-Via', 'Via-B', 'X-Forwarded-', 'Not-X-Forwarded-For'].map((name): [string, string] => [
      name,
      'Signature x'
    ]),
    ['Authorization', 'Bearer Signature x'],
    ['Content-Encoding', 'identity']
  ]
  expect(take(...lines)).toMatchObject({
    headers: Object.fromEntries(lines),
    notes: ['captured: POST /, a body of 2 bytes']
  })
  expect(take(['Authorization', 'Signatures x']).headers).toHaveProperty('Authorization')
})

test('headers that are made again are not taken, and the account only where it is there once', () => {
  const names = 'Host Date Signature Signature-Input Digest Content-Digest Content-Length X-Nonce X-Service-ID'.split(
    ' '
  )
  const taken = take(...names.map((name): [string, string] => [name, 'x']))
  expect(taken).toMatchObject({ headers: { 'Content-Type': undefined }, account: 'x' })
  expect([Object.keys(taken.headers), taken.notes.length]).toEqual([['Content-Type'], 1])
  expect(take(['X-Service-ID', 'x'], ['x-service-id', 'x']).account).toBeUndefined()
})

test('a request that says it has an empty body is sent with one', async () => {
  const { code, text } = await again('POST /a HTTP/1.1\r\nContent-Length: 0\r\n\r\n', '--account', '8')
  expect([code, received[0]?.headers['content-length']]).toEqual([0, '0'])
  expect(text).toContain('captured: POST /a, a body of 0 bytes')
})

test('Content-Encoding is left out where the body of the capture is inflated', async () => {
  const gzip = 'POST /a HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}'
  const { text } = await again(gzip, '--account', '77')
  expect(text).toContain('the body in the capture is no longer compressed (gzip)')
  expect(received[0]?.headers).not.toHaveProperty('content-encoding')
})

test('takes the first request that is signed, or the one that is asked for', async () => {
  const both = `POST /first HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}\r\n${raw}`
  const { stderr } = await again(both)
  expect(stderr).toBe('note: this is request 2 of 2 in the file: --entry N chooses another\n')
  await again(both, '--entry', '1', '--account', '8')
  expect(received.map(({ url }) => url)).toEqual([captured.target, '/first'])
})

const json = (parts: object): string => JSON.stringify({ method: 'POST', url: '/', headers: {}, ...parts })
const broken = { method: 'POST', target: '/', headers: [], body: { error: 'x' }, https: true }

test.each<[name: string, capture: string | Uint8Array, says: string]>([
  ['a line break in the name of a header', json({ headers: { 'X\r\nA': '1' } }), 'is not a token'],
  ['a line break in Host', json({ headers: { Host: 'a.example\r\nX: 1' } }), 'has a line break'],
  ['a terminal escape in a value', json({ headers: { X: '\x1b[2J' } }), 'another control character'],
  ['a character beyond an octet', json({ headers: { X: '\u20ac' } }), 'another control character'],
  ['a space in the method', json({ method: 'GET /x' }), 'the method is not a token'],
  ['a line break in the target', json({ url: '/a\r\nHost: b' }), 'has a line break'],
  ['a terminal escape in the target', json({ url: '/\x1b[2J' }), 'the target in the capture cannot be sent'],
  ['a target that is no path', json({ method: 'CONNECT', url: 'a:443' }), 'the target in the capture'],
  ['600 headers', json({ headers: Array(600).fill(['a', 'b']) }), 'more than 500 header lines'],
  ['JSON that is deep', '['.repeat(100_000), 'levels of nested JSON'],
  ['more than 16 MB', Buffer.alloc(16_777_217, ' '), 'larger than 16 MB: save the one request'],
  ['no capture', 'hello', 'this is not a request in a supported format'],
  ['a body that is not there', json({ headers: { 'Content-Length': '5' } }), 'does not have the body'],
  ['a body that was parsed', json({ body: { a: 1 } }), 'the capture has only the parsed body'],
  ['a body that broke in a fixture', JSON.stringify({ request: broken, dns: {} }), 'does not have the body']
])('%s is not sent', async (_, capture, says) => {
  const { code, stdout, stderr } = await again(capture)
  expect([code, stdout, received]).toEqual([64, '', []])
  expect(stderr).toMatch(/^signed-requests: [ -~]+\n$/)
  expect(stderr).toContain(says)
})

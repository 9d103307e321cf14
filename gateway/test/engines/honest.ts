import { randomBytes } from 'node:crypto'
import type { ReceivedRequest } from 'signed-requests'
import type { SignedTestRequest, TestService } from 'signed-requests/testing'
import { linesOf, withHeaders } from '../../../test/support/service.ts'

/** Describes a request of the service, and the framing of its body. */
export interface Honest {
  name: string
  request: SignedTestRequest
  isChunked: boolean
}

const TARGETS = [
  '/',
  '/?',
  '/hook',
  '/hook/',
  '/hook?',
  '/hook?a=b',
  '/hook?a=b&a=c',
  '/hook?a=%20b+c',
  '/hook?q=a?b',
  '/a/%2e%2e/b',
  '/a/%2e/b',
  '/a%2Fb',
  '/a%2fb',
  '//',
  '//hook',
  '/a//b',
  '/a/./b',
  '/a/../b',
  '/a/b/..',
  '/hook;v=1',
  "/~u/!$&'()*+,;=:@",
  '/%E2%82%AC',
  '/%ff%fe',
  '/hook?x=%ff',
  '/hook?x=%00',
  '/*',
  '/a|b',
  '/{id}',
  '/UPPER/lower',
  '/a.b.c/',
  '/hook?url=https://example.com/?a=b',
  `/${'long/'.repeat(700)}`,
  '/hook?[a]=\\"'
]

const BODIES: readonly (readonly [string, Uint8Array])[] = [
  ['JSON', Buffer.from('{"name":"Zoë"}')],
  ['no bytes', Buffer.alloc(0)],
  ['one byte', Buffer.from('0')],
  ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0, 0x0d, 0x0a, 0xc3])],
  ['every byte', Buffer.from(Uint8Array.from({ length: 256 }, (_, i) => i))],
  ['line breaks', Buffer.from('a\r\n\r\nb\n')],
  ['17 KB', randomBytes(17_000)],
  ['1 MB', randomBytes(1_000_000)],
  ['9 MB', randomBytes(9_000_000)]
]

/** Returns about sixty: odd targets, methods, headers, and bodies of any kind and size. */
export function honestRequests(service: TestService): Honest[] {
  const host = 'hooks.example.com'
  const sign = (more: Parameters<TestService['sign']>[0]) => service.sign({ host, ...more })
  const one = (name: string, request: SignedTestRequest, isChunked = false) => ({ name, request, isChunked })
  return [
    ...TARGETS.map(target => one(`target ${target.slice(0, 40)}`, sign({ target, body: '{}' }))),
    ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map(method =>
      one(method, sign({ method, target: '/hook', ...(method !== 'GET' && { body: '{"id":1}' }) }))
    ),
    ...BODIES.map(([name, body]) => one(name, sign({ target: '/hook', body }))),
    ...BODIES.filter(([, body]) => body.length > 0).map(([name, body]) => {
      const request = sign({ target: '/hook', body, covered: CHUNKED })
      return one(`${name}, chunked`, withHeaders(request, { 'Content-Length': undefined }), true)
    }),
    ...[
      ['X-Empty', ''],
      ['X-Long', 'x'.repeat(6000)],
      ['X-Quoted', '"a, b"; c=\'d\''],
      ['Cookie', 'a=b; c=d'],
      ['Content-Type', 'application/json; charset="utf-8"'],
      ['User-Agent', 'service/1.0 (a comment)']
    ].map(([name, value]) => one(`header ${name}`, sign({ target: '/hook', body: '{}', headers: [[name!, value!]] })))
  ]
}

/** The service covers these when a request has no Content-Length. */
const CHUNKED = ['(request-target)', 'Host', 'Date', 'X-Service-ID', 'Digest']

/** Writes the octets, with the other header lines of the sender. */
export function octetsOf(
  { request, isChunked = false }: { request: ReceivedRequest; isChunked?: boolean },
  more: readonly (readonly [string, string])[] = []
): Buffer {
  const { method, target } = request
  const headers = linesOf(request)
  const body = Buffer.from((request.body ?? '') as Uint8Array)
  const hasLength = headers.some(([name]) => name.toLowerCase() === 'content-length')
  const framing: (readonly [string, string])[] = isChunked
    ? [['Transfer-Encoding', 'chunked']]
    : hasLength || method === 'GET'
      ? []
      : [['Content-Length', `${body.length}`]]
  const lines = [...headers, ...framing, ...more].map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
  return Buffer.concat([head, isChunked ? chunks(body) : body])
}

function chunks(body: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < body.length; at += 60_000) {
    const part = body.subarray(at, at + 60_000)
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
}

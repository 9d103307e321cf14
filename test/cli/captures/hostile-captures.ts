import type { SignedTestRequest } from '../../../src/testing/index.ts'
import { service } from '../../support/service.ts'
import { FORMATS } from './build.ts'

/**
 * These control a terminal or the direction of text: C0, C1, DEL, bidirectional marks, and another kind of line end.
 */
const NASTY = '\x1b[2J\x1b]0;owned\x07\x9b31m\x7f\u202e\u2066\u200f\u061c\u2028\r\x00\x08\u0085'
const octets = [...NASTY].filter(character => character.charCodeAt(0) < 256).join('')

export const signed = service.sign({ target: '/hook', body: '{"a":1}' })
const nested = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth)
const json = (value: unknown): string => JSON.stringify(value)
const request = { method: 'POST', url: '/', headers: {} }

/** They occur in every part of a format that comes from outside. */
const NASTY_REQUESTS: readonly SignedTestRequest[] = [
  { ...signed, target: `/hook${octets.replace(/[\r\n]/g, '')}` },
  { ...signed, method: `PO${NASTY}ST` },
  { ...signed, headers: [...signed.headers, [`X${octets}`, 'a']] },
  { ...signed, headers: [['Host', octets], ...signed.headers.slice(1)] },
  { ...signed, headers: [...signed.headers.slice(0, -1), ['Signature', `keyId="${octets}"`]] }
]
const half = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length >> 1)

const IN_FORMATS = FORMATS.flatMap(({ name, write }): [string, Buffer][] => [
  ...NASTY_REQUESTS.map((request, i): [string, Buffer] => [`${name}, escapes in place ${i + 1}`, write(request)]),
  [`${name}, cut in half`, half(write(signed))]
])

/** Some captures are hostile, some are cut off, and some are not captures at all. */
export const HOSTILE: readonly (readonly [name: string, content: string | Buffer])[] = [
  ...IN_FORMATS,
  ['nothing', ''],
  ['a zero', '\0'],
  ['zeros', Buffer.alloc(1_000_000)],
  ['every octet', Buffer.from(Array.from({ length: 256 }, (_, i) => i))],
  ['an ELF header', '\x7fELF\x02\x01\x01\0\0\0'],
  ['a gzip header', Buffer.from('1f8b0800000000000003', 'hex')],
  ['a byte order mark alone', '\ufeff'],
  ['UTF-16 cut in the middle of a character', Buffer.from('fffe500', 'hex')],
  ['UTF-16, big-endian', Buffer.from('\ufeffPOST / HTTP/1.1\r\n\r\n', 'utf16le').swap16()],
  ['arrays nested 10,000 deep', nested('[', ']', 10_000)],
  ['arrays nested 1,000,000 deep', nested('[', ']', 1_000_000)],
  ['objects nested 10,000 deep', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ['a body nested 10,000 deep', `{"method":"POST","url":"/","headers":{},"body":${nested('[', ']', 10_000)}}`],
  ['wrappers nested 10,000 deep', `${'{"data":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ['headers nested 10,000 deep', `{"method":"POST","url":"/","headers":{"a":${nested('[', ']', 10_000)}}}`],
  ['broken JSON', '{"a":'],
  ['broken JSON of escaped quotes', `["${'\\"'.repeat(100_000)}`],
  ['broken JSON with escapes', `{"${NASTY}`],
  ['an empty object', '{}'],
  ['an empty array', '[]'],
  ['an empty list of entries', '{"log":{"entries":[]}}'],
  ['entries that are not objects', '{"log":{"entries":[1,null,"a",[]]}}'],
  ['a HAR entry without headers', '{"request":{"method":"GET","url":"/"}}'],
  ['no vectors', '{"vectors":[]}'],
  ['vectors that are not objects', '{"vectors":[1]}'],
  ['a vector without a request', '{"vectors":[{}]}'],
  ['vectors as text', json({ vectors: NASTY })],
  ['names of vectors with escapes', json({ vectors: [NASTY, 'b'].map(name => ({ name, request: {} })) })],
  ['a fixture with wrong types', json({ request: { method: 1, target: {}, headers: [], body: 5 }, options: 1 })],
  ['a fixture with DNS of a wrong form', json({ request: { headers: [] }, dns: { a: [[1]] }, options: {} })],
  ['a fixture with an unknown option', json({ request: { ...signed, body: null }, options: { [NASTY]: 1 } })],
  ...[null, { header: NASTY, received: [1] }, { header: NASTY, received: [NASTY] }].map(
    (https, i): [string, string] => {
      const fixture = {
        request: { ...signed, https: false, body: null, forwarded: { https } },
        now: '2026-01-01T00:00:00Z'
      }
      return [`a fixture with notes ${i + 1} on forwarding headers`, json(fixture)]
    }
  ),
  ['a fixture with a bad clock', json({ request: { ...signed, body: null }, now: NASTY })],
  ['prototypes', '{"method":"POST","url":"/","headers":{"__proto__":"a","constructor":"b"}}'],
  ['a prototype as the request', '{"__proto__":{"method":"POST","url":"/","headers":{}}}'],
  ['a header that is an object', json({ ...request, headers: { a: {} } })],
  ['a header that is null', json({ ...request, headers: { a: null } })],
  ['headers that are text', json({ ...request, headers: NASTY })],
  ['headers that are numbers', json({ ...request, headers: [1, 2] })],
  ['pairs of three', json({ ...request, headers: [['a', 'b', 'c']] })],
  ['a hundred thousand header lines', json({ ...request, headers: Array(100_000).fill(['a', 'b']) })],
  ['a URL without a path', json({ ...request, url: NASTY })],
  ['an empty URL', json({ ...request, url: '' })],
  ['a Lambda event with wrong types', json({ httpMethod: 'POST', path: '/', headers: { a: 1 } })],
  ['a Lambda event with a parsed body', json({ httpMethod: 'POST', path: '/', headers: {}, body: { a: 1 } })],
  ['a Lambda event with a bad context', json({ httpMethod: 'POST', path: '/', requestContext: 5 })],
  ['a Lambda event with bad cookies', json({ rawPath: '/', requestContext: { http: 1 }, cookies: 'a' })],
  ['a Lambda event with half a surrogate', json({ httpMethod: 'GET', path: '/\ud800', headers: {} })],
  ['a request line without an end', 'POST / HTTP/1.1'],
  ['a request line of 100 KB', `POST /${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`],
  ['a chunk size beyond all numbers', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\na'],
  ['a Content-Length beyond all numbers', `POST / HTTP/1.1\r\nContent-Length: ${'9'.repeat(400)}\r\n\r\na`],
  ['curl lines without a request', '> \n> a\n> Host: b\n'],
  ['curl with an empty head', '> GET / HTTP/1.1\n>\n'],
  ['pseudo-headers alone', ':method: GET\n:path: /\n'],
  ['a pseudo-header alone', ':authority\n'],
  ['pseudo-headers without a path', ':method: GET\nhost: a\n'],
  ['line ends alone', '\r\n'.repeat(1_000_000)],
  ['a packet of tcpdump without end', `17:47:58.245410 IP a > b: Flags [P.], length 1\n${'\ta\n'.repeat(1_000_000)}`],
  ['a thousand requests', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20_000)]
]

import type { ReceivedRequest } from '../../../src/index.ts'
import { service, withHeaders } from '../../../test/support/service.ts'

type HeaderLines = [name: string, value: string][]

const sign = (more: Parameters<typeof service.sign>[0] = {}) =>
  service.sign({ method: 'POST', target: '/hook', body: '{}', ...more })

const at = (target: string): ReceivedRequest => ({ ...sign(), target })
const withLines = (...lines: HeaderLines): ReceivedRequest => {
  const request = sign()
  return { ...request, headers: [...request.headers, ...lines] }
}
const replacing = (name: string, value: string): ReceivedRequest => withHeaders(sign(), { [name]: value })
const signature = (keyId: string, covered: string): ReceivedRequest =>
  replacing('Signature', `keyId="${keyId}",headers="${covered}",signature="AAAA"`)
const body = (text: string | Uint8Array): ReceivedRequest => sign({ body: text })

const BIDI = '\u202e\u2066\u200f\u061c'
const ATTACK = 'window.attacked=1'

/**
 * Lists requests of attackers against a page that shows them. Those without a changed line are signed, so that their
 * bodies are kept.
 */
export const HOSTILE: readonly [name: string, request: ReceivedRequest][] = [
  ['a script in the target', at(`/<script>${ATTACK}</script>`)],
  ['an image in the target', at(`/"><img src=x onerror=${ATTACK}>`)],
  ['a script URL for a target', at(`javascript:${ATTACK}`)],
  ['an end of an attribute', at(`/' autofocus onfocus=${ATTACK} x='`)],
  ['a template', at('/</template></section><h1>owned</h1>')],
  ['a very long target', at(`/${'a'.repeat(100_000)}`)],
  ['a very long target of spaces', at(`/${' '.repeat(50_000)}x`)],
  ['bidirectional text in the target', at(`/${BIDI}gpj.exe`)],
  ['control characters in the target', at('/\u0007\u001b[31m\u0008\u007f\u0085')],
  ['NUL and the like', at('/\0\u2400%00\ufffd')],
  ['lone surrogates', at('/\ud800\udfff\udc00')],
  ['line separators', at('/\u2028\u2029\u000b\u000c')],
  ['letters above letters', at(`/${'Z\u0351\u036b\u0343\u036a\u0302'.repeat(200)}`)],
  ['a method of markup', { ...sign(), method: `<b onmouseover=${ATTACK}>` }],
  ['a very long method', { ...sign(), method: 'M'.repeat(10_000) }],
  ['a header of 100,000 characters', withLines(['X-Long', 'x'.repeat(100_000)])],
  ['a header name of 100,000 characters', withLines(['X'.repeat(100_000), 'x'])],
  ['400 headers', withLines(...Array.from({ length: 400 }, (_, i): [string, string] => [`X-${i}`, `<i>${i}</i>`]))],
  ['markup in a header', withLines(['X-A', `<svg onload=${ATTACK}>`])],
  ['a header name of markup', withLines([`<svg/onload=${ATTACK}>`, 'x'])],
  ['a line break in a header', withLines(['X-A', `a\r\nSet-Cookie: a=b\r\n\r\n<script>${ATTACK}</script>`])],
  ['a Host of markup', replacing('Host', `"><iframe src=javascript:${ATTACK}>`)],
  ['a Date of bidirectional text', replacing('Date', `${BIDI}${'\u200b'.repeat(1000)}`)],
  ['a Signature of markup', signature(`<img src=x onerror=${ATTACK}>`, 'host')],
  ['a Signature that covers names without end', signature('a', 'x '.repeat(5000))],
  ['a name of Object.prototype', withLines(['__proto__', 'x'], ['constructor', 'x'], ['toString', 'x'])],
  ['a body of markup', body(`<script>${ATTACK}</script><img src=x onerror=${ATTACK}><style>*{display:none}</style>`)],
  ['a body of bidirectional and invisible text', body(`${BIDI}\u200b\ufeff\u{e0041}\u{1f3f4}\u2028${'ﷺ'.repeat(500)}`)],
  ['a body without a space', body('W'.repeat(60_000))],
  ['a body of any bytes', body(Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256))]
]

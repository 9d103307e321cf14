import { brotliDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { matchesDigest, parseDigestHeader } from '../../../../../src/index.ts'
import { parseContentDigest } from '../../../../../src/rfc9421/index.ts'

const HELLO = '{"hello": "world"}\n'
const HELLO_512 = 'sha-512=:YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg==:'
/** HELLO in the coding br. */
const BROTLI = Buffer.from('CwmAeyJoZWxsbyI6ICJ3b3JsZCJ9CgM=', 'base64')

// The examples of RFC 9530, sections 2 and 3 and appendices B and C: fields and content, made again.
test.each<[where: string, content: string | Uint8Array, field: string]>([
  ['section 2, sha-512', HELLO, HELLO_512],
  ['section 3, sha-256', HELLO, 'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:'],
  ['appendix B.2, a response to HEAD', '', 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:'],
  ['appendix B.3, a range', HELLO.slice(10), 'sha-256=:jjcgBDWNAtbYUXI37CVG3gRuGOAjaaDRGpIUFsdyepQ=:'],
  ['appendix B, a coding', BROTLI, 'sha-256=:d435Qo+nKZ+gLcUHn7GQtQ72hiBVAgqoLsZnZPiTGPk=:'],
  ['appendix B, a request', '{"title": "New Title"}\n', 'sha-256=:mEkdbO7Srd9LIOegftO0aBX+VPTVz7/CSHes2Z27gc4=:']
])('the example of RFC 9530 %s', (_, content, field) => {
  const digests = parseContentDigest(field)
  expect(digests.ok && matchesDigest(digests.value, Buffer.from(content))).toBe(true)
  expect(digests.ok && matchesDigest(digests.value, Buffer.from(`${String(content)} `))).toBe(false)
})

test('the content of a coded response is the coded bytes (RFC 9530 section 2)', () => {
  expect(String(brotliDecompressSync(BROTLI))).toBe(HELLO)
})

test.each<[what: string, field: string, clause: string]>([
  ['a value without colons', 'sha-256=RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=', 'RFC 9530 section 2'],
  ['a name in capitals', 'SHA-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:', 'RFC 8941 section 3.1.2'],
  ['preferences, of Want-Content-Digest', 'sha-512=3, sha-256=10', 'RFC 9530 section 4']
])('%s is no Content-Digest', (_, field, clause) => {
  expect(parseContentDigest(field), clause).toMatchObject({ ok: false, code: 'digest-malformed' })
})

test('a Content-Digest of insecure algorithms alone matches nothing (RFC 9530 section 5)', () => {
  const digests = parseContentDigest('md5=:Sd/dVLAcvNLSq16eXua5uQ==:')
  expect(digests.ok && matchesDigest(digests.value, Buffer.from(HELLO))).toBe(false)
})

test('the Digest of RFC 3230 has the same digest without colons', () => {
  const digests = parseDigestHeader('SHA-256=RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=')
  expect(digests.ok && matchesDigest(digests.value, Buffer.from(HELLO))).toBe(true)
})

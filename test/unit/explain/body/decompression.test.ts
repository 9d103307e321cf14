import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { findDecompression } from '../../../../src/explain/body/decompression.ts'

const text = Buffer.from('{"id":1}')

const found = (headers: Record<string, string>, body: Uint8Array = text) =>
  findDecompression(body, { values: new Map(Object.entries(headers)), repeated: new Map() })

test.each(['gzip', 'x-gzip', 'zstd', 'GZIP'])('names %s where the body does not begin so', coding => {
  expect(found({ 'content-encoding': coding })).toBe(coding.toLowerCase())
})

test.each(['deflate', 'br'])('names %s where the body is longer than Content-Length, and there alone', coding => {
  const headers = (length: string) => ({ 'content-encoding': coding, 'content-length': length })
  expect(found(headers('7'))).toBe(coding)
  expect(found(headers('15'), Buffer.alloc(16))).toBe(coding)
  // These codings have no magic bytes.
  expect(found({ 'content-encoding': coding })).toBeUndefined()
  for (const length of ['8', '9', '', 'x7', '7x', '0x1', '-7', '1234567890123456']) {
    expect([length, found(headers(length))]).toEqual([length, undefined])
  }
})

test.each([
  ['gzip', gzipSync(text)],
  ['zstd', Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 1)]
])('leaves a body alone that is still %s', (coding, body) => {
  const headers = { 'content-encoding': coding, 'content-length': '1' }
  expect(found(headers, body)).toBeUndefined()
  // One byte of the beginning is not enough.
  const other = Uint8Array.from(body)
  other[1]! ^= 1
  expect(found(headers, other)).toBe(coding)
})

test('finds nothing for an empty body, another coding or no coding', () => {
  expect(found({ 'content-encoding': 'gzip' }, new Uint8Array())).toBeUndefined()
  expect(found({ 'content-encoding': 'identity', 'content-length': '1' })).toBeUndefined()
  expect(found({ 'content-length': '1' })).toBeUndefined()
})

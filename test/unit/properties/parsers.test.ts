import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalizeName } from '../../../src/http/uri.ts'
import {
  buildSigningString,
  createVerifier,
  importPublicKey,
  matchesDigest,
  parseDigestHeader,
  parseHttpDate,
  parseKeyRecord,
  parseSignatureHeader,
  type Result,
  verifySignature
} from '../../../src/index.ts'
import { looksLikeKeyRecord } from '../../../src/key/record.ts'
import { CODES } from '../../../src/result/codes.ts'
import { service } from '../../support/service.ts'
import { anyString } from './arbitraries.ts'

const RUNS = { numRuns: 500 }

/** A value, or a code of the table with its message. */
function expectResult(result: Result<unknown>): void {
  if (result.ok) expect(Object.keys(result)).toEqual(['ok', 'value'])
  else expect(result.message).toBe(CODES[result.code][1])
}

test.each([
  ['parseSignatureHeader', (text: string) => parseSignatureHeader(text)],
  ['parseDigestHeader', (text: string) => parseDigestHeader(text)],
  ['parseHttpDate', (text: string) => parseHttpDate(text)],
  ['parseKeyRecord', (text: string) => parseKeyRecord(text)],
  ['parseKeyRecord of chunks', (text: string) => parseKeyRecord(text.split('='))]
])('%s: any string in, a result out', (_, parse) => {
  fc.assert(
    fc.property(anyString, text => expectResult(parse(text))),
    RUNS
  )
})

test('buildSigningString: any strings in, a result out', () => {
  const headers = fc.oneof(
    fc.array(fc.tuple(anyString, anyString), { maxLength: 4 }),
    fc.dictionary(anyString, fc.oneof(anyString, fc.array(anyString, { maxLength: 3 })), { maxKeys: 4 })
  )
  const times = fc.record({ created: fc.integer(), expires: fc.integer() }, { requiredKeys: [] })
  fc.assert(
    fc.property(anyString, anyString, headers, fc.array(anyString), times, (method, target, lines, covered, at) => {
      expectResult(buildSigningString({ method, target, headers: lines }, covered, at))
    }),
    RUNS
  )
})

test('importPublicKey: any bytes in, a result out', () => {
  const publicKey = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    // DER that starts well
    fc.uint8Array({ maxLength: 200 }).map(bytes => Uint8Array.of(0x30, 0x82, 0x01, 0x0a, 0x02, ...bytes))
  )
  fc.assert(
    fc.property(fc.constantFrom('rsa' as const, 'ed25519' as const), publicKey, (type, bytes) => {
      expectResult(importPublicKey({ type, publicKey: bytes, hashes: undefined, flags: [], text: '' }))
    }),
    RUNS
  )
})

test('an accepted key is refused when it is cut, extended or changed around its integers', () => {
  const record = parseKeyRecord(Object.values(service.records)[0]![0]!)
  if (!record.ok) throw new Error(record.code)
  const { publicKey } = record.value
  const change = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 4 }).map(more => Buffer.concat([publicKey, more])),
    fc.integer({ min: 0, max: publicKey.length - 1 }).map(length => publicKey.subarray(0, length)),
    // the DER around the two integers, whose own bytes make another key
    fc
      .tuple(
        fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 7, 15, 17, 18, 19, 20, 21, 22, 23, 24, 25),
        fc.integer({ min: 1, max: 255 })
      )
      .map(([at, bits]) => publicKey.map((byte, i) => (i === at ? byte ^ bits : byte)))
  )
  fc.assert(
    fc.property(change, bytes => {
      expect(importPublicKey({ ...record.value, publicKey: bytes }).ok).toBe(false)
    }),
    RUNS
  )
})

test('verifySignature and matchesDigest: any input, no throw, and never true', async () => {
  const record = parseKeyRecord(Object.values(service.records)[0]![0]!)
  if (!record.ok) throw new Error(record.code)
  const key = importPublicKey(record.value)
  if (!key.ok) throw new Error(key.code)
  const algorithm = fc.oneof(fc.constantFrom('rsa-sha256', 'rsa-sha512', 'hs2019', 'ed25519'), anyString)
  fc.assert(
    fc.property(anyString, fc.uint8Array({ maxLength: 140 }), algorithm, (text, signature, name) => {
      expect(verifySignature(text, signature, key.value, name)).toBe(false)
    }),
    RUNS
  )
  const digests = fc.array(
    fc.record({ algorithm: fc.oneof(fc.constantFrom('sha-256', 'sha-512'), anyString), value: fc.uint8Array() })
  )
  fc.assert(
    fc.property(digests, fc.uint8Array(), (list, body) => {
      expect(matchesDigest(list, body).ok).toBe(false)
    }),
    RUNS
  )
})

test('a name that reaches DNS has only labels of letters, digits, hyphens and underscores', () => {
  const nearly = fc
    .array(fc.oneof(fc.constantFrom('.', '_', '-', 'A', 'z', '0', '\0', '\u212a', '\uff0e'), anyString), {
      maxLength: 6
    })
    .map(parts => parts.join(''))
  fc.assert(
    fc.property(fc.oneof(anyString, nearly), text => {
      const name = normalizeName(text)
      if (name === undefined) return
      expect(name.length).toBeLessThanOrEqual(253)
      for (const label of name.split('.')) expect(label).toMatch(/^[a-z0-9_-]{1,63}$/)
      expect(text.replace(/[A-Z]/g, letter => letter.toLowerCase()).replace(/\.$/, '')).toBe(name)
      expect(normalizeName(name)).toBe(name)
    }),
    RUNS
  )
})

test('a usable record always looks like a key record', () => {
  fc.assert(
    fc.property(anyString, text => {
      if (parseKeyRecord(text).ok) expect(looksLikeKeyRecord(text)).toBe(true)
    }),
    RUNS
  )
})

test('verify: anything a sender can send gives a verdict that can be cloned, and never verified', async () => {
  const verify = createVerifier(service.options)
  const names = ['Signature', 'Digest', 'Date', 'Host', 'X-Service-ID', 'X-Extra']
  const changed = fc.record({
    method: fc.oneof(fc.constant('POST'), anyString),
    target: fc.oneof(fc.constant('/'), anyString),
    headers: fc.array(fc.tuple(fc.oneof(fc.constantFrom(...names), anyString), anyString), { maxLength: 8 }),
    body: fc.oneof(fc.constant(null), anyString, fc.uint8Array())
  })
  await fc.assert(
    fc.asyncProperty(changed, async request => {
      const verdict = await verify({ ...request, https: true })
      expect(verdict.status).toBe('rejected')
      expect(Object.keys(verdict.checks).length).toBe(12)
      for (const [check, result] of Object.entries(verdict.checks)) {
        if ('code' in result) expect(CODES[result.code][0]).toBe(check)
      }
      expect(structuredClone(verdict)).toEqual(verdict)
    }),
    RUNS
  )
})

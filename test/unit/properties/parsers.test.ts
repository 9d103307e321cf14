import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalizeName } from '../../../src/core/http/uri.ts'
import { looksLikeKeyRecord } from '../../../src/core/key/record.ts'
import { CHECK_NAMES, CODES } from '../../../src/core/result/codes.ts'
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
import { service } from '../../support/service.ts'
import { anyString, forAll } from './arbitraries.ts'

/** Expects a value, or a code of the table with its message. */
function expectResult(result: Result<unknown>): void {
  if (result.ok) expect(Object.keys(result)).toEqual(['ok', 'value'])
  else expect(result.message).toBe(CODES[result.code].message)
}

function good<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.code)
  return result.value
}

const record = good(parseKeyRecord(Object.values(service.records)[0]![0]!))
const bytes = fc.uint8Array({ maxLength: 200 })

test.each<[string, (text: string) => Result<unknown>]>([
  ['parseSignatureHeader', parseSignatureHeader],
  ['parseDigestHeader', parseDigestHeader],
  ['parseHttpDate', parseHttpDate],
  ['parseKeyRecord', parseKeyRecord],
  ['parseKeyRecord of chunks', text => parseKeyRecord(text.split('='))]
])('%s: any string in, a result out', (_, parse) => forAll([anyString], text => expectResult(parse(text))))

test('buildSigningString: any strings in, a result out', () => {
  const headers = fc.oneof(
    fc.array(fc.tuple(anyString, anyString), { maxLength: 4 }),
    fc.dictionary(anyString, fc.oneof(anyString, fc.array(anyString, { maxLength: 3 })), { maxKeys: 4 })
  )
  const request = fc.record({ method: anyString, target: anyString, headers })
  const times = fc.record({ created: fc.integer(), expires: fc.integer() }, { requiredKeys: [] })
  return forAll([request, fc.array(anyString), times], (...call) => expectResult(buildSigningString(...call)))
})

test('importPublicKey: any bytes in, a result out', () => {
  const startsWell = bytes.map(rest => Uint8Array.of(0x30, 0x82, 0x01, 0x0a, 0x02, ...rest))
  return forAll([fc.constantFrom('rsa', 'ed25519'), fc.oneof(bytes, startsWell)], (type, publicKey) =>
    expectResult(importPublicKey({ type, publicKey, hashes: undefined, flags: [], text: '' }))
  )
})

/** These octets of the DER are around the two integers, whose own bytes make another key. */
const AROUND = [0, 1, 2, 3, 4, 5, 6, 7, 15, 17, 18, 19, 20, 21, 22, 23, 24, 25]

test('an accepted key is refused when it is cut, extended or changed around its integers', () => {
  const { publicKey } = record
  const change = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 4 }).map(more => Buffer.concat([publicKey, more])),
    fc.nat(publicKey.length - 1).map(length => publicKey.subarray(0, length)),
    fc
      .tuple(fc.constantFrom(...AROUND), fc.integer({ min: 1, max: 255 }))
      .map(([at, bits]) => publicKey.map((byte, i) => (i === at ? byte ^ bits : byte)))
  )
  return forAll([change], changed => expect(importPublicKey({ ...record, publicKey: changed }).ok).toBe(false))
})

test('verifySignature: any input, no throw, and never true', () => {
  const key = good(importPublicKey(record))
  const algorithm = fc.oneof(fc.constantFrom('rsa-sha256', 'rsa-sha512', 'hs2019', 'ed25519'), anyString)
  return forAll([anyString, fc.uint8Array({ maxLength: 140 }), algorithm], (text, signature, name) =>
    expect(verifySignature(text, signature, key, name)).toBe(false)
  )
})

test('matchesDigest: any input, no throw, and never true', () => {
  const algorithm = fc.oneof(fc.constantFrom('sha-256', 'sha-512'), anyString)
  const digests = fc.array(fc.record({ algorithm, value: fc.uint8Array() }))
  return forAll([digests, fc.uint8Array()], (list, body) => expect(matchesDigest(list, body)).toBe(false))
})

test('a name that reaches DNS has only labels of letters, digits, hyphens and underscores', () => {
  const piece = fc.oneof(fc.constantFrom('.', '_', '-', 'A', 'z', '0', '\0', '\u212a', '\uff0e'), anyString)
  const nearly = fc.array(piece, { maxLength: 6 }).map(parts => parts.join(''))
  return forAll([fc.oneof(anyString, nearly)], text => {
    const name = normalizeName(text)
    if (name === undefined) return
    expect(name.length).toBeLessThanOrEqual(253)
    for (const label of name.split('.')) expect(label).toMatch(/^[a-z0-9_-]{1,63}$/)
    expect(text.replace(/[A-Z]/g, letter => letter.toLowerCase()).replace(/\.$/, '')).toBe(name)
    expect(normalizeName(name)).toBe(name)
  })
})

test('a usable record always looks like a key record', () =>
  forAll([anyString], text => {
    if (parseKeyRecord(text).ok) expect(looksLikeKeyRecord(text)).toBe(true)
  }))

test('verify: anything a sender can send gives a verdict that can be cloned, and never verified', () => {
  const verify = createVerifier(service.options)
  const name = fc.oneof(fc.constantFrom('Signature', 'Digest', 'Date', 'Host', 'X-Service-ID', 'X-Extra'), anyString)
  const changed = fc.record({
    method: fc.oneof(fc.constant('POST'), anyString),
    target: fc.oneof(fc.constant('/'), anyString),
    headers: fc.array(fc.tuple(name, anyString), { maxLength: 8 }),
    body: fc.oneof(fc.constant(null), anyString, fc.uint8Array())
  })
  return forAll([changed], async request => {
    const verdict = await verify({ ...request, https: true })
    expect(verdict.status).toBe('rejected')
    expect(Object.keys(verdict.checks)).toEqual(CHECK_NAMES)
    for (const [check, result] of Object.entries(verdict.checks))
      if ('code' in result) expect(CODES[result.code].check).toBe(check)
    expect(structuredClone(verdict)).toEqual(verdict)
  })
})

import { constants, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { toInteger, toOctets } from '../../../../fixtures/source/der.ts'
import type { PublicKey } from '../../../../src/core/key/key-types.ts'
import { verifySignature } from '../../../../src/core/signature/verify-signature.ts'
import { modulusOf } from '../../../support/rsa.ts'

// Simulates the worst platform: it accepts s + n for s, as Deno does for PSS, and also a signature that is too short or
// too long.
vi.mock('node:crypto', async importOriginal => ({
  ...(await importOriginal<typeof import('node:crypto')>()),
  createVerify: () => ({ update: () => ({ verify: () => true }) })
}))

const TEXT = '(request-target): post /hook\nhost: receiver.example'
const BITS = 1031 // one bit over the octets before: s + n has as many octets as n, always
const LENGTH = 129
const pair = generateKeyPairSync('rsa', { modulusLength: BITS })
const key: PublicKey = { type: 'rsa', bits: BITS, keyObject: pair.publicKey }
const n = toInteger(modulusOf(pair.publicKey))

describe.each([
  ['rsa-sha256', sign('sha256', Buffer.from(TEXT), pair.privateKey)],
  ['rsa-sha512', sign('sha512', Buffer.from(TEXT), pair.privateKey)],
  ['rsa-v1_5-sha256', sign('sha256', Buffer.from(TEXT), pair.privateKey)],
  ['hs2019', signPss(32)],
  ['rsa-pss-sha512', signPss(62)]
])('an RSA signature under %s', (algorithm, signature) => {
  const isAccepted = (octets: Uint8Array) => verifySignature(TEXT, octets, key, algorithm)
  const s = toInteger(signature)

  test('an RSA signature below the modulus reaches the platform', () => {
    expect(isAccepted(signature)).toBe(true)
    expect(isAccepted(toOctets(n - 1n, LENGTH))).toBe(true)
    expect(isAccepted(Buffer.alloc(LENGTH))).toBe(true)
  })

  test.each([
    ['s + n, the same signature under another replay id', s + n],
    ['n', n],
    ['n + 1', n + 1n],
    ['the largest number of that length', (1n << BigInt(8 * LENGTH)) - 1n]
  ])('an RSA signature never reaches the platform when it is %s', (_, value) =>
    expect(isAccepted(toOctets(value, LENGTH))).toBe(false)
  )

  test('an RSA signature never reaches the platform when it is shorter or longer than the modulus', () => {
    expect(isAccepted(signature.subarray(1))).toBe(false)
    expect(isAccepted(toOctets(s, LENGTH + 1))).toBe(false)
    expect(isAccepted(new Uint8Array())).toBe(false)
  })
})

function signPss(saltLength: number): Buffer {
  const padding = constants.RSA_PKCS1_PSS_PADDING
  return sign('sha512', Buffer.from(TEXT), { key: pair.privateKey, padding, saltLength })
}

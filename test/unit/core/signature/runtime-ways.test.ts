import { createVerify, generateKeyPairSync, sign, verify } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { ONE } from '../../../../fixtures/source/keys.ts'
import { signText } from '../../../../fixtures/source/sign.ts'
import type { PublicKey } from '../../../../src/core/key/key-types.ts'
import { verifySignature } from '../../../../src/core/signature/verify-signature.ts'

// Both ways give the same result on Node.js. This file tests which one is chosen, test/runtimes that it is right there.
vi.mock('node:crypto', async importOriginal => {
  const real = await importOriginal<typeof import('node:crypto')>()
  return {
    ...real,
    verify: vi.fn(real.verify),
    createVerify: vi.fn(real.createVerify),
    publicDecrypt: () => expect.unreachable('accepts nothing'),
    publicEncrypt: () => expect.unreachable('accepts nothing')
  }
})

const TEXT = 'date: Fri, 20 Nov 2026 12:00:00 GMT'
const RSA: PublicKey = { type: 'rsa', bits: 2048, keyObject: ONE.publicKey }
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ed = generateKeyPairSync('ed25519')
const ED25519: PublicKey = { type: 'ed25519', bits: 256, keyObject: ed.publicKey }
const P256: PublicKey = { type: 'p256', bits: 256, keyObject: ec.publicKey }

const pkcs1 = () => verifySignature(TEXT, signText(TEXT, ONE, 'pkcs1-sha256'), RSA, 'rsa-sha256')
const pss = () => verifySignature(TEXT, signText(TEXT, ONE, 'pss-sha512'), RSA, 'hs2019')
const ecdsa = () => {
  const key = { key: ec.privateKey, dsaEncoding: 'ieee-p1363' } as const
  return verifySignature(TEXT, sign('sha256', Buffer.from(TEXT), key), P256, 'ecdsa-p256-sha256')
}
const eddsa = () => verifySignature(TEXT, sign(null, Buffer.from(TEXT), ed.privateKey), ED25519, 'ed25519')

/** Counts the calls of each function of `node:crypto`. */
function calls(run: () => boolean) {
  vi.clearAllMocks()
  expect(run()).toBe(true)
  return { verify: vi.mocked(verify).mock.calls.length, createVerify: vi.mocked(createVerify).mock.calls.length }
}

afterEach(() => void vi.unstubAllGlobals())

test.each([
  ['createVerify for RSA, whose crypto.verify ignores the padding on Workers', [pkcs1, pss], 1],
  ['crypto.verify for the rest, because createVerify throws for a signature of another length', [ecdsa], 0]
])('signatures are verified with %s', (_, runs, streamed) => {
  for (const userAgent of ['Node.js/24', 'Deno/2', 'Cloudflare-Workers']) {
    vi.stubGlobal('navigator', { userAgent })
    for (const run of runs) expect(calls(run)).toEqual({ verify: 1 - streamed, createVerify: streamed })
  }
})

test('either with the key as it is, but on Workers with its text', () => {
  const keyGiven = () => vi.mocked(verify).mock.lastCall![2]
  ecdsa()
  expect(keyGiven()).toMatchObject({ key: P256.keyObject })
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
  ecdsa()
  expect(keyGiven()).toMatchObject({ key: expect.stringContaining('BEGIN PUBLIC KEY') })
  eddsa()
  expect(keyGiven()).toBe(ED25519.keyObject) // it needs no options
})

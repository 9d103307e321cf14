import { createVerify, generateKeyPairSync, sign, verify } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { PublicKey } from '../../src/key/import.ts'
import { verifySignature } from '../../src/signature/verify-signature.ts'
import { ONE } from '../vectors/build/keys.ts'
import { signText } from '../vectors/build/sign.ts'

// Both ways give the same on Node.js. Which one is taken shows here; that it is right there, in test/runtimes.
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
const P256: PublicKey = { type: 'p256', bits: 256, keyObject: ec.publicKey }

const pkcs1 = () => verifySignature(TEXT, signText(TEXT, ONE, 'pkcs1-sha256'), RSA, 'rsa-sha256')
const pss = () => verifySignature(TEXT, signText(TEXT, ONE, 'pss-sha512'), RSA, 'hs2019')
const ecdsa = () => {
  const key = { key: ec.privateKey, dsaEncoding: 'ieee-p1363' } as const
  return verifySignature(TEXT, sign('sha256', Buffer.from(TEXT), key), P256, 'ecdsa-p256-sha256')
}

/** How often each function of `node:crypto` was called. */
function calls(run: () => boolean) {
  vi.clearAllMocks()
  expect(run()).toBe(true)
  return {
    verify: vi.mocked(verify).mock.calls.length,
    createVerify: vi.mocked(createVerify).mock.calls.length
  }
}
const ONE_SHOT = { verify: 1, createVerify: 0 }

beforeEach(() => {
  vi.clearAllMocks()
})
afterEach(() => {
  vi.unstubAllGlobals()
})

describe('a signature is accepted by', () => {
  it('crypto.verify and the key as it is', () => {
    for (const navigator of [undefined, { userAgent: 'Node.js/24' }, { userAgent: 'Deno/2' }]) {
      vi.stubGlobal('navigator', navigator)
      for (const run of [pkcs1, pss, ecdsa]) expect(calls(run)).toEqual(ONE_SHOT)
      expect(vi.mocked(verify).mock.lastCall![2]).toMatchObject({ key: P256.keyObject })
    }
  })

  it('createVerify on Workers where there is a padding, because crypto.verify ignores the padding', () => {
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
    for (const run of [pkcs1, ecdsa]) expect(calls(run)).toEqual(ONE_SHOT)
    expect(calls(pss)).toEqual({ verify: 0, createVerify: 1 })
  })
})

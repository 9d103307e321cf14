import { generateKeyPairSync, publicDecrypt, publicEncrypt, sign, verify } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { PublicKey } from '../../src/key/import.ts'
import { verifySignature } from '../../src/signature/verify-signature.ts'
import { ONE } from '../vectors/build/keys.ts'
import { signText } from '../vectors/build/sign.ts'

// All ways give the same on Node.js, so that here is seen which of them is taken for which runtime.
vi.mock('node:crypto', async importOriginal => {
  const real = await importOriginal<typeof import('node:crypto')>()
  return {
    ...real,
    verify: vi.fn(real.verify),
    publicDecrypt: vi.fn(real.publicDecrypt),
    publicEncrypt: vi.fn(real.publicEncrypt)
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

/** The functions of `node:crypto` that it took. */
function taken(run: () => boolean): string[] {
  expect(run()).toBe(true)
  return Object.entries({ verify, publicDecrypt, publicEncrypt })
    .filter(([, each]) => vi.mocked<(...given: never[]) => unknown>(each).mock.calls.length > 0)
    .map(([name]) => name)
}
const keyGiven = () => (vi.mocked(verify).mock.lastCall![2] as unknown as { key: unknown }).key

beforeEach(() => {
  vi.clearAllMocks()
})
afterEach(() => {
  vi.unstubAllGlobals()
})

describe('what is taken of node:crypto', () => {
  it('on Node.js: PKCS#1 v1.5 is opened, all else is verified with the key as it is', () => {
    for (const navigator of [undefined, { userAgent: 'Node.js/24' }]) {
      vi.stubGlobal('navigator', navigator)
      vi.clearAllMocks()
      expect(taken(pkcs1)).toEqual(['publicDecrypt'])
      vi.clearAllMocks()
      expect(taken(pss)).toEqual(['verify'])
      expect(keyGiven()).toBe(RSA.keyObject)
      vi.clearAllMocks()
      expect(taken(ecdsa)).toEqual(['verify'])
      expect(keyGiven()).toBe(P256.keyObject)
    }
  })

  it('on Deno, which opens what is not below the modulus: nothing is opened', () => {
    vi.stubGlobal('Deno', {})
    expect(taken(pkcs1)).toEqual(['verify'])
  })

  it('on Workers, which heed no padding: PSS is opened, and no KeyObject stands beside options', () => {
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
    expect(taken(pss)).toEqual(['publicEncrypt'])
    vi.clearAllMocks()
    expect(taken(ecdsa)).toEqual(['verify'])
    expect(keyGiven()).toContain('BEGIN PUBLIC KEY')
  })
})

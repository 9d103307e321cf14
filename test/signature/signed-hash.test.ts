import { constants, createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { PublicKey } from '../../src/key/import.ts'
import { signedHash } from '../../src/signature/signed-hash.ts'

const DATA = Buffer.from('date: Fri, 20 Nov 2026 12:00:00 GMT')
const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 })
const ed25519 = generateKeyPairSync('ed25519')

const rsaKey = (keyObject: KeyObject): PublicKey => ({ type: 'rsa', bits: 1024, keyObject })

describe('the hash inside a signature', () => {
  it.each([
    ['rsa-sha256', 'sha256'],
    ['rsa-sha512', 'sha512'],
    ['rsa-v1_5-sha256', 'sha256']
  ])('of %s is the one that was signed, and not beyond', (algorithm, digest) => {
    const signature = sign(digest, DATA, rsa.privateKey)
    const hash = createHash(digest).update(DATA).digest('base64')
    expect(signedHash(signature, rsaKey(rsa.publicKey), algorithm)).toBe(hash)
  })

  it('is not told by another key, another hash, or what is no signature', () => {
    const signature = sign('sha256', DATA, rsa.privateKey)
    const other = generateKeyPairSync('rsa', { modulusLength: 1024 })
    expect(signedHash(signature, rsaKey(other.publicKey), 'rsa-sha256')).toBeUndefined()
    expect(signedHash(signature, rsaKey(rsa.publicKey), 'rsa-sha512')).toBeUndefined()
    expect(signedHash(signature.subarray(1), rsaKey(rsa.publicKey), 'rsa-sha256')).toBeUndefined()
  })

  it('is not shown by PSS and Ed25519, and an unknown algorithm has none', () => {
    const padding = constants.RSA_PKCS1_PSS_PADDING
    const pss = sign('sha512', DATA, { key: rsa.privateKey, padding })
    expect(signedHash(pss, rsaKey(rsa.publicKey), 'hs2019')).toBeUndefined()
    const key: PublicKey = { type: 'ed25519', bits: 256, keyObject: ed25519.publicKey }
    expect(signedHash(sign(null, DATA, ed25519.privateKey), key, 'hs2019')).toBeUndefined()
    const signature = sign('sha256', DATA, rsa.privateKey)
    expect(signedHash(signature, rsaKey(rsa.publicKey), 'rsa-md5')).toBeUndefined()
    // PKCS#1 v1.5 under the name of PSS
    expect(signedHash(sign('sha512', DATA, rsa.privateKey), rsaKey(rsa.publicKey), 'hs2019')).toBeUndefined()
  })
})

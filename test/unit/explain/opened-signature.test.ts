import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openSignature } from '../../../src/explain/opened-signature.ts'
import { ED25519, ONE, type TestKey, TWO } from '../../vectors/build/keys.ts'
import { digestInfo, encodePkcs1, type Scheme, signEncoded, signText } from '../../vectors/build/sign.ts'

const TEXT = 'date: Fri, 20 Nov 2026 12:00:00 GMT'

const evidence = (key: TestKey, signature: Uint8Array, algorithm: string) => ({
  record: key.record,
  signature: Buffer.from(signature).toString('base64'),
  algorithm
})
const signed = (scheme: Scheme, key = ONE) => signText(TEXT, key, scheme)

describe('the hash inside a signature', () => {
  it.each([
    ['rsa-sha256', 'sha256'],
    ['rsa-sha512', 'sha512'],
    ['rsa-v1_5-sha256', 'sha256']
  ] as const)('of %s is the one that was signed', (algorithm, digest) => {
    expect(openSignature(evidence(ONE, signed(`pkcs1-${digest}`), algorithm))).toEqual({
      algorithm: digest,
      hash: createHash(digest).update(TEXT).digest('base64')
    })
  })

  it('is not shown for another key or another hash', () => {
    expect(openSignature(evidence(TWO, signed('pkcs1-sha256'), 'rsa-sha256'))).toBeUndefined()
    expect(openSignature(evidence(ONE, signed('pkcs1-sha256'), 'rsa-sha512'))).toBeUndefined()
  })

  it('is not shown for a signature that is cut, empty or has no DigestInfo', () => {
    const signature = signed('pkcs1-sha256')
    const bare = signEncoded(encodePkcs1(digestInfo(TEXT).subarray(19), 256), ONE)
    for (const other of [signature.subarray(1), new Uint8Array(), bare]) {
      expect(openSignature(evidence(ONE, other, 'rsa-sha256'))).toBeUndefined()
    }
  })

  it('is not shown for PSS, Ed25519, an unknown algorithm or a record that is not a key', () => {
    expect(openSignature(evidence(ONE, signed('pss-sha512'), 'hs2019'))).toBeUndefined()
    expect(openSignature(evidence(ONE, signed('pkcs1-sha512'), 'hs2019'))).toBeUndefined()
    expect(openSignature(evidence(ED25519, signed('ed25519', ED25519), 'hs2019'))).toBeUndefined()
    expect(openSignature(evidence(ONE, signed('pkcs1-sha256'), 'rsa-md5'))).toBeUndefined()
    const record = { ...ONE, record: 'v=spf1 -all' }
    expect(openSignature(evidence(record, signed('pkcs1-sha256'), 'rsa-sha256'))).toBeUndefined()
  })
})

import { describe, expect, test } from 'vitest'
import { ED25519, ONE, RSA_4096, type TestKey, TWO } from '../../../fixtures/source/keys.ts'
import { digestInfo, encodePkcs1, type Scheme, signEncoded, signText } from '../../../fixtures/source/sign.ts'
import { openSignature } from '../../../src/explain/opened-signature.ts'

const TEXT = 'date: Fri, 20 Nov 2026 12:00:00 GMT'

const evidence = (key: TestKey, signature: Uint8Array, algorithm: string) => ({
  record: key.record,
  signature: Buffer.from(signature).toString('base64'),
  algorithm
})
const signed = (scheme: Scheme, key = ONE) => signText(TEXT, key, scheme)
const PKCS1 = signed('pkcs1-sha256')

describe('an RSASSA-PKCS1-v1_5 signature', () => {
  test.each([
    ['rsa-sha256', 'sha256'],
    ['rsa-sha512', 'sha512'],
    ['rsa-v1_5-sha256', 'sha256']
  ] as const)('an RSASSA-PKCS1-v1_5 signature by %s tells the signed text from others', (algorithm, digest) => {
    const opened = openSignature(evidence(ONE, signed(`pkcs1-${digest}`), algorithm))
    expect(opened).toMatchObject({ isByKey: true })
    expect(opened?.wasSigned(TEXT)).toBe(true)
    expect(opened?.wasSigned(`${TEXT} `)).toBe(false)
  })

  test.each<[string, TestKey, Uint8Array, algorithm: string]>([
    ['another key', TWO, PKCS1, 'rsa-sha256'],
    ['another hash', ONE, PKCS1, 'rsa-sha512'],
    ['a longer hash', ONE, signed('pkcs1-sha512'), 'rsa-sha256'],
    ['a byte less', ONE, PKCS1.subarray(1), 'rsa-sha256'],
    ['no bytes', ONE, new Uint8Array(), 'rsa-sha256'],
    ['no DigestInfo', ONE, signEncoded(encodePkcs1(digestInfo(TEXT).subarray(19), 256), ONE), 'rsa-sha256']
  ])('an RSASSA-PKCS1-v1_5 signature with %s is not by the key', (_, key, signature, algorithm) => {
    const opened = openSignature(evidence(key, signature, algorithm))
    expect(opened).toMatchObject({ isByKey: false })
    expect(opened?.wasSigned(TEXT)).toBe(false)
  })
})

describe('a signature that does not show its digest', () => {
  test.each([
    ['PSS', ONE, 'pss-sha512'],
    ['Ed25519', ED25519, 'ed25519']
  ] as const)('a signature by %s, which does not show its digest, is tried by verifying', (_, key, scheme) => {
    const opened = openSignature(evidence(key, signed(scheme, key), 'hs2019'))
    expect(opened).toMatchObject({ isByKey: undefined })
    expect(opened?.wasSigned(TEXT)).toBe(true)
    expect(opened?.wasSigned(`${TEXT} `)).toBe(false)
  })
})

test('opens nothing with an unknown algorithm or a record that is not a key', () => {
  expect(openSignature(evidence(ONE, PKCS1, 'rsa-md5'))).toBeUndefined()
  const record = { ...ONE, record: 'v=spf1 -all' }
  expect(openSignature(evidence(record, PKCS1, 'rsa-sha256'))).toBeUndefined()
})

test.each([
  ['an RSA key of 2,048 bits', ONE, 'hs2019', 44],
  ['an RSA key of 4,096 bits', RSA_4096, 'hs2019', 116],
  ['an Ed25519 key', ED25519, 'ed25519', 100]
] as const)('a try with %s costs a whole verification', (_, key, algorithm, microseconds) => {
  const { cost } = openSignature(evidence(key, new Uint8Array(), algorithm))!
  expect([cost(''), cost('x'.repeat(3000))]).toEqual([microseconds, microseconds + 10])
})

test('a try of an RSASSA-PKCS1-v1_5 signature costs a hash', () => {
  const { cost } = openSignature(evidence(ONE, PKCS1, 'rsa-sha256'))!
  expect([cost(''), cost('x'.repeat(5000))]).toEqual([1, 11])
})

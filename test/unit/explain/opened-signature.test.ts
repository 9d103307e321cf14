import { constants, sign as cryptoSign, generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { ED25519, ONE, RSA_4096, type TestKey, TWO } from '../../../fixtures/source/keys.ts'
import { digestInfo, encodePkcs1, type Scheme, signEncoded, signText } from '../../../fixtures/source/sign.ts'
import { madeByKey, openSignature } from '../../../src/explain/opened-signature.ts'

const TEXT = 'date: Fri, 20 Nov 2026 12:00:00 GMT'

const evidence = (key: Pick<TestKey, 'record'>, signature: Uint8Array, algorithm: string) => ({
  record: key.record,
  signature: Buffer.from(signature).toString('base64'),
  algorithm
})
const signed = (scheme: Scheme, key = ONE) => signText(TEXT, key, scheme)
const PKCS1 = signed('pkcs1-sha256')

/** Signs the text by PSS. */
const pss = (hash: string, saltLength: number, key = ONE) =>
  cryptoSign(hash, Buffer.from(TEXT), { key: key.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength })

describe('an RSA signature tells the signed text from others, and how it was made', () => {
  test.each<[what: string, Uint8Array, algorithm: string, made: object, isOtherwiseMade: boolean]>([
    ['rsa-sha256', PKCS1, 'rsa-sha256', { padding: 'pkcs1', hash: 'sha256' }, false],
    ['rsa-v1_5-sha256', PKCS1, 'rsa-v1_5-sha256', { padding: 'pkcs1', hash: 'sha256' }, false],
    ['rsa-sha512', signed('pkcs1-sha512'), 'rsa-sha512', { padding: 'pkcs1', hash: 'sha512' }, false],
    ['SHA-512 under rsa-sha256', signed('pkcs1-sha512'), 'rsa-sha256', { padding: 'pkcs1', hash: 'sha512' }, true],
    [
      'SHA-1 under rsa-sha256',
      cryptoSign('sha1', Buffer.from(TEXT), ONE.privateKey),
      'rsa-sha256',
      { padding: 'pkcs1', hash: 'sha1' },
      true
    ],
    [
      'SHA-384 under rsa-sha256',
      cryptoSign('sha384', Buffer.from(TEXT), ONE.privateKey),
      'rsa-sha256',
      { padding: 'pkcs1', hash: 'sha384' },
      true
    ],
    ['PKCS1 under hs2019', PKCS1, 'hs2019', { padding: 'pkcs1', hash: 'sha256' }, true],
    [
      'no DigestInfo',
      signEncoded(encodePkcs1(digestInfo(TEXT).subarray(19), 256), ONE),
      'rsa-sha256',
      { padding: 'pkcs1', hash: undefined },
      true
    ],
    ['hs2019', signed('pss-sha512'), 'hs2019', { padding: 'pss', hash: 'sha512' }, false],
    ['a salt of 20 bytes', pss('sha512', 20), 'hs2019', { padding: 'pss', hash: 'sha512' }, false],
    ['no salt', pss('sha512', 0), 'hs2019', { padding: 'pss', hash: 'sha512' }, false],
    ['PSS with SHA-256', pss('sha256', 32), 'hs2019', { padding: 'pss', hash: 'sha256' }, true],
    ['PSS with SHA-1', pss('sha1', 20), 'hs2019', { padding: 'pss', hash: 'sha1' }, true],
    ['PSS under rsa-sha256', pss('sha256', 32), 'rsa-sha256', { padding: 'pss', hash: 'sha256' }, true]
  ])('an RSA signature is opened: %s', (_, signature, algorithm, made, isOtherwiseMade) => {
    const opened = openSignature(evidence(ONE, signature, algorithm))!
    expect(opened).toMatchObject({ isByKey: true, made, isOtherwiseMade })
    expect([TEXT, `${TEXT} `].map(opened.wasSigned)).toEqual([true, false])
  })

  test('a key of 4,096 bits and one of 8k + 1 bits are opened, too', () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1025 })
    const record = `v=DKIM1; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`
    for (const key of [RSA_4096, { ...ONE, record, privateKey }]) {
      const opened = openSignature(evidence(key, pss('sha512', 20, key), 'hs2019'))!
      expect(opened.isByKey).toBe(true)
      expect([TEXT, `${TEXT} `].map(opened.wasSigned)).toEqual([true, false])
    }
  })
})

test('a salt as long as the key allows shows the text, but not by itself that the key made it', () => {
  const opened = openSignature(evidence(ONE, pss('sha512', 190), 'hs2019'))!
  expect(opened.isByKey).toBeUndefined()
  expect([TEXT, `${TEXT} `].map(opened.wasSigned)).toEqual([true, false])
})

test.each<[string, TestKey, Uint8Array, algorithm: string]>([
  ['another key', TWO, PKCS1, 'rsa-sha256'],
  ['another key, by PSS', TWO, pss('sha512', 64), 'hs2019'],
  ['a byte less', ONE, PKCS1.subarray(1), 'rsa-sha256'],
  ['no bytes', ONE, new Uint8Array(), 'rsa-sha256'],
  ['a content that is no digest', ONE, signEncoded(encodePkcs1(Buffer.alloc(33), 256), ONE), 'rsa-sha256'],
  ['a content of any length', ONE, signEncoded(encodePkcs1(Buffer.alloc(200), 256), ONE), 'rsa-sha256']
])('an RSA signature with %s is not by the key', (_, key, signature, algorithm) => {
  const opened = openSignature(evidence(key, signature, algorithm))
  expect(opened).toMatchObject({ isByKey: false })
  expect(opened?.wasSigned(TEXT)).toBe(false)
})

test('no signature that a stranger finds by trying passes for one of the key', () => {
  for (let i = 0; i < 3000; i++) {
    const signature = Buffer.alloc(256, i % 127)
    signature.writeUInt32BE(i, 100)
    expect(madeByKey(evidence(ONE, signature, i % 2 === 0 ? 'hs2019' : 'rsa-sha256'))).not.toBe(true)
  }
})

test('an Ed25519 signature, which does not show its text, is tried by verifying', () => {
  const opened = openSignature(evidence(ED25519, signed('ed25519', ED25519), 'hs2019'))!
  expect(opened.isByKey).toBeUndefined()
  expect([TEXT, `${TEXT} `].map(opened.wasSigned)).toEqual([true, false])
})

test('a signature in hexadecimal is read as that', () => {
  for (const [key, scheme, algorithm, isByKey] of [
    [ONE, 'pkcs1-sha256', 'rsa-sha256', true],
    [TWO, 'pkcs1-sha256', 'rsa-sha256', false],
    [ED25519, 'ed25519', 'ed25519', undefined]
  ] as const) {
    const signer = key === TWO ? ONE : key
    const signature = Buffer.from(signed(scheme, signer)).toString('hex')
    expect(openSignature({ record: key.record, signature, algorithm })).toMatchObject({ isHex: true, isByKey })
  }
})

test('of several records, the one whose key made the signature counts', () => {
  const records = [TWO.record, 'v=spf1 -all', ONE.record]
  expect(madeByKey({ ...evidence(TWO, PKCS1, 'rsa-sha256'), records })).toBe(true)
})

test('opens nothing with an unknown algorithm or a record that is not a key', () => {
  expect(openSignature(evidence(ONE, PKCS1, 'rsa-md5'))).toBeUndefined()
  const record = { ...ONE, record: 'v=spf1 -all' }
  expect(openSignature(evidence(record, PKCS1, 'rsa-sha256'))).toBeUndefined()
})

test('a try with an Ed25519 key costs a whole verification, and one with an RSA key a hash', () => {
  const slow = openSignature(evidence(ED25519, new Uint8Array(64), 'ed25519'))!
  expect([slow.cost(''), slow.cost('x'.repeat(3000))]).toEqual([100, 110])
  const fast = openSignature(evidence(ONE, PKCS1, 'rsa-sha256'))!
  expect([fast.cost(''), fast.cost('x'.repeat(5000))]).toEqual([2, 12])
})

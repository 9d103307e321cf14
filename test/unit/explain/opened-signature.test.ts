import { constants, createHash, sign as cryptoSign, generateKeyPairSync } from 'node:crypto'
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

test('a signature is opened with the hash that made it, although another hash shows a salt, too', () => {
  const signature =
    'QCWp3I5oCb8/UXEwmd3suL0lT/9+75Y2sMyJT1e0mw8sTWusQFm2v3MPQnv05o474tXHQd3eftvzU0v24py8Gy/cpce3uS3mhsQpJVweI5IZ7fe3' +
    'aI2f2/R6LLzE5omS0t9i9kPACAVa4yBpy0XSqsDqmSuQrDAaE3ejyB7rNgkXX/BwkwUUCsnhm1SrtbL3gEh//mRAYXDHn+mjh+RHych863Mx1Saw' +
    'lIRI2UPn1xzoxcxLZ2TNEGUUaGthtX3S47SxG3Hog+RiMoxo8orwjaT4qVPT6H7UBL/PF7r5uqkdGkx/gaZGyx0p8L0tEcgTRHYJQ3FdHxgDPx5F' +
    'Mpqq3A=='
  const opened = openSignature({ record: ONE.record, signature, algorithm: 'hs2019' })
  expect(opened).toMatchObject({ isByKey: true, made: { padding: 'pss', hash: 'sha256' } })
  expect(opened?.wasSigned(TEXT)).toBe(true)
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

/** Makes, without the private key, a number whose cube begins and ends as PSS with SHA-1 and 40 zeros asks. */
function forgePss(modulus: bigint): Buffer {
  const hash = Buffer.alloc(20, 0x5a)
  const block = Buffer.alloc(235)
  block[40] = 1
  for (let i = 0; i < 12; i++) {
    const mask = createHash('sha1')
      .update(hash)
      .update(Buffer.from([0, 0, 0, i]))
      .digest()
    mask.forEach((octet, at) => {
      if (i * 20 + at < block.length) block[i * 20 + at]! ^= octet
    })
  }
  block[0]! &= 0x7f
  const wanted = BigInt(`0x${Buffer.concat([block, hash, Buffer.from([0xbc])]).toString('hex')}`) + modulus
  let root = 0n
  for (let bit = 1n << 700n; bit > 0n; bit >>= 1n) if ((root + bit) ** 3n <= wanted) root += bit
  // The last 168 bits of the root decide on those of its cube alone.
  let end = 0n
  for (let i = 0n; i < 168n; i++) if ((end ** 3n - wanted) % (2n << i) !== 0n) end += 1n << i
  return Buffer.from((root - (root % (1n << 168n)) + end).toString(16).padStart(512, '0'), 'hex')
}

test('a signature that anybody can compute for an exponent of 3 does not count as made by the key', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 })
  const { n = '' } = publicKey.export({ format: 'jwk' })
  const key = {
    ...ONE,
    privateKey,
    record: `v=DKIM1; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`
  }
  const forged = forgePss(BigInt(`0x${Buffer.from(n, 'base64url').toString('hex')}`))
  for (const algorithm of ['rsa-sha256', 'hs2019']) expect(madeByKey(evidence(key, forged, algorithm))).not.toBe(true)
  expect(madeByKey(evidence(key, signed('pkcs1-sha256', key), 'rsa-sha256'))).toBe(true)
})

test.each([
  ['hexadecimal', (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')],
  ['base64-twice', (bytes: Uint8Array) => Buffer.from(Buffer.from(bytes).toString('base64')).toString('base64')]
] as const)('a signature that is written as %s is read as that', (form, write) => {
  for (const [key, scheme, algorithm, isByKey] of [
    [ONE, 'pkcs1-sha256', 'rsa-sha256', true],
    [TWO, 'pkcs1-sha256', 'rsa-sha256', false],
    [ED25519, 'ed25519', 'ed25519', undefined]
  ] as const) {
    const signer = key === TWO ? ONE : key
    const signature = write(signed(scheme, signer))
    expect(openSignature({ record: key.record, signature, algorithm })).toMatchObject({ form, isByKey })
  }
})

test('a signature of another size than those of the key is told as that', () => {
  const cut = PKCS1.subarray(0, 192)
  expect(openSignature(evidence(ONE, cut, 'rsa-sha256'))).toMatchObject({ size: { received: 192, expected: 256 } })
  expect(openSignature(evidence(ED25519, PKCS1, 'ed25519'))).toMatchObject({ size: { received: 256, expected: 64 } })
  expect(openSignature(evidence(ONE, PKCS1, 'rsa-sha256'))).not.toHaveProperty('size')
})

test.each([
  ['rsa-sha256', [ED25519, ONE], PKCS1, true],
  ['ed25519', [ED25519, ONE], PKCS1, true],
  ['rsa-sha256', [ONE, ED25519], signed('ed25519', ED25519), undefined],
  ['rsa-sha256', [ONE, ED25519], signed('pkcs1-sha256', TWO), false]
] as const)('of records of both types, each may have made the signature: %s', (algorithm, keys, signature, isByKey) => {
  const records = keys.map(({ record }) => record)
  const opened = openSignature({ ...evidence(keys[0], signature, algorithm), records })!
  expect(opened.isByKey).toBe(isByKey)
  expect(opened.wasSigned(TEXT)).toBe(isByKey !== false)
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

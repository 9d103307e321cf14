import { generateKeyPairSync, sign } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { ED25519, EXPONENT_3, ONE, RSA_1024, type TestKey } from '../../../../fixtures/source/keys.ts'
import { type Scheme, signText } from '../../../../fixtures/source/sign.ts'
import { importPublicKey, type PublicKey, parseKeyRecord, verifySignature } from '../../../../src/index.ts'

function publicKeyOf({ record }: TestKey): PublicKey {
  const parsed = parseKeyRecord(record)
  const key = parsed.ok ? importPublicKey(parsed.value) : parsed
  if (!key.ok) throw new Error(key.code)
  return key.value
}

/** The text has octets above ASCII. */
const TEXT = 'date: caf\xe9\nx: \x80\xff'

afterEach(() => {
  vi.unstubAllGlobals()
})

test.each<[string, TestKey, Scheme, algorithms: string[]]>([
  ['RSA, SHA-256', ONE, 'pkcs1-sha256', ['rsa-sha256']],
  ['RSA, SHA-512', ONE, 'pkcs1-sha512', ['rsa-sha512']],
  ['RSA-PSS, SHA-512', ONE, 'pss-sha512', ['hs2019']],
  ['RSA of 1024 bits', RSA_1024, 'pkcs1-sha256', ['rsa-sha256']],
  ['RSA with exponent 3', EXPONENT_3, 'pkcs1-sha256', ['rsa-sha256']],
  ['Ed25519', ED25519, 'ed25519', ['ed25519', 'hs2019']]
])('%s verifies only under its own algorithm', (_, key, scheme, algorithms) => {
  const publicKey = publicKeyOf(key)
  const signature = signText(TEXT, key, scheme)
  // Workers use another function to verify PSS.
  for (const userAgent of ['Node.js/20', 'Cloudflare-Workers']) {
    vi.stubGlobal('navigator', { userAgent })
    for (const algorithm of ['rsa-sha256', 'rsa-sha512', 'hs2019', 'ed25519', 'RSA-SHA256', 'rsa-sha1', 'none', '']) {
      expect(verifySignature(TEXT, signature, publicKey, algorithm)).toBe(algorithms.includes(algorithm.toLowerCase()))
    }
  }
})

test.each(['constructor', '__proto__', 'toString'])('rejects %s as an algorithm', algorithm => {
  expect(verifySignature(TEXT, Buffer.alloc(256), publicKeyOf(ONE), algorithm)).toBe(false)
})

test('a key that is no RSA key, although it says so, verifies nothing and does not throw', () => {
  const key = { ...publicKeyOf(ED25519), type: 'rsa' } as PublicKey
  expect(verifySignature(TEXT, Buffer.alloc(256), key, 'rsa-sha256')).toBe(false)
})

test.each<[string, TestKey, Scheme]>([
  ['rsa-sha256', RSA_1024, 'pkcs1-sha256'],
  ['rsa-sha512', RSA_1024, 'pkcs1-sha512'],
  ['hs2019', ONE, 'pss-sha512']
])('%s: a signature without its leading zero is not accepted', (algorithm, own, scheme) => {
  const key = publicKeyOf(own)
  let [text, signature] = ['', signText('', own, scheme)]
  for (let n = 0; signature[0] !== 0; n++) {
    text = `date: ${n}`
    signature = signText(text, own, scheme)
  }
  expect(verifySignature(text, signature, key, algorithm)).toBe(true)
  expect(verifySignature(text, signature.subarray(1), key, algorithm)).toBe(false)
})

test('rejects a text with a character that is not an octet', () => {
  for (const [key, scheme, algorithm] of [
    [ONE, 'pkcs1-sha256', 'rsa-sha256'],
    [ED25519, 'ed25519', 'ed25519']
  ] as const) {
    const signature = signText('A', key, scheme)
    expect(verifySignature('A', signature, publicKeyOf(key), algorithm)).toBe(true)
    expect(verifySignature('\u0141', signature, publicKeyOf(key), algorithm)).toBe(false)
  }
})

test('verifies an ECDSA signature of its own length, and no other', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key: PublicKey = { type: 'p256', bits: 256, keyObject: publicKey }
  const signature = sign('sha256', Buffer.from('A'), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  // Workers get the key in another form.
  for (const userAgent of ['Node.js/20', 'Cloudflare-Workers']) {
    vi.stubGlobal('navigator', { userAgent })
    expect(verifySignature('A', signature, key, 'ecdsa-p256-sha256')).toBe(true)
    expect(verifySignature('B', signature, key, 'ecdsa-p256-sha256')).toBe(false)
    for (const other of [signature.subarray(1), Buffer.concat([signature, Buffer.alloc(1)])]) {
      expect(verifySignature('A', other, key, 'ecdsa-p256-sha256')).toBe(false)
    }
  }
})

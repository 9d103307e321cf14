import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { toInteger, toOctets } from './der.ts'

/** A private key made for these vectors and good for nothing else. */
export interface TestKey {
  privateKey: KeyObject
  publicKey: KeyObject
  /** the public key as a record's `p=` carries it */
  p: string
  /** the whole record */
  record: string
}

function readKey(name: string, type: 'rsa' | 'ed25519' = 'rsa'): TestKey {
  return testKey(createPrivateKey(readFileSync(new URL(`keys/${name}.pem`, import.meta.url))), type)
}

function testKey(privateKey: KeyObject, type: 'rsa' | 'ed25519'): TestKey {
  const publicKey = createPublicKey(privateKey)
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  // RFC 8463 section 4: the 32 bytes alone.
  const p = (type === 'rsa' ? spki : spki.subarray(-32)).toString('base64')
  return { privateKey, publicKey, p, record: `v=DKIM1; k=${type}; p=${p}` }
}

export const ONE = readKey('one')
export const TWO = readKey('two')
export const EXPONENT_3 = readKey('exponent-3')
export const RSA_512 = readKey('rsa-512')
export const RSA_1023 = readKey('rsa-1023')
export const RSA_1024 = readKey('rsa-1024')
export const ED25519 = readKey('ed25519', 'ed25519')
export const RSA_8192 = readKey('rsa-8192')
export const EC_P256 = readKey('ec-p256')
export const RSA_PSS = readKey('rsa-pss')

/** The primes of a key with another public exponent, which must have no factor in common with either less one. */
function withExponent({ privateKey }: TestKey, exponent: bigint): TestKey {
  const jwk = privateKey.export({ format: 'jwk' })
  const [p, q] = [jwk.p, jwk.q].map(prime => toInteger(Buffer.from(prime!, 'base64url'))) as [bigint, bigint]
  const d = inverse(exponent, (p - 1n) * (q - 1n))
  const base64url = (value: bigint): string =>
    toOctets(value, Math.ceil(value.toString(16).length / 2)).toString('base64url')
  const parts = { e: exponent, d, dp: d % (p - 1n), dq: d % (q - 1n) }
  const changed = Object.entries(parts).map(([name, value]) => [name, base64url(value)])
  return testKey(createPrivateKey({ key: { ...jwk, ...Object.fromEntries(changed) }, format: 'jwk' }), 'rsa')
}

/** By the extended algorithm of Euclid. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [modulus, value % modulus, 0n, 1n]
  while (b > 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y]
  if (a !== 1n) throw new Error('there is no inverse: take another key')
  return (x + modulus) % modulus
}

/** 2^32 + 1 has 33 bits, and is the largest exponent in use. */
export const EXPONENT_33_BITS = withExponent(ONE, 2n ** 32n + 1n)

export const modulusOf = ({ publicKey }: TestKey): bigint =>
  toInteger(Buffer.from(String(publicKey.export({ format: 'jwk' }).n), 'base64url'))

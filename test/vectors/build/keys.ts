import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { toInteger } from './der.ts'

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
  const privateKey = createPrivateKey(readFileSync(new URL(`keys/${name}.pem`, import.meta.url)))
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
export const EC_P256 = readKey('ec-p256')
export const RSA_PSS = readKey('rsa-pss')

export const modulusOf = ({ publicKey }: TestKey): bigint =>
  toInteger(Buffer.from(String(publicKey.export({ format: 'jwk' }).n), 'base64url'))

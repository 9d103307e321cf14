import { type KeyObject, verify } from 'node:crypto'
import type { PublicKey } from '../key/import.ts'
import { computationFor } from './algorithms.ts'
import { verifyPkcs1 } from './pkcs1.ts'
import { verifyPss } from './pss.ts'

/**
 * Does the signature over the signing string verify with this key? False, never a throw, also for an unknown
 * algorithm or one that does not fit the key.
 *
 * @param signingString the signing string of the draft, or the signature base of RFC 9421
 * @param algorithm in any case: `rsa-sha256`, `rsa-sha512`, `hs2019` or `ed25519` of the draft; `rsa-v1_5-sha256`,
 *   `rsa-pss-sha512`, `ed25519` or `ecdsa-p256-sha256` of RFC 9421
 */
export function verifySignature(
  signingString: string,
  signature: Uint8Array,
  key: PublicKey,
  algorithm: string
): boolean {
  const computation = computationFor(algorithm.toLowerCase(), key.type)
  if (computation === undefined) return false
  const { digest, options } = computation
  // RFC 8017 sections 8.1.2 and 8.2.2, step 1: OpenSSL accepts and opens signatures whose leading zero was cut off.
  if (key.type === 'rsa' && signature.length !== Math.ceil(key.bits / 8)) return false

  const data = octetsOf(signingString)
  if (data === undefined) return false
  const { keyObject } = key
  if (digest === null) return verify(null, data, keyObject, signature)
  if (options === undefined) return verifyPkcs1(data, signature, keyObject, digest)
  if ('padding' in options && isWorkers()) return verifyPss(data, signature, key, options.saltLength)
  return verify(digest, data, { ...asInput(keyObject), ...options }, signature)
}

/** There, `node:crypto` takes no KeyObject beside options, and heeds no padding. */
const isWorkers = () =>
  (globalThis as { navigator?: { userAgent?: string } }).navigator?.userAgent === 'Cloudflare-Workers'

const asInput = (key: KeyObject): { key: string } | { key: KeyObject } =>
  isWorkers() ? { key: key.export({ type: 'spki', format: 'pem' }).toString() } : { key }

/**
 * HTTP field values are octets, and receivers hold each as one character (RFC 9110 section 5.5, obs-text). A character
 * that is no octet was never in a request, so nothing can be signed over it.
 */
function octetsOf(text: string): Buffer | undefined {
  const octets = Buffer.from(text, 'latin1')
  return NOT_OCTETS.test(text) ? undefined : octets
}

const NOT_OCTETS = /[^\0-\xff]/

import { constants, verify } from 'node:crypto'
import type { PublicKey } from '../key/import.ts'
import { schemeFor } from './algorithms.ts'

/**
 * Does the signature over the signing string verify with this key? False, never a throw, also for an unknown
 * algorithm or one that does not fit the key.
 *
 * @param algorithm `rsa-sha256`, `rsa-sha512`, `hs2019` or `ed25519`, in lower case
 */
export function verifySignature(
  signingString: string,
  signature: Uint8Array,
  key: PublicKey,
  algorithm: string
): boolean {
  const scheme = schemeFor(algorithm, key.type)
  const octets = toOctets(signingString)
  if (scheme === undefined || octets === undefined) return false

  const { keyObject } = key
  if (scheme.padding === undefined) return verify(scheme.digest, octets, keyObject, signature)
  const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_AUTO: saltLength } = constants
  return verify(scheme.digest, octets, { key: keyObject, padding, saltLength }, signature)
}

/**
 * The octets that came over the wire: HTTP field values are octets, and receivers hold each as one character
 * (RFC 9110 section 5.5, obs-text). A character that is no octet was never in a request, so nothing can be signed
 * over it.
 */
function toOctets(text: string): Uint8Array | undefined {
  const octets = Buffer.from(text, 'latin1')
  return octets.toString('latin1') === text ? octets : undefined
}

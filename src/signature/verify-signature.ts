import { constants, createVerify, verify } from 'node:crypto'
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
  if (scheme === undefined || NOT_OCTETS.test(signingString)) return false

  const { keyObject } = key
  if (scheme.digest === null) return verify(null, Buffer.from(signingString, 'latin1'), keyObject, signature)
  const verifier = createVerify(scheme.digest).update(signingString, 'latin1')
  return verifier.verify(scheme.padding === 'pss' ? { key: keyObject, ...PSS } : keyObject, signature)
}

/** The draft leaves the salt's length open; signers use as much as fits, or the hash's length. */
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO }

/**
 * HTTP field values are octets, and receivers hold each as one character (RFC 9110 section 5.5, obs-text). A character
 * that is no octet was never in a request, so nothing can be signed over it.
 */
const NOT_OCTETS = /[^\0-\xff]/

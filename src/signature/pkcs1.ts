import { type KeyObject, publicDecrypt, verify } from 'node:crypto'
import { base64Digest } from './hash.ts'

/** RFC 8017 section 9.2, note 1: the DER of DigestInfo up to the hash. */
const DIGEST_INFO = {
  sha256: Buffer.from('3031300d060960864801650304020105000420', 'hex'),
  sha512: Buffer.from('3051300d060960864801650304020305000440', 'hex')
}

/**
 * RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2.2): the hash that was signed is the hash of the data. The same as
 * `node:crypto` tells with `verify`, and sooner. Never throws.
 *
 * @param signature as long as the modulus (step 1), which is for the caller to see to: what is opened may lack zeros
 *   in front
 */
export function verifyPkcs1(
  data: Uint8Array,
  signature: Uint8Array,
  key: KeyObject,
  digest: keyof typeof DIGEST_INFO
): boolean {
  // Deno opens also what is not below the modulus (section 5.2.2), which is another spelling of a signature.
  if ('Deno' in globalThis) return verify(digest, data, key, signature)
  return pkcs1Hash(signature, key, digest) === base64Digest(digest, data)
}

/**
 * The hash that a signature was made over, in base64. The runtime opens the signature and takes the padding off, of
 * which every octet is fixed; what is left is DigestInfo, and is compared to the last octet. Undefined when the key did
 * not make the signature, or made it with another hash. Never throws.
 */
export function pkcs1Hash(
  signature: Uint8Array,
  key: KeyObject,
  digest: keyof typeof DIGEST_INFO
): string | undefined {
  const start = DIGEST_INFO[digest]
  try {
    const info = publicDecrypt(key, signature)
    const isStarted = info.compare(start, 0, start.length, 0, start.length) === 0
    return isStarted ? info.toString('base64', start.length) : undefined
  } catch {
    return undefined
  }
}

import { publicDecrypt } from 'node:crypto'
import type { PublicKey } from '../key/import.ts'
import { computationFor } from './algorithms.ts'

/** RFC 8017 section 9.2, note 1: the DER of DigestInfo up to the hash. */
const DIGEST_INFO = {
  sha256: '3031300d060960864801650304020105000420',
  sha512: '3051300d060960864801650304020305000440'
}

/**
 * The hash inside a signature, in base64: there is one only when this very key made the signature, over whatever.
 * Undefined also where signatures do not show it (PSS, Ed25519). Never throws.
 */
export function signedHash(signature: Uint8Array, key: PublicKey, algorithm: string): string | undefined {
  const computation = computationFor(algorithm, key.type)
  if (computation === undefined || computation.digest === null || computation.options !== undefined)
    return undefined
  try {
    const info = publicDecrypt(key.keyObject, signature).toString('hex')
    const prefix = DIGEST_INFO[computation.digest]
    return info.startsWith(prefix)
      ? Buffer.from(info.slice(prefix.length), 'hex').toString('base64')
      : undefined
  } catch {
    return undefined
  }
}

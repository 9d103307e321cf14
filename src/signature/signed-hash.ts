import type { PublicKey } from '../key/import.ts'
import { computationFor } from './algorithms.ts'
import { pkcs1Hash } from './pkcs1.ts'

/**
 * The hash inside a signature, in base64: there is one only when this very key made the signature, over whatever.
 * Undefined also where signatures do not show it (PSS, Ed25519). Never throws.
 */
export function signedHash(signature: Uint8Array, key: PublicKey, algorithm: string): string | undefined {
  const computation = computationFor(algorithm, key.type)
  return computation === undefined || computation.digest === null || computation.options !== undefined
    ? undefined
    : pkcs1Hash(signature, key.keyObject, computation.digest)
}

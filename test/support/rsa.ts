import { createPublicKey, type KeyObject } from 'node:crypto'

/** Flips one bit of a copy. */
export function flip(bytes: Buffer, at: number, bit: number): Buffer {
  const flipped = Buffer.from(bytes)
  flipped[at]! ^= bit
  return flipped
}

/**
 * Reads a copy of the key: Node.js 20 hangs when it collects the job that has generated a key while it exports that
 * very key as JWK, since both take the key's lock.
 */
export function modulusOf(publicKey: KeyObject): Buffer {
  const copy = createPublicKey(publicKey.export({ type: 'spki', format: 'pem' }))
  return Buffer.from(copy.export({ format: 'jwk' }).n!, 'base64url')
}

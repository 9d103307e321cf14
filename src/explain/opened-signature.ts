import { type KeyObject, publicDecrypt } from 'node:crypto'
import { base64Digest } from '../core/http/digest.ts'
import { parseKey } from '../core/key/cache.ts'
import type { EvidenceByCode } from '../core/result/evidence.ts'
import { computationFor } from '../core/signature/algorithms.ts'
import { verifySignature } from '../core/signature/verify-signature.ts'

/** RFC 8017 section 9.2, note 1: the length of DigestInfo, which is 19 bytes and the hash. */
const DIGEST_INFO = { sha256: 51, sha512: 83 }

type Evidence = Pick<EvidenceByCode['signature-mismatch'], 'record' | 'signature' | 'algorithm'>

/**
 * Opens a signature that did not verify. Says whether the key made it, over any text (undefined where only the right
 * text can show that: PSS, Ed25519); whether it was made over this text; and about how many microseconds that question
 * takes. It explains a refusal and accepts nothing.
 *
 * Recovers the signed digest from an RSASSA-PKCS1-v1_5 signature, so that a text is tried by hashing it; for other
 * signatures each try is a whole verification. Undefined for a key that cannot be used. Never throws.
 */
export function openSignature({ record, signature, algorithm }: Evidence) {
  const parsed = parseKey(record)
  if (!parsed.ok) return undefined
  const { key } = parsed.value
  const computation = computationFor(algorithm.toLowerCase(), key.type)
  if (computation === undefined) return undefined
  const bytes = Buffer.from(signature, 'base64')
  const { digest, options } = computation

  if (digest === null || options !== undefined) {
    const verification = key.type === 'rsa' ? 20 + 6 * (key.bits / 1024) ** 2 : 100
    return {
      isByKey: undefined,
      wasSigned: (text: string) => verifySignature(text, bytes, key, algorithm),
      cost: (text: string) => verification + text.length / 300
    }
  }
  const signed = recoverSignedDigest(key.keyObject, bytes, DIGEST_INFO[digest])
  return {
    isByKey: signed !== undefined,
    wasSigned: (text: string) => base64Digest(digest, Buffer.from(text, 'latin1')) === signed,
    cost: (text: string) => 1 + text.length / 500
  }
}

/** Recovers the base64 of the digest; undefined when another key made the signature, or over another kind of digest. */
function recoverSignedDigest(key: KeyObject, signature: Uint8Array, length: number): string | undefined {
  try {
    const info = publicDecrypt(key, signature)
    return info.length === length ? info.toString('base64', 19) : undefined
  } catch {
    return undefined
  }
}

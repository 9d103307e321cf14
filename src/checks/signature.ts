import { encodeBase64 } from '../http/base64.ts'
import { verifySignature } from '../signature/verify-signature.ts'
import { fail, ok, type Result } from '../verdict/result.ts'
import type { Candidate } from './key.ts'

/** 10. The signature verifies with the key, or during a rotation with one of the keys. The value is that key. */
export function checkSignature(
  signingString: string,
  signature: Uint8Array,
  keyId: string,
  candidates: readonly Candidate[]
): Result<Candidate> {
  for (const candidate of candidates) {
    if (verifySignature(signingString, signature, candidate.key, candidate.algorithm)) return ok(candidate)
  }
  const { algorithm, record } = candidates[0]!
  return fail('signature-mismatch', {
    signingString,
    keyId,
    algorithm,
    record: record.text,
    signature: encodeBase64(signature)
  })
}

import { encodeBase64 } from '../headers/base64.ts'
import { fail, ok, type Result } from '../result.ts'
import { verifySignature } from '../signature/verify-signature.ts'
import type { Candidate } from './key.ts'

/** 10. The signature verifies with the key, or with one of the keys during a rotation. The value is that one. */
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

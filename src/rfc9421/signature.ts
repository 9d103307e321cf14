import { trimWhiteSpace } from '../http/fields.ts'
import { fail, ok, type Result } from '../verdict/result.ts'
import { findRepeatedKey, isCanonical, parseByteSequences } from './structured-fields.ts'

/**
 * Parses the value of a `Signature` header (RFC 9421 section 4.2): the signatures by label. Base64 must be canonical.
 * Never throws.
 *
 * Fails with `signature-malformed`, `signature-parameter-repeated` or `signature-not-base64`.
 */
export function parseSignatures(value: string): Result<ReadonlyMap<string, Uint8Array>> {
  const text = trimWhiteSpace(value)
  const signatures = parseByteSequences(text)
  if (!(signatures instanceof Map)) return fail('signature-malformed', signatures)
  const repeated = findRepeatedKey(text)
  if (repeated !== undefined) return fail('signature-parameter-repeated', { parameter: repeated })
  return isCanonical(text, signatures) ? ok(signatures) : fail('signature-not-base64')
}

import { trimWhiteSpace } from '../../headers/fields.ts'
import { fail, ok, type Result } from '../../result.ts'
import { findRepeatedKey, isCanonical, readByteSequences } from './structured-field.ts'

/**
 * Parses the value of a `Signature` header (RFC 9421 section 4.2): the signatures by label. Base64 must be canonical.
 * Never throws.
 *
 * Fails with `signature-malformed`, `signature-parameter-repeated` or `signature-encoding`.
 */
export function parseSignatures(value: string): Result<ReadonlyMap<string, Uint8Array>> {
  const text = trimWhiteSpace(value)
  const signatures = readByteSequences(text)
  if (!(signatures instanceof Map)) return fail('signature-malformed', signatures)
  const repeated = findRepeatedKey(text)
  if (repeated !== undefined) return fail('signature-parameter-repeated', { parameter: repeated })
  return isCanonical(text, signatures) ? ok(signatures) : fail('signature-encoding')
}

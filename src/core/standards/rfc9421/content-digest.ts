import { decodeBase64 } from '../../http/base64.ts'
import { DIGESTS, type Digest, type EncodedDigest } from '../../http/digest.ts'
import { trimWhiteSpace } from '../../http/fields.ts'
import { type Failed, fail, ok, type Result } from '../../result/result.ts'
import { parseByteSequences } from './structured-fields.ts'

/**
 * Parses the value of a `Content-Digest` header (RFC 9530 section 2): a Dictionary of Byte Sequences by algorithm.
 * `sha-256` and `sha-512` must have the right length; unknown algorithms are kept. The result is for `matchesDigest`.
 * Never throws.
 *
 * Fails with `digest-malformed`.
 *
 * @example
 * const digests = parseContentDigest('sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:')
 * if (digests.ok) matchesDigest(digests.value, new Uint8Array(0)) // true
 */
export function parseContentDigest(value: string): Result<readonly Digest[]> {
  const digests = parseEncodedContentDigest(trimWhiteSpace(value))
  if (!digests.ok) return digests
  return ok(
    digests.value.map(({ algorithm, encoded }) => ({
      algorithm,
      value: new Uint8Array(decodeBase64(encoded)!)
    }))
  )
}

/** Parses the header without decoding: in the end text is compared. */
export function parseEncodedContentDigest(text: string): Result<readonly EncodedDigest[]> {
  const malformedDigest = (reason: string): Failed =>
    fail('digest-malformed', { received: text, reason, header: 'Content-Digest' })
  const sequences = parseByteSequences(text)
  if (!Array.isArray(sequences)) return malformedDigest(sequences.reason)
  const digests = new Map<string, EncodedDigest>()
  for (const [algorithm, encoded] of sequences) {
    if (digests.has(algorithm)) return malformedDigest('an algorithm is listed twice')
    if (decodeBase64(encoded) === undefined) return malformedDigest('a digest is not canonical base64')
    if (DIGESTS.get(algorithm)?.pattern.test(encoded) === false)
      return malformedDigest(`a ${algorithm} digest has the wrong length`)
    digests.set(algorithm, { algorithm, encoded })
  }
  return ok([...digests.values()])
}

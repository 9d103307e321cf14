import { findReencoding } from '../body-reencoding.ts'
import { encodeBase64 } from '../headers/base64.ts'
import { DIGEST_LENGTHS, type Digest, parseDigestHeader } from '../headers/digest.ts'
import type { Fields } from '../headers/fields.ts'
import { fail, ok, type Result } from '../result.ts'
import { base64Digest } from '../signature/hash.ts'

/** The Digest header's digests; one that could never match is refused before anything is asked of DNS. */
export function checkDigestHeader(fields: Fields): Result<readonly Digest[]> {
  const values = fields.get('digest')
  if (values === undefined) return fail('digest-missing')
  const digests = parseDigestHeader(values.join(', '))
  if (!digests.ok) return digests
  return digests.value.some(countsAsDigest) ? digests : unsupported(digests.value)
}

/**
 * Does the body have these digests (RFC 3230, RFC 5843)? SHA-256 and SHA-512 count: one must be there, and each
 * that is there must match. Never throws.
 *
 * Fails with `digest-unsupported` or `digest-mismatch`.
 */
export function matchesDigest(digests: readonly Digest[], body: Uint8Array): Result<true> {
  const counting = digests.filter(countsAsDigest)
  for (const { algorithm, value } of counting) {
    const expected = encodeBase64(value)
    const actual = base64Digest(algorithm === 'sha-256' ? 'sha256' : 'sha512', body)
    if (actual !== expected)
      return fail('digest-mismatch', { algorithm, expected, actual, bodyLength: body.length })
  }
  return counting.length > 0 ? ok(true) : unsupported(digests)
}

/**
 * 11. The Digest matches the body. What the sender signed of the body's length, and a known way of writing the same
 * body anew, go beside a mismatch.
 */
export function checkDigest(
  digests: readonly Digest[],
  body: Uint8Array,
  fields: Fields,
  covered: readonly string[]
): Result<true> {
  const matched = matchesDigest(digests, body)
  if (matched.ok || matched.code !== 'digest-mismatch' || matched.evidence === undefined) return matched

  const contentLength = (covered.includes('content-length') && fields.get('content-length')?.[0]) || ''
  const reencoding = findReencoding(body, bytes => matchesDigest(digests, bytes).ok)
  return fail('digest-mismatch', {
    ...matched.evidence,
    ...(/^\d{1,15}$/.test(contentLength) && { contentLength: Number(contentLength) }),
    ...(reencoding !== undefined && { reencoding })
  })
}

const countsAsDigest = ({ algorithm }: Digest): boolean => DIGEST_LENGTHS.has(algorithm)

const unsupported = (digests: readonly Digest[]): Result<never> =>
  fail('digest-unsupported', { received: digests.map(digest => digest.algorithm) })

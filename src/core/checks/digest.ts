import { encodeBase64 } from '../http/base64.ts'
import { base64Digest, DIGESTS, type Digest, type EncodedDigest } from '../http/digest.ts'
import { covers, type Fields } from '../http/fields.ts'
import { type Failed, fail, ok, type Result } from '../result/result.ts'
import type { Context } from './context.ts'

/** Parses the header's digests; a header that could never match is refused before DNS is asked. */
export function checkDigestHeader({ scheme, fields }: Context): Result<readonly EncodedDigest[]> {
  const digests = scheme.parseDigests(fields)
  if (!digests.ok) return digests
  for (const { algorithm } of digests.value) if (DIGESTS.has(algorithm)) return digests
  return unsupported(digests.value)
}

/**
 * Returns whether the body has these digests (RFC 3230, RFC 5843). Only SHA-256 and SHA-512 count: at least one must be
 * present, and each one present must match. Never throws.
 *
 * @example
 * const digests = parseDigestHeader('SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=')
 * if (digests.ok) matchesDigest(digests.value, new Uint8Array(0)) // true
 */
export function matchesDigest(digests: readonly Digest[], body: Uint8Array): boolean {
  const encoded = digests.map(({ algorithm, value }) => ({ algorithm, encoded: encodeBase64(value) }))
  return checkDigest(encoded, body).ok
}

/** 11. The body has each supported digest of the header, and the header has at least one of them. */
export function checkDigest(digests: readonly EncodedDigest[], body: Uint8Array): Result<true> {
  let matched = false
  for (const { algorithm, encoded: expected } of digests) {
    const hash = DIGESTS.get(algorithm)?.hash
    if (hash === undefined) continue
    const actual = base64Digest(hash, body)
    if (actual !== expected) return fail('digest-mismatch', { algorithm, expected, actual, bodyLength: body.length })
    matched = true
  }
  return matched ? ok(true) : unsupported(digests)
}

/** Adds the Content-Length to a mismatch, if it was signed. */
export function withSignedLength(failed: Failed, fields: Fields, covered: readonly string[]): Failed {
  if (failed.code !== 'digest-mismatch') return failed
  const signedLength = (covers(covered, 'content-length') && fields.values.get('content-length')) || ''
  if (!/^\d{1,15}$/.test(signedLength)) return failed
  return fail('digest-mismatch', { ...failed.evidence, contentLength: Number(signedLength) })
}

const unsupported = (digests: readonly { algorithm: string }[]): Failed =>
  fail('digest-unsupported', { received: digests.map(digest => digest.algorithm) })

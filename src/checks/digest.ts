import { findChange } from '../body/reencoding.ts'
import { encodeBase64 } from '../http/base64.ts'
import { base64Digest, DIGESTS, type Digest, type EncodedDigest } from '../http/digest.ts'
import type { Fields } from '../http/fields.ts'
import { fail, ok, type Result } from '../result/result.ts'
import type { Context } from './context.ts'

/** The header's digests; a header that could never match is refused before DNS is asked. */
export function checkDigestHeader({ scheme, fields }: Context): Result<readonly EncodedDigest[]> {
  const digests = scheme.parseDigests(fields)
  if (!digests.ok) return digests
  for (const { algorithm } of digests.value) if (DIGESTS.has(algorithm)) return digests
  return unsupported(digests.value)
}

/**
 * Does the body have these digests (RFC 3230, RFC 5843)? Only SHA-256 and SHA-512 count: at least one must be present,
 * and each one present must match. Never throws.
 *
 * Fails with `digest-unsupported` or `digest-mismatch`.
 *
 * @example
 * const digests = parseDigestHeader('SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=')
 * if (digests.ok) matchesDigest(digests.value, new Uint8Array(0)) // { ok: true, value: true }
 */
export function matchesDigest(digests: readonly Digest[], body: Uint8Array): Result<true> {
  return matchesEncoded(
    digests.map(({ algorithm, value }) => ({ algorithm, encoded: encodeBase64(value) })),
    body
  )
}

function matchesEncoded(digests: readonly EncodedDigest[], body: Uint8Array): Result<true> {
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

/**
 * 11. The Digest matches the body. The evidence of a mismatch includes the Content-Length, if it was signed, and a
 * known re-encoding, if it explains the difference.
 */
export function checkDigest(
  digests: readonly EncodedDigest[],
  body: Uint8Array,
  fields: Fields,
  covered: readonly string[]
): Result<true> {
  const matched = matchesEncoded(digests, body)
  if (matched.ok || matched.code !== 'digest-mismatch') return matched

  const signedLength = (covered.includes('content-length') && fields.values.get('content-length')) || ''
  const contentLength = /^\d{1,15}$/.test(signedLength) ? Number(signedLength) : undefined
  const decompressed = findDecompression(body, fields)
  const change = findChange(body, contentLength, bytes => matchesEncoded(digests, bytes).ok)
  return fail('digest-mismatch', {
    ...matched.evidence,
    ...(contentLength !== undefined && { contentLength }),
    ...(change !== undefined && { change }),
    ...(decompressed !== undefined && { decompressed })
  })
}

const unsupported = (digests: readonly { algorithm: string }[]): Result<never> =>
  fail('digest-unsupported', { received: digests.map(digest => digest.algorithm) })

/**
 * How a body of each coding begins: gzip (RFC 1952 section 2.3.1), zstd (RFC 8878 section 3.1.1). The others have no
 * magic bytes (RFC 1950 and RFC 7932).
 */
const MAGIC: ReadonlyMap<string, readonly number[]> = new Map([
  ['gzip', [0x1f, 0x8b]],
  ['x-gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['deflate', []],
  ['br', []]
])

/**
 * The Content-Encoding that a parser has already decoded: the body does not begin like that coding, or is longer than
 * Content-Length says. Undefined when nothing points to that.
 */
export function findDecompression(body: Uint8Array, { values }: Fields): string | undefined {
  const coding = values.get('content-encoding')?.toLowerCase() ?? ''
  const magic = MAGIC.get(coding)
  if (magic === undefined || body.length === 0) return undefined
  if (magic.length > 0 && magic.every((byte, i) => body[i] === byte)) return undefined

  const length = values.get('content-length') ?? ''
  const isLonger = /^\d{1,15}$/.test(length) && Number(length) < body.length
  return isLonger || magic.length > 0 ? coding : undefined
}

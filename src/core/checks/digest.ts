import { type BodyResult, bufferedBody, type HashedBody, readBody } from '../body/read.ts'
import { encodeBase64 } from '../http/base64.ts'
import { base64Digest, DIGESTS, type Digest, type EncodedDigest } from '../http/digest.ts'
import { covers, type Fields } from '../http/fields.ts'
import type { Bytes } from '../http/request.ts'
import { type Failed, fail, ok, type Result } from '../result/result.ts'
import { measured } from '../verdict/diagnostics.ts'
import type { Context, Examination } from './context.ts'

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
  return compareDigests(encoded, body).ok
}

/**
 * The body has each supported digest of the header, and the header has at least one of them. A streamed body is
 * read only now. The value is its bytes.
 */
export function checkDigest(examination: Examination<'digest-header'>): Result<Bytes> | Promise<Result<Bytes>> {
  const { request, fields, settings, results, timing } = examination
  const whole = bufferedBody(request.body, settings)
  if (whole !== undefined) return judge(examination, whole)
  const announced = fields.values.get('content-length')
  const hashes = results['digest-header'].value.flatMap(({ algorithm }) => DIGESTS.get(algorithm)?.hash ?? [])
  const read = () => readBody(request.body, settings, { announced, hashes })
  return measured(timing, 'bodyMs', read).then(body => judge(examination, body))
}

/** Remembers the body, and compares its digests. */
function judge(examination: Examination<'digest-header'>, body: BodyResult): Result<Bytes> {
  const { fields, results, memory, signature } = examination
  examination.body = body
  if (!body.ok) return body
  const digests = results['digest-header'].value
  const compared = compareDigests(digests, body.value, body.hashed)
  if (compared.ok) return body
  memory.received = { body: body.value, fields, digests }
  const failed = signature.ok ? withSignedLength(compared, fields, signature.value.headers) : compared
  return withMatching(failed, digests, body.value)
}

/** Compares a body with the digests of a header. `hashed` has those that were made while the body was read. */
export function compareDigests(digests: readonly EncodedDigest[], body: Uint8Array, hashed?: HashedBody): Result<true> {
  let matched = false
  for (const { algorithm, encoded: expected } of digests) {
    const hash = DIGESTS.get(algorithm)?.hash
    if (hash === undefined) continue
    const actual = hashed?.[hash] ?? base64Digest(hash, body)
    if (actual !== expected) return fail('digest-mismatch', { algorithm, expected, actual, bodyLength: body.length })
    matched = true
  }
  return matched ? ok(true) : unsupported(digests)
}

/** Adds the Content-Length to a mismatch, if it was signed. */
function withSignedLength(failed: Failed, fields: Fields, covered: readonly string[]): Failed {
  if (failed.code !== 'digest-mismatch') return failed
  const signedLength = (covers(covered, 'content-length') && fields.values.get('content-length')) || ''
  if (!/^\d{1,15}$/.test(signedLength)) return failed
  return fail('digest-mismatch', { ...failed.evidence, contentLength: Number(signedLength) })
}

/** Adds the algorithm of another digest, if the body has that one: then it is not the body that was changed. */
function withMatching(failed: Failed, digests: readonly EncodedDigest[], body: Uint8Array): Failed {
  if (failed.code !== 'digest-mismatch') return failed
  const { expected } = failed.evidence
  const matching = digests.find(
    ({ encoded, ...rest }) => encoded !== expected && compareDigests([{ encoded, ...rest }], body).ok
  )?.algorithm
  return matching === undefined ? failed : fail('digest-mismatch', { ...failed.evidence, matching })
}

const unsupported = (digests: readonly { algorithm: string }[]): Failed =>
  fail('digest-unsupported', { received: digests.map(digest => digest.algorithm) })

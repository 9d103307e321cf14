import type { Fields } from '../headers/fields.ts'
import { type ReadSignature, readSignature } from '../headers/signature.ts'
import type { Settings } from '../options.ts'
import { fail, ok, type Result } from '../result.ts'
import type { Algorithm } from '../signature/algorithms.ts'

/** The Signature header's parameters, for the checks that judge them. */
export function readSignatureHeader(fields: Fields): Result<ReadSignature> {
  const value = fields.values.get('signature')
  if (value === undefined) return fail('signature-missing')
  if (fields.repeated.has('signature')) return fail('signature-repeated')
  const parsed = readSignature(value)
  if (parsed.ok || parsed.code !== 'signature-malformed' || parsed.evidence === undefined) return parsed
  const { position } = parsed.evidence
  const near = value.slice(Math.max(0, position - 20), position + 20)
  return fail('signature-malformed', { ...parsed.evidence, near })
}

/**
 * 6. A Signature exists, is well formed, is made with an allowed algorithm, and is not out of its own times.
 * The value is the algorithm, undefined when the header leaves it to the key.
 */
export function checkSignatureHeader(
  signature: Result<ReadSignature>,
  now: number,
  settings: Settings
): Result<Algorithm | undefined> {
  if (!signature.ok) return signature
  const { algorithm: received, headers, created, expires } = signature.value

  const algorithm = received?.toLowerCase() as Algorithm | undefined
  if (algorithm !== undefined && !settings.algorithms.has(algorithm)) {
    return fail('signature-algorithm', { received: received!, allowed: [...settings.algorithms] })
  }

  const times = checkTimes(created, expires, now, settings.dateTolerance)
  if (!times.ok) return times
  const special = checkSpecialNames(headers, algorithm, created, expires)
  return special.ok ? ok(algorithm) : special
}

/** Draft section 2.1.4 and 2.1.5: not made in the future, not past its end; and as recent as the Date must be. */
function checkTimes(
  created: number | undefined,
  expires: number | undefined,
  now: number,
  toleranceSeconds: number
): Result<true> {
  if (created !== undefined) {
    const offsetSeconds = created - now / 1000
    if (Math.abs(offsetSeconds) > toleranceSeconds) {
      const reason = offsetSeconds < 0 ? 'it is too long ago' : 'it is in the future'
      return fail('signature-created', { created, reason, offsetSeconds, toleranceSeconds })
    }
  }
  if (expires !== undefined) {
    const offsetSeconds = expires - now / 1000
    if (offsetSeconds < -toleranceSeconds) {
      return fail('signature-expired', { expires, reason: 'it has passed', offsetSeconds, toleranceSeconds })
    }
  }
  return ok(true)
}

/**
 * Draft section 2.3: `(created)` and `(expires)` need their parameter, and must not be used with an algorithm that
 * starts with rsa, hmac or ecdsa. A list of nothing but `(created)`, as a missing list is read, covers too little
 * anyway and is left to the coverage check.
 */
function checkSpecialNames(
  headers: readonly string[],
  algorithm: string | undefined,
  created: number | undefined,
  expires: number | undefined
): Result<true> {
  if (headers.includes('(created)')) {
    if (created === undefined && headers.length > 1)
      return fail('signature-parameter-missing', { parameter: 'created' })
    if (created !== undefined && forbidsTimes(algorithm))
      return fail('signature-created', { created, reason: NOT_COVERABLE })
  }
  if (headers.includes('(expires)')) {
    if (expires === undefined) return fail('signature-parameter-missing', { parameter: 'expires' })
    if (forbidsTimes(algorithm)) return fail('signature-expired', { expires, reason: NOT_COVERABLE })
  }
  return ok(true)
}

const forbidsTimes = (algorithm: string | undefined): boolean =>
  algorithm !== undefined && /^(?:rsa|hmac|ecdsa)/.test(algorithm)

const NOT_COVERABLE = 'it cannot be covered with this algorithm'

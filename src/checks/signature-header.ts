import { fail, ok, type Result } from '../result.ts'
import type { Scheme, SignatureClaims } from '../schemes/scheme.ts'
import type { Settings } from '../settings.ts'
import type { Algorithm } from '../signature/algorithms.ts'

/**
 * 6. A Signature exists, is well formed, is made with an allowed algorithm, and is not out of its own times.
 * The value is the algorithm, undefined when the header leaves it to the key.
 */
export function checkSignatureHeader(
  { name }: Scheme,
  signature: Result<SignatureClaims>,
  now: number,
  settings: Settings
): Result<Algorithm | undefined> {
  if (!signature.ok) return signature
  const { algorithm: received, headers, created, expires } = signature.value

  const allowed = settings.algorithms[name]
  const algorithm = received?.toLowerCase() as Algorithm | undefined
  if (algorithm !== undefined && !allowed.has(algorithm)) {
    return fail('signature-algorithm', { received: received!, allowed: [...allowed] })
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

import type { Settings } from '../options/options.ts'
import { fail, ok, type Result } from '../result/result.ts'
import type { Algorithm } from '../signature/algorithms.ts'
import type { ParsedSignature } from '../standards/scheme.ts'
import type { ClaimedSignature, Context, Examination } from './context.ts'

/**
 * A Signature exists, is well formed, is made with an allowed algorithm, and is within its own times.
 */
export function checkSignatureHeader(context: Context): Result<ClaimedSignature> {
  const { scheme, signature, settings, now } = context
  if (!signature.ok) return signature
  const { algorithm: received } = signature.value

  const allowed = settings.algorithms[scheme.name]
  const algorithm = received === undefined ? undefined : (scheme.normalizeAlgorithm(received) as Algorithm)
  if (algorithm !== undefined && !allowed.has(algorithm))
    return fail('signature-algorithm-not-allowed', { received: received!, allowed: [...allowed] })

  const times = checkTimes(signature.value, now, settings)
  if (!times.ok) return times
  const covered = checkCoveredTimes(signature.value, algorithm)
  return covered.ok ? ok({ parsed: signature.value, algorithm }) : covered
}

/** Checks the signature's own times once more. */
export function checkSignatureTimes({
  results,
  now,
  settings
}: Examination<'signature-header'>): Result<ClaimedSignature> {
  const times = checkTimes(results['signature-header'].value.parsed, now, settings)
  return times.ok ? results['signature-header'] : times
}

/** Draft sections 2.1.4 and 2.1.5: `created` is as recent as the Date must be, and `expires` has not passed. */
function checkTimes(
  { created, expires }: ParsedSignature,
  now: number,
  { dateTolerance: toleranceSeconds }: Settings
): Result<true> {
  const seconds = now / 1000
  if (created !== undefined && Math.abs(created - seconds) > toleranceSeconds) {
    const offsetSeconds = created - seconds
    return fail('signature-created-out-of-range', { created, offsetSeconds, toleranceSeconds })
  }
  if (expires !== undefined && expires - seconds < -toleranceSeconds)
    return fail('signature-expired', { expires, offsetSeconds: expires - seconds, toleranceSeconds })
  return ok(true)
}

/**
 * Draft section 2.3: `(created)` and `(expires)` need their parameter, and must not be used with an algorithm that
 * starts with rsa, hmac or ecdsa. A list of only `(created)`, which is how a missing list is parsed, covers too little
 * anyway: the coverage check reports it.
 */
function checkCoveredTimes(
  { headers, created, expires }: ParsedSignature,
  algorithm: string | undefined
): Result<true> {
  const covered = COVERABLE_TIMES.filter(name => headers.includes(name))
  if (covered.length === 0) return ok(true)
  const missing = covered.find(name => (name === '(created)' ? created : expires) === undefined)
  if (missing !== undefined && !(missing === '(created)' && headers.length === 1))
    return fail('signature-parameter-missing', { parameter: missing.slice(1, -1) })
  if (missing === undefined && algorithm !== undefined && /^(?:rsa|hmac|ecdsa)/.test(algorithm))
    return fail('signature-times-not-allowed', { covered, algorithm })
  return ok(true)
}

const COVERABLE_TIMES = ['(created)', '(expires)']

import { PATIENT_SEARCH_COST } from '../../explain/changed-line.ts'
import { type DiagnosedFailure, type Diagnosis, diagnoseWithin } from '../../explain/diagnose.ts'
import { duration } from '../../explain/text.ts'
import { decodeBody } from '../../fixture/setup.ts'
import type { CheckName, Verdict } from '../../verdict/verdict.ts'

/** Replaces a body that the capture does not have. It is read only after the signature has verified. */
export const MISSING_BODY = decodeBody({ error: 'not-in-the-capture' })

/**
 * What the verdict on a capture means. What the capture does not hold was not checked.
 *
 * @param missingBody why the body is missing
 * @param clock the request's own Date, this machine's clock, although the capture may be old, or a time that is known
 */
export function diagnoseCapture(
  verdict: Verdict,
  missingBody: string | undefined,
  clock: 'date' | 'machine' | 'given'
): Diagnosis {
  const diagnosis = diagnoseWithin(PATIENT_SEARCH_COST, verdict, { settings: 'flags' })
  const { date, digest } = verdict.checks
  // The body is asked for only when every other check has passed.
  const isUndecided = missingBody !== undefined && 'code' in digest && digest.code === 'body-unreadable'
  const isUndated = clock === 'date' && date.outcome === 'pass'
  const reasons: Partial<Record<CheckName, string>> = {
    ...(isUndated && { date: '--now date takes the Date itself as the time' }),
    ...(isUndecided && { digest: missingBody })
  }
  const headline = isUndecided ? 'the body is not in the capture; all else passed' : diagnosis.headline
  const isPartial = isUndated && (isUndecided || verdict.status === 'verified')
  return {
    ...diagnosis,
    headline: isPartial ? `${headline}; the date was not checked` : headline,
    checks: diagnosis.checks.map(found => {
      const reason = reasons[found.check]
      return reason === undefined ? found : { check: found.check, outcome: 'not-run', reason }
    }),
    failures: isUndecided
      ? []
      : diagnosis.failures.map(failure => (clock === 'machine' ? orOldCapture(failure, verdict) : failure))
  }
}

const TIMES = ['date-too-old', 'signature-created-out-of-range', 'signature-expired']

/** An old Date says that the capture is old, or that this machine's clock is fast. */
function orOldCapture(failure: DiagnosedFailure, { failures }: Verdict): DiagnosedFailure {
  const { evidence } = failures.find(({ code }) => code === failure.code) ?? {}
  const { offsetSeconds = 0 } = (evidence ?? {}) as { offsetSeconds?: number }
  if (!TIMES.includes(failure.code) || offsetSeconds >= 0) return failure
  const clock = new Date().toUTCString()
  return {
    ...failure,
    cause: `the capture is ${duration(-offsetSeconds)} old, or this machine's clock (${clock}) is fast by as much`,
    fix: 'Compare the clock with: date -u; to check all but the date: --now date'
  }
}

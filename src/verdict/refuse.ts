import { CHECK_NAMES, type CheckName, CODES, isUnavailable } from '../result/codes.ts'
import { type Failed, type NotRun, withCause } from '../result/result.ts'
import type { CheckResult, Checks, Failure, Rejected, Unavailable } from './verdict.ts'

/** How a step ended: what a check returns, or that there was nothing to check. */
export type Step = { ok: true } | Failed | NotRun

/** The steps that were taken so far, by check. */
export type Steps = { [C in CheckName]?: Step | undefined }

const PASS: CheckResult = Object.freeze({ outcome: 'pass' })

const passed = (replay: CheckResult): Checks =>
  Object.freeze(
    Object.fromEntries(CHECK_NAMES.map(name => [name, name === 'replay' ? replay : PASS])) as unknown as Checks
  )

const NO_STORE: CheckResult = Object.freeze({ outcome: 'not-run', reason: 'there is no replay store' })

/** The checks of a verified request, with and without a replay store. Frozen, because verdicts share them. */
export const PASSED: Checks = passed(PASS)
export const PASSED_WITHOUT_REPLAY: Checks = passed(NO_STORE)

/** The failures of a verified request. */
export const NO_FAILURES: readonly [] = Object.freeze([] as [])

/**
 * The verdict when at least one step did not pass: one failure outweighs all checks that could not be decided. Only own
 * properties count: `Object.prototype` may be polluted.
 *
 * @param reason why the checks that are not among the steps were not run
 */
export function refuse(steps: Steps, reason: string): Rejected | Unavailable {
  const checks = {} as Record<CheckName, CheckResult>
  const failures: Failure[] = []

  for (const name of CHECK_NAMES) {
    const step = (Object.hasOwn(steps, name) ? steps[name] : undefined) ?? { ok: false, reason }
    if (step.ok) checks[name] = PASS
    else if (isNotRun(step)) checks[name] = { outcome: 'not-run', reason: step.reason }
    else {
      const failure = toFailure(step)
      checks[name] = failure
      failures.push(failure)
    }
  }
  const status = failures.every(({ outcome }) => outcome === 'unavailable') ? 'unavailable' : 'rejected'
  return { status, failures, checks } as unknown as Rejected | Unavailable
}

const isNotRun = (step: Failed | NotRun): step is NotRun => Object.hasOwn(step, 'reason')

/** With evidence that no later verdict and no setting shares. */
function toFailure(failed: Failed): Failure {
  const { code, message, evidence } = failed
  const failure = {
    check: CODES[code][0],
    outcome: isUnavailable(code) ? 'unavailable' : 'fail',
    code,
    message,
    ...(evidence !== undefined && { evidence: structuredClone(evidence) })
  } as Failure
  return Object.hasOwn(failed, 'cause') ? withCause(failure, (failed as { cause?: unknown }).cause) : failure
}

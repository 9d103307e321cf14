import { CHECK_NAMES, type CheckName, CODES, isUnavailable } from '../result/codes.ts'
import { type Failed, type NotRun, withCause } from '../result/result.ts'
import { type Memory, remember } from './memory.ts'
import type { CheckResult, Checks, Failure, Rejected, Unavailable } from './verdict.ts'

/** The results of some checks. Those of the steps of a check, which are no checks, are not in a verdict. */
export type Returned = { readonly [C in CheckName]?: { ok: true } | Failed | NotRun | undefined }

const PASS: CheckResult = /* @__PURE__ */ Object.freeze({ outcome: 'pass' })

/** The result of the replay check of a receiver that remembers nothing. */
export const NO_STORE = /* @__PURE__ */ Object.freeze({
  ok: false,
  reason: 'there is no replay store',
  goesOn: 'nothing'
}) satisfies NotRun & { goesOn: 'nothing' }

const withReplay = (replay: CheckResult): Checks =>
  Object.freeze(
    Object.fromEntries(CHECK_NAMES.map(name => [name, name === 'replay' ? replay : PASS])) as unknown as Checks
  )

const PASSED = withReplay(PASS)
const PASSED_WITHOUT_REPLAY = withReplay(Object.freeze({ outcome: 'not-run', reason: NO_STORE.reason }))

/** Returns the checks of a verified request. Frozen, because verdicts share them. */
export const allPassed = (isReplayChecked: boolean): Checks => (isReplayChecked ? PASSED : PASSED_WITHOUT_REPLAY)

/** The failures of a verified request. */
export const NO_FAILURES: readonly [] = /* @__PURE__ */ Object.freeze([] as [])

/**
 * Makes the verdict when at least one check did not pass: one failure outweighs all checks that could not be decided.
 * Only own properties count: `Object.prototype` may be polluted.
 *
 * @param reason why the checks that have returned nothing were not run
 * @param seen what the verdict remembers
 */
export function refuse(returned: Returned, reason: string, seen?: Memory): Rejected | Unavailable {
  const checks = {} as Record<CheckName, CheckResult>
  const failures: Failure[] = []

  for (const name of CHECK_NAMES) {
    const result = (Object.hasOwn(returned, name) ? returned[name] : undefined) ?? { ok: false, reason }
    if (result.ok) checks[name] = PASS
    else if (isNotRun(result)) checks[name] = { outcome: 'not-run', reason: result.reason }
    else {
      const failure = toFailure(result)
      checks[name] = failure
      failures.push(failure)
    }
  }
  const status = failures.every(({ outcome }) => outcome === 'unavailable') ? 'unavailable' : 'rejected'
  const verdict = { status, failures, checks } as unknown as Rejected | Unavailable
  return seen === undefined ? verdict : remember(verdict, seen)
}

const isNotRun = (result: Failed | NotRun): result is NotRun => Object.hasOwn(result, 'reason')

/** Copies evidence, which has texts, numbers and lists of texts: `structuredClone` takes longer than all checks. */
const copyOf = (evidence: object): object =>
  Object.fromEntries(
    Object.entries(evidence).map(([name, value]) => [name, Array.isArray(value) ? value.slice() : value])
  )

/** Copies the evidence, so that no later verdict and no setting shares it. */
function toFailure(failed: Failed): Failure {
  const { code, message, evidence } = failed
  const failure = {
    check: CODES[code].check,
    outcome: isUnavailable(code) ? 'unavailable' : 'fail',
    code,
    message,
    ...(evidence !== undefined && { evidence: copyOf(evidence) })
  } as Failure
  return Object.hasOwn(failed, 'cause') ? withCause(failure, (failed as { cause?: unknown }).cause) : failure
}

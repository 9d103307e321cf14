import { type CheckOf, CODES, type Code, isUnavailable, type UnavailableCode } from './codes.ts'
import { type Failed, type WithEvidence, withCause } from './result.ts'

/** The standards by which a request can be signed: the draft, and its successor. */
export type SchemeName = 'draft-cavage' | 'rfc9421'

/** The twelve checks, in the order in which they are reported. */
export const CHECK_NAMES = [
  'request',
  'https',
  'date',
  'host',
  'account',
  'signature-header',
  'coverage',
  'key-name',
  'key',
  'signature',
  'digest',
  'replay'
] as const

/** One of the twelve checks. */
export type CheckName = (typeof CHECK_NAMES)[number]

/**
 * One failed check: `code` says which `evidence` there is. When the receiver's own function threw (`accounts`,
 * `lookupTxt`, the replay store), `cause` is the error itself; it is not enumerable, so the verdict stays plain data.
 */
export type Failure = FailureOf<Code>

/** A check that could not be decided now. */
export type UnavailableFailure = FailureOf<UnavailableCode>

type FailureOf<Of extends Code> = {
  [C in Of]: {
    check: CheckOf<C>
    outcome: C extends UnavailableCode ? 'unavailable' : 'fail'
    code: C
    message: string
    readonly cause?: unknown
  } & WithEvidence<C>
}[Of]

/** How one check ended: `outcome` says what else there is. A failure is the same object as in `verdict.failures`. */
export type CheckResult = { outcome: 'pass' } | Failure | { outcome: 'not-run'; reason: string }

/** Always all twelve, whatever happened. */
export type Checks = Readonly<Record<CheckName, CheckResult>>

/** The request is what the service sent to this receiver, now, for this account. */
export interface Verified {
  status: 'verified'
  /** none */
  failures: readonly []
  /** the standard that the request was verified by */
  scheme: SchemeName
  /** the account id, without the prefix */
  accountId: string
  /** the DNS name of the key, normalized: lower case, no trailing dot */
  keyId: string
  /** the algorithm that verified, e.g. `rsa-sha256` */
  algorithm: string
  /** the request's Date; where RFC 9421 leaves Date uncovered, the signature's `created` */
  date: Date
  /** the covered names, lower case, in the order of the string that is signed; of RFC 9421 with their parameters */
  coveredHeaders: readonly string[]
  /** the signature's own `nonce` (RFC 9421), else X-Nonce when it is present and covered by the signature */
  nonce: string | undefined
  /** the bytes whose digest was signed: use these, not a parsed body. A Uint8Array that fills its buffer is not copied */
  body: Uint8Array
  /** the id claimed in the replay store; when your handler fails, give it back with `verify.release(verdict)` */
  replayId: string | undefined
  /** all passed; `replay` was not run when there is no replay store */
  checks: Checks
}

/** At least one check failed: do not act on the request. */
export interface Rejected {
  status: 'rejected'
  /** each check that did not pass, in the order of the checks */
  failures: readonly [Failure, ...Failure[]]
  /** all twelve, with those that were not run */
  checks: Checks
}

/** No check failed, but one could not be decided now: ask the sender to try again. */
export interface Unavailable {
  status: 'unavailable'
  /** each check that could not be decided, in the order of the checks; none of them is a no */
  failures: readonly [UnavailableFailure, ...UnavailableFailure[]]
  /** all twelve, with those that were not run */
  checks: Checks
}

/** What `verify` resolves to: `status` says which of the three. */
export type Verdict = Verified | Rejected | Unavailable

/** How a step ended: what a check returns, or that there was nothing to check. */
export type Step = { ok: true } | Failed | NotRun
export interface NotRun {
  ok: false
  reason: string
}

/** The steps that were taken so far, by check. */
export type Steps = { [C in CheckName]?: Step | undefined }

/** The result of a check that needs the signature, when that cannot be parsed. */
export const UNREADABLE: NotRun = { ok: false, reason: 'there is no Signature header that can be parsed' }

const PASS: CheckResult = Object.freeze({ outcome: 'pass' })

const passed = (replay: CheckResult): Checks =>
  Object.freeze(
    Object.fromEntries(
      CHECK_NAMES.map(name => [name, name === 'replay' ? replay : PASS])
    ) as unknown as Checks
  )

const NO_STORE: CheckResult = Object.freeze({ outcome: 'not-run', reason: 'there is no replayStore' })

/** The checks of a verified request, with and without a replay store. Frozen, because verdicts share them. */
export const PASSED: Checks = passed(PASS)
export const PASSED_WITHOUT_REPLAY: Checks = passed(NO_STORE)

/** The failures of a verified request. */
export const NO_FAILURES: readonly [] = Object.freeze([] as [])

/**
 * The verdict when at least one step did not pass: one failure outweighs all checks that could not be decided.
 *
 * @param reason why the checks that are not among the steps were not run
 */
export function refuse(steps: Steps, reason: string): Rejected | Unavailable {
  const checks = {} as Record<CheckName, CheckResult>
  const failures: Failure[] = []

  for (const name of CHECK_NAMES) {
    const step = steps[name] ?? { ok: false, reason }
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

/** Own properties only: `Object.prototype` may be polluted. */
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

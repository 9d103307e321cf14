import { type CheckOf, CODES, type Code, isUnavailable, type UnavailableCode } from './codes.ts'
import type { EvidenceOf } from './evidence.ts'
import type { Failed } from './result.ts'
import type { SchemeName } from './schemes/scheme.ts'

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

/** One failed check: `code` tells which `evidence` there is. */
export type Failure = {
  [C in Code]: { check: CheckOf<C>; code: C; message: string; evidence?: EvidenceOf<C> }
}[Code]

type FailedCheck = {
  [C in Code]: {
    outcome: C extends UnavailableCode ? 'unavailable' : 'fail'
    code: C
    message: string
    evidence?: EvidenceOf<C>
  }
}[Code]

/** How one check ended: `outcome` tells what else there is, and `code` which `evidence`. */
export type CheckResult = { outcome: 'pass' } | FailedCheck | { outcome: 'not-run'; because: string }

/** Always all twelve, whatever happened. */
export type Checks = Readonly<Record<CheckName, CheckResult>>

/** The request is what the service sent to this receiver, now, for this account. */
export interface Verified {
  status: 'verified'
  /** the standard that the request was judged by */
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
  /** the signature's own `nonce` (RFC 9421), else X-Nonce when it is there and covered by the signature */
  nonce: string | undefined
  /** the bytes whose digest was signed: use these, not a parsed body */
  body: Uint8Array
  /** the id claimed in the replay store; pass it to `release` when your handler fails */
  replayId: string | undefined
  /** all passed; `replay` was not run when there is no replay store */
  checks: Checks
}

/** At least one check said no: do not act on the request. */
export interface Rejected {
  status: 'rejected'
  /** each check that did not pass, in the order of the checks */
  failures: readonly [Failure, ...Failure[]]
  /** all twelve, with those that were not run */
  checks: Checks
}

/** No check said no, but one could not be decided now: ask the sender to try again. */
export interface Unavailable {
  status: 'unavailable'
  /** each check that could not be decided, in the order of the checks */
  failures: readonly [Failure, ...Failure[]]
  /** all twelve, with those that were not run */
  checks: Checks
}

/** What `verify` resolves to: `status` tells which of the three, and with it what else there is. */
export type Verdict = Verified | Rejected | Unavailable

/** How a step ended: what a check returns, or that there was nothing to check. */
export type Step = { ok: true } | Failed | NotRun
export interface NotRun {
  ok: false
  because: string
}

/** A check of what a signature says, when nothing of it can be read. */
export const UNREADABLE: NotRun = { ok: false, because: 'there is no Signature header that can be read' }

const PASS: CheckResult = Object.freeze({ outcome: 'pass' })

const passed = (replay: CheckResult): Checks =>
  Object.freeze(
    Object.fromEntries(
      CHECK_NAMES.map(name => [name, name === 'replay' ? replay : PASS])
    ) as unknown as Checks
  )

const NO_STORE: CheckResult = Object.freeze({ outcome: 'not-run', because: 'there is no replayStore' })

/** The checks of a verified request, with and without a replay store. */
export const PASSED: Checks = passed(PASS)
export const PASSED_WITHOUT_REPLAY: Checks = passed(NO_STORE)

/**
 * The verdict over steps of which at least one did not pass: a single "no" outweighs any "cannot tell".
 *
 * @param because why the checks that are not among the steps were not run
 */
export function refuse(
  steps: Readonly<Partial<Record<CheckName, Step>>>,
  because: string
): Rejected | Unavailable {
  const checks = {} as Record<CheckName, CheckResult>
  const failures: Failure[] = []
  let status: 'rejected' | 'unavailable' = 'unavailable'

  for (const name of CHECK_NAMES) {
    const step = steps[name] ?? { ok: false, because }
    if (step.ok) {
      checks[name] = PASS
    } else if ('because' in step) {
      checks[name] = { outcome: 'not-run', because: step.because }
    } else {
      const { ok: _, ...failure } = step
      const outcome = isUnavailable(step.code) ? 'unavailable' : 'fail'
      if (outcome === 'fail') status = 'rejected'
      checks[name] = { outcome, ...failure } as CheckResult
      failures.push({ check: CODES[step.code][0], ...failure } as Failure)
    }
  }
  return { status, failures: failures as [Failure, ...Failure[]], checks }
}

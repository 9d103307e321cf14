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

type FailureOf<Of extends Code> = {
  [C in Of]: { check: CheckOf<C>; code: C; message: string; readonly cause?: unknown } & WithEvidence<C>
}[Of]

/** A check that could not be decided now. */
export type UnavailableFailure = FailureOf<UnavailableCode>

type FailedCheck = {
  [C in Code]: {
    outcome: C extends UnavailableCode ? 'unavailable' : 'fail'
    code: C
    message: string
    readonly cause?: unknown
  } & WithEvidence<C>
}[Code]

/** How one check ended: `outcome` says what else there is, and `code` which `evidence`. */
export type CheckResult = { outcome: 'pass' } | FailedCheck | { outcome: 'not-run'; because: string }

/** Always all twelve, whatever happened. */
export type Checks = Readonly<Record<CheckName, CheckResult>>

/** The request is what the service sent to this receiver, now, for this account. */
export interface Verified {
  status: 'verified'
  /** none */
  failures: readonly []
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
  /** the signature's own `nonce` (RFC 9421), else X-Nonce when it is present and covered by the signature */
  nonce: string | undefined
  /** the bytes whose digest was signed: use these, not a parsed body */
  body: Uint8Array
  /** the id claimed in the replay store; when your handler fails, give it back with `verify.release(verdict)` */
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
  because: string
}

/** The steps that were taken so far, by check. */
export type Steps = { [C in CheckName]?: Step | undefined }

/** The result of a check that needs the signature, when that cannot be parsed. */
export const UNREADABLE: NotRun = { ok: false, because: 'there is no Signature header that can be parsed' }

const PASS: CheckResult = Object.freeze({ outcome: 'pass' })

const passed = (replay: CheckResult): Checks =>
  Object.freeze(
    Object.fromEntries(
      CHECK_NAMES.map(name => [name, name === 'replay' ? replay : PASS])
    ) as unknown as Checks
  )

const NO_STORE: CheckResult = Object.freeze({ outcome: 'not-run', because: 'there is no replayStore' })

/** The checks of a verified request, with and without a replay store. Frozen, because verdicts share them. */
export const PASSED: Checks = passed(PASS)
export const PASSED_WITHOUT_REPLAY: Checks = passed(NO_STORE)

/** The failures of a verified request. */
export const NO_FAILURES: readonly [] = Object.freeze([] as [])

/**
 * The verdict when at least one step did not pass: one failure outweighs all checks that could not be decided.
 *
 * @param because why the checks that are not among the steps were not run
 */
export function refuse(steps: Steps, because: string): Rejected | Unavailable {
  const checks = {} as Record<CheckName, CheckResult>
  const failures: Failure[] = []

  for (const name of CHECK_NAMES) {
    const step = steps[name] ?? { ok: false, because }
    if (step.ok) checks[name] = PASS
    else if ('because' in step) checks[name] = { outcome: 'not-run', because: step.because }
    else {
      const outcome = isUnavailable(step.code) ? 'unavailable' : 'fail'
      const failure = ownFailure(step)
      checks[name] = copyCause(step, { outcome, ...failure } as CheckResult)
      failures.push(copyCause(step, { check: CODES[step.code][0], ...failure } as Failure))
    }
  }
  const status = failures.every(({ code }) => isUnavailable(code)) ? 'unavailable' : 'rejected'
  return { status, failures, checks } as unknown as Rejected | Unavailable
}

/** With evidence that no later verdict and no setting shares. */
function ownFailure({ code, message, evidence }: Failed) {
  if (evidence === undefined) return { code, message }
  const copies = Object.entries(evidence).map(([name, value]) => [
    name,
    Array.isArray(value) ? [...value] : value
  ])
  return { code, message, evidence: Object.fromEntries(copies) }
}

const copyCause = <T extends object>(from: object, to: T): T =>
  Object.hasOwn(from, 'cause') ? withCause(to, (from as { cause?: unknown }).cause) : to

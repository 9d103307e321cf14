import type { Bytes } from '../http/request.ts'
import type { CheckName, CheckOf, Code, UnavailableCode } from '../result/codes.ts'
import type { WithEvidence } from '../result/evidence.ts'
import type { SchemeName } from '../result/scheme-name.ts'

/**
 * One failed check: `code` says which `evidence` there is. When the receiver's own function threw (`accounts`,
 * `lookupTxt`, the replay store), `cause` is the error itself; it is not enumerable, so the verdict stays plain data.
 */
export type Failure = FailureOf<Code>

/** A check that could not be decided now. */
export type UnavailableFailure = FailureOf<UnavailableCode>

/** The failures with these codes. */
export type FailureOf<Of extends Code> = {
  [C in Of]: {
    check: CheckOf<C>
    outcome: C extends UnavailableCode ? 'unavailable' : 'fail'
    code: C
    message: string
    readonly cause?: unknown
  } & WithEvidence<C>
}[Of]

/**
 * The result of one check: `outcome` says which other properties there are. A failure is the same object as in
 * `verdict.failures`.
 */
export type CheckResult = { outcome: 'pass' } | Failure | { outcome: 'not-run'; reason: string }

/** The result of every check; all twelve are always there. */
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
  /** the request's Date, or the signature's `created` if RFC 9421 leaves Date uncovered */
  date: Date
  /** the covered names, in lower case and in order; for RFC 9421 with their parameters */
  coveredHeaders: readonly string[]
  /**
   * each covered header by its lower-case name, as it was signed: several lines are joined by `, `. Use these, because
   * a framework may show you one of several lines. For RFC 9421, the fields covered without parameters or with `bs`
   */
  coveredValues: Readonly<Record<string, string>>
  /** the signature's own `nonce` (RFC 9421), else X-Nonce when it is present and covered by the signature */
  nonce: string | undefined
  /**
   * the bytes whose digest was signed: use these, not a parsed body. A Uint8Array that fills its buffer is not copied
   */
  body: Bytes
  /** the id that was claimed in the replay store; if your handler fails, call `verify.release(verdict)` */
  replayId: string | undefined
  /** all passed; `replay` was not run if there is no replay store */
  checks: Checks
}

/** At least one check failed: do not act on the request. */
export interface Rejected {
  status: 'rejected'
  /** each check that did not pass, in the order of the checks */
  failures: readonly [Failure, ...Failure[]]
  /** every check, with those that were not run */
  checks: Checks
}

/** No check failed, but one could not be decided now: let the sender retry. */
export interface Unavailable {
  status: 'unavailable'
  /** each check that could not be decided, in the order of the checks; none of them has failed */
  failures: readonly [UnavailableFailure, ...UnavailableFailure[]]
  /** every check, with those that were not run */
  checks: Checks
}

/** The result of `verify`: `status` says which of the three it is. */
export type Verdict = Verified | Rejected | Unavailable

import type {
  Bytes,
  CheckName,
  CheckResult,
  Checks,
  Code,
  EvidenceOf,
  Failure,
  KeyEvidence,
  Rejected,
  Unavailable,
  UnavailableCode,
  UnavailableFailure,
  Verdict,
  Verified
} from 'signed-requests'
import { assertVerified, type LogRecord, logRecord, NotVerifiedError } from 'signed-requests'
import { expectTypeOf } from 'vitest'

// These functions are never run: the compiler is the test. It checks these files against src/ and against the package.

/** The status tells which fields there are. */
export function byStatus(verdict: Verdict) {
  expectTypeOf(verdict.status).toEqualTypeOf<'verified' | 'rejected' | 'unavailable'>()
  expectTypeOf(verdict.checks).toEqualTypeOf<Checks>()
  // @ts-expect-error not before the status is known
  verdict.accountId
  // All three statuses have these: no narrowing is needed.
  expectTypeOf(verdict.failures.length).toEqualTypeOf<number>()
  expectTypeOf(verdict.failures.map(({ code }) => code)).toEqualTypeOf<Code[]>()
  for (const failure of verdict.failures) expectTypeOf(failure).toEqualTypeOf<Failure>()

  if (verdict.status === 'verified') {
    expectTypeOf(verdict).toEqualTypeOf<Verified>()
    expectTypeOf(verdict.accountId).toEqualTypeOf<string>()
    expectTypeOf(verdict.keyId).toEqualTypeOf<string>()
    expectTypeOf(verdict.algorithm).toEqualTypeOf<string>()
    expectTypeOf(verdict.date).toEqualTypeOf<Date>()
    expectTypeOf(verdict.coveredHeaders).toEqualTypeOf<readonly string[]>()
    expectTypeOf(verdict.coveredValues).toEqualTypeOf<Readonly<Record<string, string>>>()
    expectTypeOf(verdict.nonce).toEqualTypeOf<string | undefined>()
    expectTypeOf(verdict.body).toEqualTypeOf<Bytes>()
    expectTypeOf(verdict.replayId).toEqualTypeOf<string | undefined>()
    expectTypeOf(verdict.failures).toEqualTypeOf<readonly []>()
    return
  }
  expectTypeOf(verdict).toEqualTypeOf<Rejected | Unavailable>()
  if (verdict.status === 'unavailable') {
    expectTypeOf(verdict.failures).toEqualTypeOf<readonly [UnavailableFailure, ...UnavailableFailure[]]>()
    expectTypeOf(verdict.failures[0].code).toEqualTypeOf<UnavailableCode>()
  } else {
    expectTypeOf(verdict.failures).toEqualTypeOf<readonly [Failure, ...Failure[]]>()
  }
  // There is at least one: no check for undefined is needed.
  expectTypeOf(verdict.failures[0].code).toEqualTypeOf<Code>()
  // @ts-expect-error the body of a request that was not verified is not handed out
  verdict.body
}

// The properties exist even when there is no nonce and no store.
expectTypeOf<Pick<Verified, 'nonce' | 'replayId'>>().toEqualTypeOf<{
  nonce: string | undefined
  replayId: string | undefined
}>()

/** The code tells the check and the evidence. */
export function byCode(failure: Failure) {
  expectTypeOf(failure.check).toEqualTypeOf<CheckName>()
  expectTypeOf(failure.message).toEqualTypeOf<string>()
  expectTypeOf(failure.cause).toEqualTypeOf<unknown>()
  switch (failure.code) {
    case 'date-too-old':
      expectTypeOf(failure.check).toEqualTypeOf<'date'>()
      expectTypeOf(failure.evidence).toEqualTypeOf<EvidenceOf<'date-too-old'>>()
      break
    case 'key-lookup-failed':
      expectTypeOf(failure.evidence.problem).toEqualTypeOf<'late' | 'threw' | 'wrong-type' | 'unreachable'>()
      expectTypeOf(failure.evidence.limit).toEqualTypeOf<number | undefined>()
      break
    case 'account-check-failed':
      expectTypeOf(failure.evidence.problem).toEqualTypeOf<'threw' | 'wrong-type'>()
      break
    case 'replay-store-failed':
      expectTypeOf(failure.evidence.problem).toEqualTypeOf<
        'late' | 'threw' | 'wrong-type' | 'undecided' | 'unreachable'
      >()
      break
    case 'not-https':
      expectTypeOf(failure.check).toEqualTypeOf<'https'>()
      expectTypeOf(failure.evidence).toEqualTypeOf<EvidenceOf<'not-https'> | undefined>()
      break
    case 'date-missing':
      expectTypeOf(failure.evidence).toEqualTypeOf<EvidenceOf<'date-missing'> | undefined>()
      break
    // @ts-expect-error no such code
    case 'date-wrong':
      break
  }
}
interface OnHost {
  received: string
  expected: readonly string[]
  expectedCount?: number
  header?: string
  similar?: string
  proxies?: readonly string[]
}
type OnDate = { received: string; offsetSeconds: number; toleranceSeconds: number }
expectTypeOf<EvidenceOf<'date-too-old'>>().toEqualTypeOf<OnDate>()
expectTypeOf<EvidenceOf<'host-mismatch'>>().toEqualTypeOf<OnHost>()
expectTypeOf<EvidenceOf<'key-too-short'>>().toEqualTypeOf<KeyEvidence>()
expectTypeOf<EvidenceOf<'coverage-insufficient'>['missing']>().toEqualTypeOf<readonly string[]>()
expectTypeOf<EvidenceOf<'key-name-malformed'>>().toEqualTypeOf<{ received: string; domain: string }>()
expectTypeOf<EvidenceOf<'date-malformed'>>().toEqualTypeOf<{ received: string; reason: string }>()
expectTypeOf<EvidenceOf<'not-https'>>().toEqualTypeOf<{ header: string; received: readonly string[] }>()
expectTypeOf<EvidenceOf<'body-too-large'>>().toEqualTypeOf<{ limit: number }>()
expectTypeOf<EvidenceOf<'signature-mismatch'>['signingString']>().toEqualTypeOf<string>()

/** A verdict always has all checks. */
type UpToDns = 'request' | 'https' | 'date' | 'host' | 'account' | 'signature-header' | 'coverage' | 'key-name'
expectTypeOf<CheckName>().toEqualTypeOf<UpToDns | 'key' | 'signature' | 'digest' | 'replay'>()
expectTypeOf<Checks>().toEqualTypeOf<Readonly<Record<CheckName, CheckResult>>>()

/** The outcome tells whether there is a code, a message or a reason. */
export function byOutcome(result: CheckResult) {
  switch (result.outcome) {
    case 'pass':
      expectTypeOf(result).toEqualTypeOf<{ outcome: 'pass' }>()
      break
    case 'not-run':
      expectTypeOf(result).toEqualTypeOf<{ outcome: 'not-run'; reason: string }>()
      break
    case 'fail':
      expectTypeOf(result.code).toEqualTypeOf<Exclude<Code, UnavailableCode>>()
      expectTypeOf(result.message).toEqualTypeOf<string>()
      if (result.code === 'replayed') expectTypeOf(result.evidence).toEqualTypeOf<{ replayId: string }>()
      // @ts-expect-error it was run
      result.reason
      break
    case 'unavailable':
      expectTypeOf(result.code).toEqualTypeOf<UnavailableCode>()
      expectTypeOf(result.message).toEqualTypeOf<string>()
      if (result.code === 'key-lookup-timeout') {
        expectTypeOf(result.evidence).toEqualTypeOf<{ name: string; error: string; servers?: readonly string[] }>()
      }
      break
    default:
      expectTypeOf(result).toEqualTypeOf<never>()
  }
}

/** After assertVerified the compiler knows that it is verified. */
export function byAssertion(verdict: Verdict) {
  // @ts-expect-error not before
  verdict.accountId
  assertVerified(verdict)
  expectTypeOf(verdict).toEqualTypeOf<Verified>()
}

export function ofAnError(error: unknown) {
  if (!(error instanceof NotVerifiedError)) return
  expectTypeOf(error.verdict).toEqualTypeOf<Rejected | Unavailable>()
  expectTypeOf(error.code).toEqualTypeOf<'ERR_NOT_VERIFIED'>()
  expectTypeOf(error.status).toEqualTypeOf<401 | 413 | 503>()
  expectTypeOf(error.statusCode).toEqualTypeOf<401 | 413 | 503>()
  expectTypeOf(error.expose).toEqualTypeOf<false>()
}
expectTypeOf(logRecord).toEqualTypeOf<(verdict: Verdict) => LogRecord>()

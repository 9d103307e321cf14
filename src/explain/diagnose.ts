import { assertVerdict } from '../verdict/assert-verdict.ts'
import type { Code } from '../verdict/codes.ts'
import {
  CHECK_NAMES,
  type CheckName,
  type CheckResult,
  type Failure,
  type Verdict
} from '../verdict/verdict.ts'
import { adviceOn } from './advice.ts'
import { evidenceOf } from './evidence.ts'
import { type Fact, facts } from './facts.ts'
import { escapeText } from './text.ts'

/** How a diagnosis speaks. */
export interface DiagnoseOptions {
  /** what a fix names: options of `createVerifier` (the default), or flags of the command lines */
  settings?: 'options' | 'flags'
}

/**
 * What a verdict means: data for a page, a log or a program. All text in it is printable ASCII and cut to a bounded
 * length, so it is safe to print; only the fact `signing string` has line breaks.
 */
export interface Diagnosis {
  status: Verdict['status']
  /** who sent a verified request, or the checks whose failure follows from no other one */
  headline: string
  /** all twelve, in order */
  checks: readonly DiagnosedCheck[]
  /** root causes first, in the order of the checks, then what follows from them; empty when verified */
  failures: readonly DiagnosedFailure[]
}

/** How one check ended. */
export interface DiagnosedCheck {
  check: CheckName
  outcome: CheckResult['outcome']
  /** of a failed check */
  code?: Code
  /** of a failed check: what the code says */
  message?: string
  /** why a check was not run */
  reason?: string
}

/** One failed check: why, and what to do. */
export interface DiagnosedFailure {
  check: CheckName
  code: Code
  /** what the code says */
  message: string
  /** the likely cause; where several fit, what tells them apart */
  cause: string
  fix: string
  /** what was received, what is configured, and more */
  facts: readonly Fact[]
  /** the line of the signing string that was changed on the way, where it was found; counted from 1 */
  changed?: { line: number; signed: string; received: string }
  /** the failure that this one follows from: mend that one first */
  followsFrom?: Code
}

/**
 * Finds the likely cause of each failure and its fix.
 *
 * @returns plain data
 * @throws TypeError for anything but a verdict, such as a Promise that was not awaited
 */
export function diagnose(verdict: Verdict, _options: DiagnoseOptions = {}): Diagnosis {
  assertVerdict('diagnose', verdict)
  const failures = verdict.failures.map(diagnoseFailure)
  return {
    status: verdict.status,
    headline: headline(verdict, failures),
    checks: CHECK_NAMES.map(check => diagnoseCheck(check, verdict.checks[check])),
    failures
  }
}

function headline(verdict: Verdict, failures: readonly DiagnosedFailure[]): string {
  if (verdict.status === 'verified')
    return `account ${escapeText(verdict.accountId)}, ${verdict.algorithm} by ${escapeText(verdict.keyId)}`
  return failures
    .filter(({ followsFrom }) => followsFrom === undefined)
    .map(({ check }) => check)
    .join(', ')
}

function diagnoseCheck(check: CheckName, result: CheckResult): DiagnosedCheck {
  const { outcome } = result
  if (outcome === 'pass') return { check, outcome }
  if (outcome === 'not-run') return { check, outcome, reason: result.reason }
  return { check, outcome, code: result.code, message: result.message }
}

function diagnoseFailure(failure: Failure): DiagnosedFailure {
  const [cause, fix] = adviceOn(failure)
  const { check, code, message } = failure
  return { check, code, message, cause, fix, facts: facts(evidenceOf(failure)) }
}

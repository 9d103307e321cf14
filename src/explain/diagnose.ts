import { describe, mistake, ownOptions } from '../core/mistakes.ts'
import { CHECK_NAMES, type CheckName, type Code } from '../core/result/codes.ts'
import type { Reencoding } from '../core/result/evidence.ts'
import { assertVerdict } from '../core/verdict/assert.ts'
import { headerWithout, mainFailure, rootOf, situationOf } from '../core/verdict/main-failure.ts'
import { memoryOf } from '../core/verdict/memory.ts'
import type { CheckResult, Checks, Failure, Verdict } from '../core/verdict/verdict.ts'
import { adviceOn, factsOn } from './advice.ts'
import { findChangeOf } from './body/change.ts'
import type { AddedCauses } from './causes/entry.ts'
import { findChangedLine, SEARCH_COST } from './changed-line.ts'
import { type Fact, fact, THIS_CLOCK, thrownFact } from './facts.ts'
import type { SettingsLanguage } from './settings.ts'
import { showsInLog, showsToOwner } from './shown-values.ts'
import { escapeText } from './text.ts'

/** Options of `diagnose` and `explain`. */
export interface DiagnoseOptions {
  /** whether a fix names options of `createVerifier` and the adapters (the default), or flags of the command lines */
  settings?: SettingsLanguage | undefined
}

/**
 * The meaning of a verdict: data for a page, a log or a program. All text in it is printable ASCII and cut to a bounded
 * length, so it is safe to print; only the fact `signingString` has line breaks.
 */
export interface Diagnosis {
  status: Verdict['status']
  /** who sent a verified request, or the checks whose failure follows from no other one */
  headline: string
  /** every check, in order */
  checks: readonly DiagnosedCheck[]
  /** root causes first, in the order of the checks, then what follows from them; empty when verified */
  failures: readonly DiagnosedFailure[]
}

/** The result of one check. */
export interface DiagnosedCheck {
  check: CheckName
  outcome: Failure['outcome'] | 'pass' | 'not-run'
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
  /** the likely cause; if several fit, what tells them apart */
  cause: string
  fix: string
  /** what was received, what is configured, and more */
  facts: readonly Fact[]
  /** the line of the signing string that was changed on the way, where it was found; counted from 1 */
  changed?: { line: number; signed: string; received: string }
  /**
   * of `signature-mismatch`: true where the published RSA key made the signature, over another text or with another
   * hash; false where it did not; absent where that cannot be known
   */
  madeByKey?: boolean
  /**
   * of `digest-mismatch`: what happened to the body, where it was found; only the verdict that `verify` returned knows
   */
  change?: Reencoding
  /** of `digest-mismatch`: the Content-Encoding that the body no longer has */
  decompressed?: string
  /** the failure that this one follows from: fix that one first */
  followsFrom?: Code
}

/**
 * Finds the likely cause of each failure and its fix, from the verdict alone. Its work is bounded, whatever the sender
 * sent.
 *
 * @example
 * const verdict = await verify(request)
 * for (const { code, cause, fix, changed } of diagnose(verdict).failures) console.warn(code, cause, fix, changed)
 *
 * @returns plain data
 * @throws TypeError for anything but a verdict, such as a Promise that was not awaited, and for a bad option
 */
export const diagnose = (verdict: Verdict, options: DiagnoseOptions = {}): Diagnosis =>
  diagnoseWithin(SEARCH_COST, verdict, options)

/**
 * A request that was checked in part: no check has failed, and one that was not run would decide. The verifier never
 * returns this; a program makes it of a verdict that is true only in part, such as one with a key from the same file.
 */
export interface Undecided {
  status: 'unavailable'
  failures: readonly []
  checks: Checks
}

/** Facts that a program knows besides the verdict, such as the parts that a capture does not hold. */
export interface Knowledge {
  /** causes that come before those of this library */
  readonly causes?: AddedCauses
  /** checks that the verdict cannot decide, such as the digest of a missing body, and why */
  readonly notRun?: { readonly [N in CheckName]?: string }
  /** whose clock the request was judged by */
  readonly clock?: string
  /** it is shown to a person who has the request, and not logged */
  readonly isPrivate?: boolean
}

/**
 * Diagnoses with another limit to the search for the changed line, in microseconds, and with the facts that a program
 * knows.
 */
export function diagnoseWithin(
  cost: number,
  verdict: Verdict | Undecided,
  options: DiagnoseOptions = {},
  { causes, notRun = {}, clock = THIS_CLOCK, isPrivate = false }: Knowledge = {}
): Diagnosis {
  assertVerdict('diagnose', verdict)
  const { settings = 'options' } = ownOptions('diagnose', options, ['settings'])
  if (settings !== 'options' && settings !== 'flags')
    throw mistake('settings is', settings, 'write "options" or "flags"', describe)
  const situation = situationOf(verdict.failures)
  const absent = verdict.failures.flatMap(failure =>
    failure.code === 'coverage-absent' ? failure.evidence.absent : []
  )
  const counted = verdict.failures.filter(({ check }) => notRun[check] === undefined)
  const failures = counted.map((failure): DiagnosedFailure => {
    const { check, code, message } = failure
    const search = code === 'signature-mismatch' ? findChangedLine(failure.evidence, cost) : {}
    const body = code === 'digest-mismatch' ? findChangeOf(verdict, failure) : {}
    const thrown = Object.hasOwn(failure, 'cause') ? thrownFact(failure.cause) : []
    const followsFrom = rootOf(failure, verdict.failures, situation)
    const around = {
      isUnsigned: situation.isUnsigned,
      isOtherStandard: situation.otherStandard !== undefined,
      isSigned: absent.includes(headerWithout(failure) ?? ''),
      clock,
      search,
      body,
      place: placeIn(failure)
    }
    return {
      check,
      code,
      message,
      ...adviceOn(failure, settings, around, causes),
      facts: [
        ...factsOn(failure, clock, isPrivate ? showsToOwner : showsInLog(search, memoryOf(verdict)?.settings)),
        ...fact('decompressed', body.decompressed, 'Content-Encoding'),
        ...thrown
      ],
      ...(search.changed && { changed: search.changed }),
      ...(search.isByKey !== undefined && { madeByKey: search.isByKey }),
      ...(body.change && { change: body.change }),
      ...(body.decompressed && { decompressed: body.decompressed }),
      ...(followsFrom && { followsFrom })
    }
  })
  const roots = failures.filter(({ followsFrom }) => followsFrom === undefined)
  return {
    status: verdict.status,
    headline:
      verdict.status === 'verified'
        ? `account ${escapeText(verdict.accountId)}, ${verdict.algorithm} by ${escapeText(verdict.keyId)}`
        : roots.map(({ check }) => check).join(', '),
    checks: CHECK_NAMES.map(check => {
      const reason = notRun[check]
      return { check, ...(reason === undefined ? resultOf(verdict.checks[check]) : { outcome: 'not-run', reason }) }
    }),
    failures: sortByCause(failures, mainFailure(verdict as Verdict)?.code)
  }
}

/** Puts the main failure first, then the others that follow from none. */
function sortByCause(failures: readonly DiagnosedFailure[], main: Code | undefined): readonly DiagnosedFailure[] {
  const rank = ({ code, followsFrom }: DiagnosedFailure) => (code === main ? 0 : followsFrom === undefined ? 1 : 2)
  return [...failures].sort((a, b) => rank(a) - rank(b))
}

/** Returns the address and port of an error of the network: `127.0.0.1:6379`. */
function placeIn(failure: Failure): string | undefined {
  try {
    const { address, port } = Object((failure as { readonly cause?: unknown }).cause)
    return typeof address === 'string' && Number.isInteger(port) ? escapeText(`${address}:${port}`, 60) : undefined
  } catch {
    return undefined
  }
}

/** Returns the result of a check, without its evidence. */
function resultOf(result: CheckResult): Omit<DiagnosedCheck, 'check'> {
  if (!('code' in result)) return result
  const { outcome, code, message } = result
  return { outcome, code, message }
}

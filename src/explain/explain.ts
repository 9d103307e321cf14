import { assertVerdict } from '../verdict/assert-verdict.ts'
import type { Failure, Verdict } from '../verdict/verdict.ts'
import { details } from './details.ts'
import {
  type DiagnosedCheck,
  type DiagnosedFailure,
  type DiagnoseOptions,
  type Diagnosis,
  diagnose
} from './diagnose.ts'
import { evidenceOf } from './evidence.ts'
import { factText } from './facts.ts'
import { wrapExact, wrapWords } from './text.ts'
import { thrownLines } from './thrown.ts'

/**
 * Explains a verdict to a person, as the text of `diagnose`: every check with its result and, for each failure, what was
 * received, what is configured, the likely cause and the fix. For an error that the receiver's own function threw, it
 * shows name, message and place.
 *
 * @returns lines of printable ASCII in 80 columns, without colour; text from the sender is escaped and cut
 * @throws TypeError for anything but a verdict, such as a Promise that was not awaited
 */
export function explain(verdict: Verdict, options: DiagnoseOptions = {}): string {
  assertVerdict('explain', verdict)
  return explainDiagnosis(diagnose(verdict, options), verdict)
}

/** The same of a diagnosis that was made already. */
export function explainDiagnosis(
  { status, headline, checks, failures }: Diagnosis,
  verdict: Verdict
): string {
  return [
    wrapWords(`${status}: `, headline),
    ...failures.flatMap(changedLines),
    '',
    ...checks.map(check => checkLine(check, failures)),
    ...failures.flatMap(failure =>
      adviceLines(failure, verdict.failures.find(({ check }) => check === failure.check)!)
    )
  ].join('\n')
}

function changedLines({ changed }: DiagnosedFailure): string[] {
  if (changed === undefined) return []
  return [
    '',
    `changed: line ${changed.line}`,
    wrapExact('  signed:   ', changed.signed),
    wrapExact('  received: ', changed.received)
  ]
}

const MARKS = { pass: 'ok', fail: 'FAIL', unavailable: '??', 'not-run': '--' }

function checkLine(
  { check, outcome, code, message, reason }: DiagnosedCheck,
  failures: readonly DiagnosedFailure[]
): string {
  const { facts = [] } = failures.find(failure => failure.check === check) ?? {}
  const text =
    outcome === 'pass'
      ? outcome
      : outcome === 'not-run'
        ? `not run: ${reason}`
        : [`${code}: ${message}`, ...facts.map(factText)].join('; ')
  return wrapWords(`${MARKS[outcome].padEnd(6)}${check.padEnd(18)}`, text)
}

function adviceLines({ code, cause, fix }: DiagnosedFailure, failure: Failure): string[] {
  return [
    '',
    code,
    wrapWords('  likely cause: ', cause),
    wrapWords('  fix: ', fix),
    ...thrownLines(failure),
    ...details(evidenceOf(failure))
  ]
}

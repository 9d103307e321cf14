import { assertVerdict } from '../verdict/assert-verdict.ts'
import {
  CHECK_NAMES,
  type CheckName,
  type CheckResult,
  type Failure,
  type Verdict
} from '../verdict/verdict.ts'
import { adviceOn } from './advice.ts'
import { details } from './details.ts'
import { evidenceOf } from './evidence.ts'
import { facts } from './facts.ts'
import { escapeText, wrapWords } from './text.ts'
import { thrownLines } from './thrown.ts'

/**
 * Explains a verdict to a person: every check with its result and, for each failure, what was received, what is
 * configured, the likely cause and the fix. For an error that the receiver's own function threw, it shows name, message
 * and place.
 *
 * @returns lines of printable ASCII in 80 columns, without colour; text from the sender is escaped and cut
 * @throws TypeError for anything but a verdict, such as a Promise that was not awaited
 */
export function explain(verdict: Verdict): string {
  assertVerdict('explain', verdict)
  return [
    wrapWords(`${verdict.status}: `, headline(verdict)),
    '',
    ...CHECK_NAMES.map(name => checkLine(name, verdict.checks[name])),
    ...verdict.failures.flatMap(advise)
  ].join('\n')
}

const headline = (verdict: Verdict): string =>
  verdict.status === 'verified'
    ? `account ${escapeText(verdict.accountId)}, ${verdict.algorithm} by ${escapeText(verdict.keyId)}`
    : verdict.failures.map(failure => failure.check).join(', ')

const MARKS = { pass: 'ok', fail: 'FAIL', unavailable: '??', 'not-run': '--' }

function checkLine(name: CheckName, result: CheckResult): string {
  const { outcome } = result
  const text =
    outcome === 'pass'
      ? outcome
      : outcome === 'not-run'
        ? `not run: ${result.reason}`
        : [`${result.code}: ${result.message}`, ...facts(evidenceOf(result))].join('; ')
  return wrapWords(`${MARKS[outcome].padEnd(6)}${name.padEnd(18)}`, text)
}

function advise(failure: Failure): string[] {
  const [cause, fix] = adviceOn(failure)
  return [
    '',
    failure.code,
    wrapWords('  likely cause: ', cause),
    wrapWords('  fix: ', fix),
    ...thrownLines(failure),
    ...details(evidenceOf(failure))
  ]
}

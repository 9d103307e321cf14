import {
  CHECK_NAMES,
  type CheckName,
  type CheckResult,
  type Failure,
  type Verdict
} from '../verdict/verdict.ts'
import { ADVICE, type Advice, CHANGED_HEADER, OTHER_SCHEME } from './advice.ts'
import { details } from './details.ts'
import { causeFrom, type Evidence, facts } from './facts.ts'
import { escapeText, wrapWords } from './text.ts'

/**
 * Says to a person what a verdict rests on: every check with its result, and for what failed what was received and
 * expected, the likely cause and the fix.
 *
 * @returns lines of printable ASCII in 80 columns, without colour; whatever came from the sender is escaped and cut
 */
export function explain(verdict: Verdict): string {
  return [
    wrapWords(`${verdict.status}: `, headline(verdict)),
    '',
    ...CHECK_NAMES.map(name => checkLine(name, verdict.checks[name])),
    ...(verdict.status === 'verified' ? [] : verdict.failures.flatMap(advise))
  ].join('\n')
}

const headline = (verdict: Verdict): string =>
  verdict.status === 'verified'
    ? `account ${escapeText(verdict.accountId)}, ${verdict.algorithm} by ${escapeText(verdict.keyId)}`
    : verdict.failures.map(failure => failure.check).join(', ')

const MARKS = { pass: 'ok', fail: 'FAIL', unavailable: '??', 'not-run': '--' }

function checkLine(name: CheckName, result: CheckResult): string {
  const { outcome } = result
  const told =
    outcome === 'pass'
      ? outcome
      : outcome === 'not-run'
        ? `not run: ${result.because}`
        : [`${result.code}: ${result.message}`, ...facts(evidenceOf(result))].join('; ')
  return wrapWords(`${MARKS[outcome].padEnd(6)}${name.padEnd(18)}`, told)
}

function advise(failure: Failure): string[] {
  const evidence = evidenceOf(failure)
  const [cause, fix] = adviceOn(failure, evidence)
  return [
    '',
    failure.code,
    wrapWords('  likely cause: ', causeFrom(evidence, cause)),
    wrapWords('  fix: ', fix),
    ...details(evidence)
  ]
}

const adviceOn = ({ code, check }: Failure, { excerpt }: Evidence): Advice =>
  code === 'signature-malformed' && /^[a-z*][a-z0-9_.*-]*=:/.test(String(excerpt))
    ? OTHER_SCHEME
    : (ADVICE[code] ?? ADVICE[check] ?? CHANGED_HEADER)

const evidenceOf = (failed: object): Evidence => (failed as { evidence?: Evidence }).evidence ?? {}

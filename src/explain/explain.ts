import { assertVerdict } from '../core/verdict/assert.ts'
import type { Verdict } from '../core/verdict/verdict.ts'
import {
  type DiagnosedCheck,
  type DiagnosedFailure,
  type DiagnoseOptions,
  type Diagnosis,
  diagnose
} from './diagnose.ts'
import { type Fact, factText } from './facts.ts'
import { aside, type Line, TONES, withoutTones, withTone, wrapExact, wrapWords } from './text.ts'

/**
 * Explains a verdict to a person, as text: the line that was changed on the way, if it was found; every check with its
 * result; and for each failure what was received, what is configured, the likely cause and the fix. If your own
 * function threw, it shows the error's name and message. Of a signed header that may hold a secret it shows the length:
 * anybody can list any header. `diagnose` returns the same as data.
 *
 * @example
 * const verdict = await verify(request)
 * if (verdict.status !== 'verified') console.warn(explain(verdict))
 *
 * @returns lines of printable ASCII in 80 columns, without colour; text from the sender is escaped and cut
 * @throws TypeError for anything but a verdict, such as a Promise that was not awaited, and for a bad option
 */
export function explain(verdict: Verdict, options: DiagnoseOptions = {}): string {
  assertVerdict('explain', verdict)
  return withoutTones(explainDiagnosis(diagnose(verdict, options)))
}

/** Holds the labels of the parts of an explanation. */
export const LABELS = { changed: 'changed: line', cause: 'likely cause:', fix: 'fix:' } as const

/** Writes the lines of a diagnosis. */
export const explainDiagnosis = ({ status, headline, checks, failures }: Diagnosis): Line[] => [
  withTone(TONES[status], status, wrapWords(`${status}: `, headline)),
  ...failures.flatMap(showChangedLines),
  '',
  ...checks.map(check => checkLine(check, failures)),
  ...failures.filter(({ followsFrom }) => followsFrom === undefined).flatMap(adviceLines)
]

function showChangedLines({ changed }: DiagnosedFailure): Line[] {
  if (changed === undefined) return []
  const where = `${LABELS.changed} ${changed.line}`
  return [
    '',
    withTone('bad', where, where),
    wrapExact('  signed:   ', changed.signed),
    wrapExact('  received: ', changed.received)
  ]
}

const MARKS = { pass: 'ok', fail: 'FAIL', unavailable: '??', 'not-run': '--' }

function checkLine(checked: DiagnosedCheck, failures: readonly DiagnosedFailure[]): Line {
  const { check, outcome } = checked
  const { facts = [], followsFrom } = failures.find(failure => failure.check === check) ?? {}
  const texts = [
    resultText(checked),
    ...facts.filter(({ isLong }) => !isLong).map(factText),
    ...(followsFrom === undefined ? [] : [`follows from ${followsFrom}`])
  ]
  const mark = MARKS[outcome]
  const line = wrapWords(`${mark.padEnd(6)}${check.padEnd(18)}`, texts.join('; '))
  return outcome === 'not-run' ? aside(line) : withTone(TONES[outcome], mark, line)
}

function resultText({ outcome, code, message, reason }: DiagnosedCheck): string {
  if (code !== undefined) return `${code}: ${message}`
  return reason === undefined ? outcome : `not run: ${reason}`
}

function adviceLines({ code, cause, fix, facts }: DiagnosedFailure): Line[] {
  const labelled = (label: string, text: string) => withTone('label', label, wrapWords(`${label} `, text))
  const below = facts.filter(({ isLong }) => isLong).flatMap(factLines)
  return ['', code, labelled(`  ${LABELS.cause}`, cause), labelled(`  ${LABELS.fix}`, fix), ...below]
}

function factLines({ id, label, value }: Fact): string[] {
  if (id === 'signingString') return [`  ${label} as rebuilt here:`, ...value.split('\n').map(numbered)]
  return [id === 'body' ? wrapWords(`  ${label}: `, value) : wrapExact(`  ${label}: `, value)]
}

const numbered = (line: string, i: number): string => wrapExact(`${String(i + 1).padStart(4)}  `, line)

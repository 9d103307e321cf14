import { assertVerdict } from '../verdict/assert.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { type DiagnosedFailure, type DiagnoseOptions, type Diagnosis, diagnose } from './diagnose.ts'
import { factText } from './facts.ts'
import { aside, type Line, TONES, withoutTones, withTone, wrapExact, wrapWords } from './text.ts'

/**
 * Explains a verdict to a person, as the text of `diagnose`: the line that was changed on the way, where it is known;
 * every check with its result; and for each failure what was received, what is configured, the likely cause and the
 * fix. For an error that the receiver's own function threw, it shows name and message.
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

/** The lines of a diagnosis. */
export const explainDiagnosis = ({ status, headline, checks, failures }: Diagnosis): Line[] => [
  withTone(TONES[status], status, wrapWords(`${status}: `, headline)),
  ...failures.flatMap(changedLines),
  '',
  ...checks.map(check => checkLine(check, failures)),
  ...failures.filter(({ followsFrom }) => followsFrom === undefined).flatMap(adviceLines)
]

function changedLines({ changed }: DiagnosedFailure): Line[] {
  if (changed === undefined) return []
  const where = `changed: line ${changed.line}`
  return [
    '',
    withTone('bad', where, where),
    wrapExact('  signed:   ', changed.signed),
    wrapExact('  received: ', changed.received)
  ]
}

const MARKS = { pass: 'ok', fail: 'FAIL', unavailable: '??', 'not-run': '--' }

function checkLine(
  { check, outcome, code, message, reason }: Diagnosis['checks'][number],
  failures: readonly DiagnosedFailure[]
): Line {
  const { facts = [], followsFrom } = failures.find(failure => failure.check === check) ?? {}
  const texts = [
    code !== undefined ? `${code}: ${message}` : reason !== undefined ? `not run: ${reason}` : outcome,
    ...facts.filter(({ name }) => !BELOW.has(name)).map(factText),
    ...(followsFrom === undefined ? [] : [`follows from ${followsFrom}`])
  ]
  const mark = MARKS[outcome]
  const line = wrapWords(`${mark.padEnd(6)}${check.padEnd(18)}`, texts.join('; '))
  return outcome === 'not-run' ? aside(line) : withTone(TONES[outcome], mark, line)
}

/** The long facts, which stand below the advice. */
const BELOW = new Set(['thrown', 'body', 'record as found', 'signing string'])

function adviceLines({ code, cause, fix, facts }: DiagnosedFailure): Line[] {
  const below = facts
    .filter(({ name }) => BELOW.has(name))
    .flatMap(({ name, value }) =>
      name === 'signing string'
        ? ['  signing string as rebuilt here:', ...value.split('\n').map(numbered)]
        : (name === 'body' ? wrapWords : wrapExact)(`  ${name}: `, value)
    )
  const labelled = (label: string, text: string) => withTone('label', label, wrapWords(`${label} `, text))
  return ['', code, labelled('  likely cause:', cause), labelled('  fix:', fix), ...below]
}

const numbered = (line: string, i: number): string => wrapExact(`${String(i + 1).padStart(4)}  `, line)

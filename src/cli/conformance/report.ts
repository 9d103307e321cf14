import type { Vector } from '../../testing/vectors.ts'
import { CHECK_NAMES } from '../../verdict/verdict.ts'
import type { Answer } from './answer.ts'
import { verdictText } from './verdict-text.ts'

/** Further ones are counted: `--only` shows them. */
const MAX_SHOWN = 50

/** What differs, and a table by the check that decides. */
export function reportText(vectors: readonly Vector[], answers: readonly Answer[]): string {
  const differing = vectors.filter((_, at) => answers[at]?.isRight === false)
  const shown = differing.slice(0, MAX_SHOWN).map(vector => {
    const answer = answers[vectors.indexOf(vector)]!
    return [
      `FAIL ${vector.name} (${vector.source})`,
      `     expected: ${verdictText(vector.verdict)}`,
      `     answered: ${answer.text}`
    ].join('\n')
  })
  if (differing.length > shown.length) shown.push(`and ${differing.length - shown.length} more that differ`)
  return [...shown, tableText(vectors, answers)].join('\n')
}

function tableText(vectors: readonly Vector[], answers: readonly Answer[]): string {
  const row = (label: string, belongs: (vector: Vector) => boolean): string[] => {
    const own = vectors.flatMap((vector, at) => (belongs(vector) ? [answers[at]?.isRight] : []))
    const counts = [true, false, undefined].map(kind => own.filter(isRight => isRight === kind).length)
    return own.length === 0 ? [] : [line(label, counts)]
  }
  return [
    line('check', ['right', 'differ', 'unanswered']),
    ...['verified', ...CHECK_NAMES].flatMap(step => row(step, vector => decidingStep(vector) === step)),
    ...row('all', () => true)
  ].join('\n')
}

const decidingStep = ({ verdict }: Vector): string =>
  verdict.status === 'verified' ? 'verified' : verdict.failures[0]!.check

const line = (label: string, cells: readonly (string | number)[]): string =>
  label.padEnd(18) + cells.map(cell => String(cell).padStart(11)).join('')

import { styleText } from 'node:util'
import type { CheckName, Verdict } from '../../src/index.ts'

export interface Row {
  name: string
  status: number
  verdict: Verdict
}

export type Paint = (colour: 'green' | 'red' | 'yellow' | 'dim' | 'bold', text: string) => string

/** Colour for a terminal, unless its user wants none (no-color.org). */
export const paintFor = (
  output: { isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>
): Paint => (output.isTTY && !env['NO_COLOR'] ? styleText : (_, text) => text)

const MARKS = {
  pass: ['✓', 'green'],
  fail: ['✗', 'red'],
  unavailable: ['?', 'yellow'],
  'not-run': ['·', 'dim']
} as const

const NAME = 32
const CELL = 3

/** The legend, then one line for each request and one column for each check; 99 characters wide at most. */
export function tableOf(rows: readonly Row[], paint: Paint): string {
  const checks = Object.keys(rows[0]?.verdict.checks ?? {}) as CheckName[]
  const numbers = checks.map((_, i) => String(i + 1).padStart(CELL)).join('')
  const heading = `${'Request'.padEnd(NAME)}HTTP ${numbers}  Failed with`
  return [
    legendOf(checks, paint),
    '',
    paint('bold', heading),
    ...rows.map(row => lineOf(row, checks, paint))
  ].join('\n')
}

function lineOf({ name, status, verdict }: Row, checks: readonly CheckName[], paint: Paint): string {
  const cells = checks.map(check => {
    const [mark, colour] = MARKS[verdict.checks[check].outcome]
    return paint(colour, mark.padStart(CELL))
  })
  const colour = { verified: 'green', rejected: 'red', unavailable: 'yellow' } as const
  const codes = verdict.failures.map(failure => failure.code)
  const line = `${name.padEnd(NAME)}${paint(colour[verdict.status], String(status).padEnd(5))}${cells.join('')}`
  return codes.length === 0 ? line : `${line}  ${codes.join(', ')}`
}

function legendOf(checks: readonly CheckName[], paint: Paint): string {
  const named = checks.map((check, i) => `${i + 1} ${check}`)
  const half = Math.ceil(named.length / 2)
  const mark = (outcome: keyof typeof MARKS) => paint(MARKS[outcome][1], MARKS[outcome][0])
  return [
    `Checks  ${named.slice(0, half).join('  ')}`,
    `        ${named.slice(half).join('  ')}`,
    `Marks   ${mark('pass')} passed  ${mark('fail')} failed  ${mark('unavailable')} could not be decided  ${mark('not-run')} not run`,
    'HTTP    200 verified  401 rejected  503 not decided, the sender is asked to try again'
  ].join('\n')
}

import { expect } from 'vitest'
import { explain, type Verdict } from '../../src/index.ts'

/** The explanation of a verdict, which is safe to print anywhere. */
export function explained(verdict: Verdict): string {
  const text = explain(verdict)
  expect(text).toMatch(/^[ -~\n]*$/)
  expect(Math.max(...text.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
  return text
}

/** Without the line breaks that the width of a terminal asks for. */
export const unwrapped = (text: string): string => text.replace(/\n {6,}/g, ' ')

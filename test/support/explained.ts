import { expect } from 'vitest'
import { explain, type Verdict } from '../../src/index.ts'

/** Returns the explanation of a verdict, which is safe to print anywhere. */
export function explained(verdict: Verdict): string {
  const text = explain(verdict)
  expect(text).toMatch(/^[ -~\n]*$/)
  expect(Math.max(...text.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
  return text
}

/** Removes the line breaks that fit a text to a terminal. */
export const unwrapped = (text: string): string => text.replace(/\n {6,}/g, ' ')

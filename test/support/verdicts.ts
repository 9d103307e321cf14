import type { Verdict } from '../../src/index.ts'

/** What failed, as `check: code`; empty when verified. */
export const failuresOf = (verdict: Verdict): string[] =>
  verdict.status === 'verified' ? [] : verdict.failures.map(({ check, code }) => `${check}: ${code}`)

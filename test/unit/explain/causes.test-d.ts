import type { Causes } from '../../../src/explain/causes/row.ts'

// Never run: the compiler is the test.

const row = { cause: 'a cause', fix: 'a fix' }

/** A row knows the evidence of its own code. */
export const causes: readonly [Causes<'date-too-old'>, Causes<'digest-mismatch'>] = [
  [
    { when: ({ offsetSeconds }) => offsetSeconds < -60, ...row },
    { ...row, cause: ({ received }) => received }
  ],
  [{ when: ({ change }) => change === 'cut-short', ...row }, row]
]

/** A name that the evidence of the code does not have. */
export const wrong: readonly [Causes<'date-too-old'>, Causes<'date-too-old'>, Causes<'digest-mismatch'>] = [
  // @ts-expect-error in a condition
  [{ when: ({ excerpt }) => excerpt !== undefined, ...row }, row],
  // @ts-expect-error in a text
  [{ ...row, cause: ({ excerpt }) => excerpt }],
  // @ts-expect-error a value that the evidence cannot have
  [{ when: ({ change }) => change === 'cut', ...row }, row]
]

/** The last row has no condition, so that there always is a cause. */
// @ts-expect-error a condition in the last row alone
export const open: Causes<'replayed'> = [{ when: () => false, ...row }]

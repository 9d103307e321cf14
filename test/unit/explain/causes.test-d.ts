import type { Causes, FactsOf } from '../../../src/explain/causes/row.ts'

// This file is never run: the compiler is the test.

const row = { cause: 'a cause', fix: 'a fix' }

/** A row sees the evidence of its own code. */
export const causes: readonly [Causes<'date-too-old'>, Causes<'digest-mismatch'>] = [
  [
    { when: ({ evidence }) => evidence.offsetSeconds < -60, ...row },
    { ...row, cause: ({ shown }) => shown.received }
  ],
  [{ when: ({ evidence, body }) => evidence.bodyLength === 0 || body.change === 'cut-short', ...row }, row]
]

/** The evidence of the code does not have this name. */
export const wrong: readonly [Causes<'date-too-old'>, Causes<'date-too-old'>, Causes<'digest-mismatch'>] = [
  // @ts-expect-error in a condition
  [{ when: ({ evidence }) => evidence.excerpt !== undefined, ...row }, row],
  // @ts-expect-error in a text
  [{ ...row, cause: ({ shown }) => shown.excerpt }],
  // @ts-expect-error a value that a change cannot have
  [{ when: ({ body }) => body.change === 'cut', ...row }, row]
]

/** The last row has no condition, so that there always is a cause. */
// @ts-expect-error a condition in the last row alone
export const open: Causes<'replayed'> = [{ when: () => false, ...row }]

/** A code that has evidence has facts, or it does not compile. */
// @ts-expect-error replay-store-failed is missing
export const incomplete: FactsOf<'replay'> = { replayed: () => [] }

/** A reader of options and one of flags get a whole sentence each. */
export const sentences: Causes<'replayed'> = [{ ...row, fix: { options: 'an option', flags: () => 'a flag' } }]
// @ts-expect-error the sentence for a reader of flags is missing
export const half: Causes<'replayed'> = [{ ...row, fix: { options: 'an option' } }]

import { type Causes, causeOf, type EntriesOf } from '../../../src/explain/causes/entry.ts'

// This file is never run: the compiler is the test.

const entry = { cause: 'a cause', fix: 'a fix' }

/** A cause sees the evidence of its own code. */
export const causes: readonly [Causes<'date-too-old'>, Causes<'digest-mismatch'>] = [
  [
    { find: ({ evidence }) => evidence.offsetSeconds < -60, ...entry },
    { ...entry, cause: ({ shown }) => shown.received }
  ],
  [{ find: ({ evidence }) => evidence.bodyLength === 0, ...entry }, entry]
]

/** The evidence of the code does not have this name. */
export const wrong: readonly [Causes<'date-too-old'>, Causes<'date-too-old'>, Causes<'digest-mismatch'>] = [
  // @ts-expect-error in a condition
  [{ find: ({ evidence }) => evidence.excerpt !== undefined, ...entry }, entry],
  // @ts-expect-error in a text
  [{ ...entry, cause: ({ shown }) => shown.excerpt }],
  // @ts-expect-error a value that the evidence cannot have
  [{ find: ({ evidence }) => evidence.bodyLength === 'none', ...entry }, entry]
]

/** The texts get what `find` found. */
export const found: Causes<'date-too-old'> = [
  causeOf({ ...entry, find: ({ evidence }) => evidence.offsetSeconds, cause: ({ found }) => found.toFixed() }),
  // @ts-expect-error a number is no text
  causeOf({ ...entry, find: ({ evidence }) => evidence.offsetSeconds, cause: ({ found }) => found }),
  entry
]

/** The last cause always applies, so that there always is one. */
// @ts-expect-error a condition in the last one
export const open: Causes<'replayed'> = [{ find: () => false, ...entry }]

/** A code that has evidence has an example and facts, or it does not compile. */
const known = { about: '', causes: [entry] } as const
const replayed = { ...known, example: { replayId: '' }, facts: () => [] } as const
const failed = { ...known, example: { error: '', problem: 'late' }, facts: () => [] } as const
export const complete: EntriesOf<'replay'> = { replayed, 'replay-store-failed': failed }
// @ts-expect-error replay-store-failed is missing
export const incomplete: EntriesOf<'replay'> = { replayed }
const factless = { ...known, example: { replayId: '' } }
// @ts-expect-error the facts are missing
export const halfway: EntriesOf<'replay'> = { replayed: factless, 'replay-store-failed': failed }

/** A reader of options and one of flags get a whole sentence each. */
export const sentences: Causes<'replayed'> = [{ ...entry, fix: { options: 'an option', flags: () => 'a flag' } }]
// @ts-expect-error the sentence for a reader of flags is missing
export const half: Causes<'replayed'> = [{ ...entry, fix: { options: 'an option' } }]

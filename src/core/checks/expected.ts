import type { ExpectedList } from '../result/evidence.ts'

/** Limits the entries of a configured list in evidence: a receiver may have 100,000 accounts. */
export const MAX_EXPECTED = 10

/** Returns the first of a configured list, and the number of all if there are more. */
export function expectedOf(list: Iterable<string>, count: number): ExpectedList {
  const expected: string[] = []
  for (const item of list) {
    if (expected.length === MAX_EXPECTED) return { expected, expectedCount: count }
    expected.push(item)
  }
  return { expected }
}

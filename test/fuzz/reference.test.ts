import { expect, test } from 'vitest'
import { compareWithReference } from './compare-reference.ts'

test('whatever the library verifies by the draft, the reference verifies', async () => {
  const seeds = Array.from({ length: 150 }, (_, at) => 20_261_120 + at)
  const { judged, verified, libraryOnly } = await compareWithReference(seeds)
  expect(libraryOnly.slice(0, 3)).toEqual([])
  expect(judged).toBe(4800)
  expect(verified).toBeGreaterThan(500)
})

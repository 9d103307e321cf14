import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compareWithReference } from './compare-reference.ts'

test('the reference shares no code with the library', () => {
  const source = readFileSync(new URL('../../fixtures/source/reference-verifier.ts', import.meta.url), 'utf8')
  const imported = [...source.matchAll(/^(?:import|export)\b.*\bfrom '(.*)'|\bimport\('(.*)'\)/gm)]
  expect(imported.map(([, from, lazily]) => from ?? lazily)).toEqual(['node:crypto'])
})

test('the reference verifies everything that the library verifies by the draft', async () => {
  const seeds = Array.from({ length: 150 }, (_, at) => 20_261_120 + at)
  const { judged, verified, libraryOnly } = await compareWithReference(seeds)
  expect(libraryOnly.slice(0, 3)).toEqual([])
  expect(judged).toBe(4800)
  expect(verified).toBeGreaterThan(500)
})

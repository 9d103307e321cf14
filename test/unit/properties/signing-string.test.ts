import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildSigningString } from '../../../src/index.ts'
import { forAll } from './arbitraries.ts'

/**
 * Two requests are the same under a covered list when they have the same method (in any case), the same target, and,
 * for each covered header, the same values once outer white space is dropped and repeated lines are joined. A small
 * alphabet makes such requests, and requests that nearly are the same, likely.
 */

type Line = readonly [name: string, value: string]
interface Head {
  method: string
  target: string
  headers: readonly Line[]
}

const text = (units: string, minLength = 0, maxLength = 5) =>
  fc.string({ unit: fc.constantFrom(...units), minLength, maxLength })
const name = fc.constantFrom('x', 'X', 'y', 'x-y')
const head: fc.Arbitrary<Head> = fc.record({
  method: text('aAb', 1, 2),
  target: text('/ab :'.replace(' ', ''), 1, 3),
  headers: fc.array(fc.tuple(name, text('a, :\tx', 0, 4)), { maxLength: 4 })
})
const covered = fc.uniqueArray(fc.constantFrom('(request-target)', 'x', 'y', 'x-y', '(created)'), { minLength: 1 })

/** Returns undefined when there is no signing string. */
const stringOf = (request: Head, list: readonly string[]): string | undefined => {
  const built = buildSigningString(request, list, { created: 1 })
  return built.ok ? built.value : undefined
}

/** Moves, splits or joins a piece of text of the same head, or changes its case. */
const neighbour = (base: Head): fc.Arbitrary<Head> =>
  fc.oneof(
    fc.constant({ ...base, method: base.method.toUpperCase() }),
    fc.constant({ ...base, method: base.method + base.target[0], target: `/${base.target.slice(1)}` }),
    fc.constant({ ...base, headers: [...base.headers].reverse() }),
    fc.constant({ ...base, headers: base.headers.map(([each, value]): Line => [each.toUpperCase(), ` ${value}\t`]) }),
    fc.constant({
      ...base,
      headers: base.headers.flatMap(([each, value]): Line[] => value.split(',').map(part => [each, part]))
    }),
    head
  )

const trim = (value: string) => value.replace(/^[ \t]+|[ \t]+$/g, '')

/** Returns the meaning of a head under the list, as data. */
const meaning = ({ method, target, headers }: Head, list: readonly string[]): string =>
  JSON.stringify(
    list.map(each => {
      if (each === '(request-target)') return [method.toLowerCase(), target]
      return headers
        .filter(([other]) => other.toLowerCase() === each)
        .map(([, value]) => trim(value))
        .join(', ')
    })
  )

test('two heads have the same signing string under the same list only when they mean the same', async () => {
  const seen = { same: 0, different: 0 }
  const pair = head.chain(base => fc.tuple(fc.constant(base), neighbour(base)))
  const compare = ([one, other]: [Head, Head], list: string[]) => {
    const [first, second] = [stringOf(one, list), stringOf(other, list)]
    if (first === undefined || second === undefined) return
    const isSame = meaning(one, list) === meaning(other, list)
    expect(first === second).toBe(isSame)
    seen[isSame ? 'same' : 'different']++
  }
  await forAll([pair, covered], compare, { numRuns: 5000, seed: 12 })
  // The run has compared enough requests of both kinds.
  expect(seen.same).toBeGreaterThan(100)
  expect(seen.different).toBeGreaterThan(100)
})

test('different lists give different signing strings', () => {
  const compare = (request: Head, one: string[], other: string[]) => {
    const first = stringOf(request, one)
    if (first !== undefined && one.join() !== other.join()) expect(stringOf(request, other)).not.toBe(first)
  }
  return forAll([head, covered, covered], compare, { numRuns: 1000 })
})

test('every line is one name of the list, in its order', () => {
  const read = (request: Head, list: string[]) => {
    const lines = stringOf(request, list)?.split('\n')
    if (lines !== undefined) expect(lines.map(line => line.slice(0, line.indexOf(': ')))).toEqual(list)
  }
  return forAll([head, covered], read, { numRuns: 1000 })
})

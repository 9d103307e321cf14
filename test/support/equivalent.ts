import fc from 'fast-check'
import type { SignedTestRequest } from '../../src/testing/index.ts'
import { service } from './service.ts'

/**
 * Holds two requests with one signing string, of which the first is as it was signed, and the signed value of each
 * header.
 */
export interface Variant {
  signed: SignedTestRequest
  received: SignedTestRequest
  values: Record<string, string>
}

const REQUIRED = ['(request-target)', 'Host', 'Date', 'X-Service-ID', 'Digest']

/** Node.js has rules of its own for some of these names (the first line, `; `, a list), and none for the others. */
const NAMES = [
  'Authorization',
  'Content-Type',
  'User-Agent',
  'Referer',
  'From',
  'If-Modified-Since',
  'Cookie',
  'Accept',
  'Forwarded',
  'X-Forwarded-For',
  'X-Event',
  'X_Event',
  'X-Nonce',
  '__proto__',
  'constructor'
]

/** Makes a part between two commas: it has no comma, and no white space at its ends. */
const part = fc
  .string({ unit: fc.constantFrom(...'ab1=;"\\/ \xe9'), maxLength: 6 })
  .map(text => text.trim())
  .filter(text => text !== '')

const header = fc.record({ name: fc.constantFrom(...NAMES), parts: fc.array(part, { minLength: 1, maxLength: 4 }) })

/** Changes a header on its way: which of its commas become line ends, the case, and white space. */
const change = fc.record({
  cuts: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  isUpper: fc.boolean(),
  before: fc.constantFrom('', ' ', '\t'),
  after: fc.constantFrom('', ' ', '\t ')
})

/** Cuts a value into lines: each other comma keeps its space. */
function linesOf(parts: readonly string[], cuts: readonly boolean[]): string[] {
  const lines: string[][] = []
  for (const [i, text] of parts.entries()) {
    if (i === 0 || cuts[i] === true) lines.push([text])
    else lines.at(-1)!.push(text)
  }
  return lines.map(line => line.join(', '))
}

/**
 * Makes pairs of requests of the test service: lines are split, reordered among names, and change case and white space.
 */
export const equivalent = (order: { target: string; body: string }): fc.Arbitrary<Variant> =>
  fc
    .tuple(
      fc.uniqueArray(header, { selector: ({ name }) => name, minLength: 1, maxLength: 5 }),
      fc.array(change, { minLength: 5, maxLength: 5 }),
      fc.infiniteStream(fc.nat())
    )
    .map(([headers, changes, random]) => {
      const lines = headers.map(({ name, parts }): [string, string] => [name, parts.join(', ')])
      const covered = [...REQUIRED, ...headers.map(({ name }) => name)]
      const signed = service.sign({ ...order, headers: lines, covered })
      const own = signed.headers.filter(([name]) => !headers.some(other => other.name === name))
      const several = headers.map(({ name, parts }, i) => {
        const { cuts, isUpper, before, after } = changes[i]!
        const cased = isUpper ? name.toUpperCase() : name
        return linesOf(parts, cuts).map((text): [string, string] => [cased, before + text + after])
      })
      const received = { ...signed, headers: interleave([...own.map(line => [line]), ...several], random) }
      const values = Object.fromEntries(
        [...signed.headers]
          .filter(([name]) => covered.includes(name))
          .map(([name, value]) => [name.toLowerCase(), value])
      )
      return { signed, received, values }
    })

/** Returns whether one of these headers came in several lines, whatever the case of its name. */
export const isSplit = ({ received }: Variant, isMeant = (_name: string) => true): boolean => {
  const names = received.headers.map(([name]) => name.toLowerCase()).filter(isMeant)
  return new Set(names).size < names.length
}

/** Merges the lists at random, but keeps the order within each. */
function interleave<T>(lists: readonly T[][], random: Iterator<number>): T[] {
  const left = lists.map(list => [...list]).filter(list => list.length > 0)
  const all: T[] = []
  while (left.length > 0) {
    const at = random.next().value % left.length
    all.push(left[at]!.shift()!)
    if (left[at]!.length === 0) left.splice(at, 1)
  }
  return all
}

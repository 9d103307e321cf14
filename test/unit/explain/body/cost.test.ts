import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findBodyChange } from '../../../../src/explain/body/change.ts'
import { FORM_WRITERS, isForm } from '../../../../src/explain/body/form.ts'
import * as json from '../../../../src/explain/body/json.ts'
import { crlfFromLf, lfFromCrlf } from '../../../../src/explain/body/lines.ts'
import { rewrite, type Writer } from '../../../../src/explain/body/rewrite.ts'
import { isNotAscii, latin1FromUtf8, utf8FromLatin1 } from '../../../../src/explain/body/utf8.ts'
import { createSearchBudget } from '../../../../src/explain/search-budget.ts'
import { findCostly } from '../../../fuzz/costly.ts'
import { createRandom } from '../../../fuzz/random.ts'

const LAYOUTS = new Set(json.SERIALIZERS.flatMap(({ layouts }) => layouts))
const WRITERS: readonly (readonly [name: string, write: Writer])[] = [
  ...[...LAYOUTS].map((write, i) => [`layout ${i}`, write] as const),
  ...json.SERIALIZERS.map(({ name, escapes }) => [`escapes of ${name}`, escapes] as const),
  ...FORM_WRITERS.map((write, i) => [`form ${i}`, write] as const),
  ['empty objects', json.emptyObjects],
  ['the text of a string', json.unquoted],
  ['Latin-1 from UTF-8', latin1FromUtf8],
  ['UTF-8 from Latin-1', utf8FromLatin1],
  ['CRLF from LF', crlfFromLf],
  ['LF from CRLF', lfFromCrlf]
]

const SCANS = { isJson: json.isJson, isString: json.isString, isForm, isNotAscii }

/** Makes a buffer that counts how often one of its bytes is read or written. */
function counting(bytes: Buffer): { bytes: Buffer; count(): number } {
  let count = 0
  const isIndex = (name: string | symbol): boolean => typeof name === 'string' && /^\d/.test(name)
  const proxy = new Proxy(bytes, {
    get(target, name) {
      if (isIndex(name)) count++
      return Reflect.get(target, name, target)
    },
    set(target, name, value) {
      if (isIndex(name)) count++
      return Reflect.set(target, name, value, target) || true
    }
  })
  return { bytes: proxy, count: () => count }
}

/** Returns the most steps per byte that a search for the worst body finds: always the same for the same code. */
function worstOf(stepsOf: (body: Buffer) => number): number {
  let tries = 0
  const costOf = (body: Buffer) => stepsOf(body.subarray(0, 60))
  return findCostly(createRandom(1), 60, costOf, () => ++tries > 500)[0]!.cost
}

describe('what a search reads and writes is paid', () => {
  test.each(WRITERS)(
    '%s: reads each byte at most eight times, and writes no more than its buffer and one part',
    (_, write) => {
      const steps = (body: Buffer): number => {
        const [read, text] = [counting(body), counting(Buffer.alloc(4 * body.length + 64))]
        const length = write(read.bytes, text.bytes)
        expect(text.count()).toBeLessThanOrEqual(4 * body.length + 64 + body.length + 100)
        expect(length).toBeLessThanOrEqual(text.count())
        return read.count() / Math.max(1, body.length)
      }
      expect(worstOf(steps)).toBeLessThanOrEqual(8)
    }
  )

  test.each(WRITERS)('%s: stops soon after its buffer is full', (_, write) => {
    const [read, text] = [counting(Buffer.from(',[1:é+\n'.repeat(300))), counting(Buffer.alloc(10))]
    expect(write(read.bytes, text.bytes)).toBeGreaterThan(10)
    expect(text.count()).toBeLessThan(100)
    expect(read.count()).toBeLessThan(400)
  })

  test.each(Object.entries(SCANS))('%s reads each byte at most three times', (_, scan) => {
    const steps = (body: Buffer): number => {
      const read = counting(body)
      scan(read.bytes)
      return read.count() / Math.max(1, body.length)
    }
    expect(worstOf(steps)).toBeLessThanOrEqual(3)
  })
})

const bytes = fc.uint8Array({ maxLength: 300 }).map(array => Buffer.from(array))

test('no bytes make a writer throw, or write more than its buffer holds', () => {
  fc.assert(
    fc.property(bytes, fc.constantFrom(...WRITERS), fc.integer({ min: 0, max: 2000 }), (body, [, write], cost) => {
      const text = rewrite(body, createSearchBudget(cost), write)
      expect(text === undefined || text.length <= 4 * body.length + 64).toBe(true)
    }),
    { numRuns: 3000 }
  )
})

test('no bytes make the search throw', () => {
  const framed = fc.tuple(fc.constantFrom('', '[', '"', '["', 'a='), bytes, fc.constantFrom('', ']', '"', '"]'))
  fc.assert(
    fc.property(framed, fc.option(fc.nat(400), { nil: undefined }), ([start, body, end], contentLength) => {
      const whole = Buffer.concat([Buffer.from(start), body, Buffer.from(end)])
      expect(findBodyChange(whole, contentLength, () => false).change).toBeOneOf([
        undefined,
        'cut-short',
        'read-as-text'
      ])
    }),
    { numRuns: 2000 }
  )
})

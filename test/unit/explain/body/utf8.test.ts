import { expect, test } from 'vitest'
import { rewrite } from '../../../../src/explain/body/rewrite.ts'
import {
  codePointAt,
  isNotAscii,
  latin1FromUtf8,
  putUtf8,
  sizeOf,
  utf8FromLatin1
} from '../../../../src/explain/body/utf8.ts'
import { createSearchBudget } from '../../../../src/explain/search-budget.ts'

/** Decodes the character at the start of these bytes as the platform does; -1 where they are not UTF-8. */
function decoded(bytes: Uint8Array): number {
  for (let size = 1; size <= bytes.length; size++) {
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, size))
      return text.codePointAt(0)!
    } catch {
      // It may need another byte.
    }
  }
  return -1
}

/** Bytes at each limit of RFC 3629 section 4. */
const FIRST = [0, 0x7f, 0x80, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xf8, 0xf9, 0xff]
const SECOND = [0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0]
const OTHERS = [0x7f, 0x80, 0xbf, 0xc0]

test.each(FIRST)('a character that begins with byte %d is decoded as the platform decodes it, or not at all', first => {
  for (const second of SECOND) {
    for (const third of OTHERS) {
      for (const fourth of OTHERS) {
        const whole = Buffer.from([first, second, third, fourth])
        for (let size = 1; size <= 4; size++) {
          const bytes = whole.subarray(0, size)
          expect([bytes, codePointAt(bytes, 0)]).toEqual([bytes, decoded(bytes)])
          expect(codePointAt(Buffer.concat([Buffer.from('a'), bytes]), 1)).toBe(decoded(bytes))
        }
      }
    }
  }
})

const LIMITS = [0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff]

test.each(LIMITS)('character %d is written as the platform writes it', codePoint => {
  const expected = Buffer.from(String.fromCodePoint(codePoint))
  const text = Buffer.alloc(6)
  expect(putUtf8(text, 1, codePoint)).toBe(1 + expected.length)
  expect(text).toEqual(Buffer.concat([Buffer.of(0), expected, Buffer.alloc(5 - expected.length)]))
  expect(sizeOf(codePoint)).toBe(expected.length)
})

test.each([0xd800, 0xdbff, 0xdc00, 0xdfff])('surrogate %d alone is written as U+FFFD', unit => {
  const text = Buffer.alloc(3)
  expect(putUtf8(text, 0, unit)).toBe(3)
  expect(text.toString()).toBe('\ufffd')
})

test.each([
  ['', false],
  ['\x00az\x7f', false],
  ['az\x80', true],
  ['\xff', true]
])('%j has bytes that are not ASCII: %j', (text, expected) =>
  expect(isNotAscii(Buffer.from(text, 'latin1'))).toBe(expected)
)

const BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
const budget = () => createSearchBudget(1_000_000)

test('each byte of Latin-1 is written as UTF-8, and back', () => {
  const text = rewrite(BYTES, budget(), utf8FromLatin1)
  expect(text).toEqual(Buffer.from(BYTES.toString('latin1')))
  expect(rewrite(text!, budget(), latin1FromUtf8)).toEqual(BYTES)
})

test('what is not in Latin-1 or not UTF-8 keeps its bytes', () => {
  const body = Buffer.from('\xc3\xa9 \xc4\x80 \xe2\x82\xac \xff\xc3', 'latin1')
  expect(rewrite(body, budget(), latin1FromUtf8)?.toString('latin1')).toBe('\xe9 \xc4\x80 \xe2\x82\xac \xff\xc3')
})

import { expect, test } from 'vitest'
import { lineOf, measureJson } from '../../../cli/captures/measure-json.ts'

const measure = (text: string) => measureJson(Buffer.from(text))

test('JSON has at most 300,000 values, each element and each array', () => {
  expect(measure(','.repeat(299_999)).comma).toBeUndefined()
  for (const piece of [',', '[]']) expect(() => measure(piece.repeat(300_000))).toThrow('more than 300,000 JSON values')
})

test.each(['[', '{', '{"a":['])('JSON has at most 200 levels: %s', piece => {
  const levels = piece.length > 1 ? 2 : 1
  expect(measure(piece.repeat(200 / levels)).comma).toBeUndefined()
  expect(() => measure(piece.repeat(201))).toThrow('more than 200 levels of nested JSON')
})

test('JSON has at most 200 levels at a time, whatever was closed before', () => {
  expect(measure(`${'[{}'.repeat(199)}{}${']'.repeat(199)}{}`).comma).toBeUndefined()
})

test('names are limited as values are, also where no comma is between them', () => {
  expect(() => measure('"a":'.repeat(300_001))).toThrow('more than 300,000 JSON values')
})

test.each([
  ['[1,]', 2],
  ['{"a":1 ,\t\r\n }', 7],
  ['[1,],[2,]', 2],
  ['[1,2],[",]",3]', undefined],
  ['["a\\",]"]', undefined],
  ['["a\n,]', 4],
  ['[1 , 2]', undefined],
  ['["\\\\",]', 5],
  [',"]', undefined]
])('the first comma before a closing bracket of %j is at %j', (text, place) => expect(measure(text).comma).toBe(place))

test.each([
  [0, 1],
  [1, 1],
  [2, 2],
  [3, 3],
  [4, 4]
])('position %i is on line %i', (position, line) => expect(lineOf(Buffer.from('a\n\n\nb'), position)).toBe(line))

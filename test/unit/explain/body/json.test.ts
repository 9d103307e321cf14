import { describe, expect, test } from 'vitest'
import { COMMON_LAYOUTS, INDENTED_LAYOUTS, isJson, isString, nextInteger } from '../../../../src/explain/body/json.ts'
import { rewrite, type Writer } from '../../../../src/explain/body/rewrite.ts'
import { createBudget } from '../../../../src/explain/budget.ts'

/** Writes a document in another layout; undefined where that would be too long. */
const layOut = (json: string, write: Writer): string | undefined =>
  rewrite(Buffer.from(json, 'latin1'), createBudget(1_000_000), write)?.toString('latin1')
const LAYOUTS = [...COMMON_LAYOUTS, ...INDENTED_LAYOUTS]
const [COMPACT, , TWO_SPACES, FOUR_SPACES, TAB] = LAYOUTS as [Writer, Writer, Writer, Writer, Writer]
const layOutAll = (json: string) => LAYOUTS.map(write => layOut(json, write))

const VALUES: readonly unknown[] = [
  {},
  [],
  'text',
  7,
  null,
  { a: [1, {}, []], b: { c: -1.5e3, d: [[[]]] }, e: true },
  ['[', ']', '{ , : }', '\\', '"', 'a\\"b', ''],
  [[['a'], 'b'], { 'a:b': '"[1]"' }]
]

describe('layouts', () => {
  test.each(VALUES.map(value => [JSON.stringify(value), value]))(
    'layouts of %s are those of JSON.stringify',
    (json, value) => {
      const texts = layOutAll(json)
      const stringified = [undefined, 2, 4, '\t'].map(indent => JSON.stringify(value, null, indent))
      expect(texts).toEqual(expect.arrayContaining(stringified))
      // Each layout leads to the same ones: a text in one layout is laid out again.
      for (const text of texts) expect(layOutAll(text!)).toEqual(expect.arrayContaining(stringified))
    }
  )

  test('layouts come in five kinds', () => {
    const kinds = ['["a",{"b":1}]', '["a", {"b": 1}]']
    const indented = ['  ', '    ', '\t'].map(indent => `[\n_"a",\n_{\n__"b": 1\n_}\n]`.replaceAll('_', indent))
    expect(layOutAll(' ["a" ,{"b":1}]\n')).toEqual([...kinds, ...indented])
  })

  test('layouts keep bytes of any kind in strings, and none of white space outside', () => {
    expect(layOut('\t[ "\\u00e9 \xe9\\"\t" ,\r\n1 ]\n', COMPACT)).toBe('["\\u00e9 \xe9\\"\t",1]')
  })

  test('layouts indent sixteen levels, and no more', () => {
    const nested = (depth: number) =>
      layOut(`${'['.repeat(depth)}"${'a'.repeat(1000)}"${']'.repeat(depth)}`, TAB)!
        .split('\n')
        .map(line => line.search(/[^\t]/))
    expect([15, 16, 17, 40].map(depth => Math.max(...nested(depth)))).toEqual([15, 16, 16, 16])
  })

  test('layouts are given up at four times the length of the document and 64 bytes', () => {
    const json = (depth: number) => `${'['.repeat(depth)}${'0,'.repeat(500)}0${']'.repeat(depth)}`
    const indented = (depth: number, indent: string) => JSON.stringify(JSON.parse(json(depth)), null, indent)
    expect(layOut(json(5), TAB)).toBe(indented(5, '\t'))
    expect(layOut(json(1), FOUR_SPACES)).toBe(indented(1, '    '))
    expect(layOut(json(2), TWO_SPACES)).toBe(indented(2, '  '))
    for (const depth of [2, 3, 4]) expect(layOut(json(depth), FOUR_SPACES)).toBeUndefined()
  })

  test('layouts are given up where the budget ends', () => {
    const json = Buffer.from('[1,2]'.repeat(10))
    expect(rewrite(json, createBudget(10), COMPACT)).toEqual(json)
    expect(rewrite(json, createBudget(1.3), COMPACT)).toBeUndefined()
    expect(rewrite(json, createBudget(1.37), COMPACT)).toBeUndefined()
  })
})

describe('JSON', () => {
  test.each(['[', '{', '[[]', ']', '{"a":[1}', '"', '"a', '["a', '"\\"', '"a\\', '', ' ', 'a', '1', 'null', '[]]'])(
    'JSON is not seen in %j, which is open or has no bracket or quote',
    json => expect(isJson(Buffer.from(json))).toBe(false)
  )

  test.each(['[]', ' {}', '\n"a"', '{"a":["]"]}', '"\\""', '["\\\\"]'])('JSON is seen in %j', json =>
    expect(isJson(Buffer.from(json))).toBe(true)
  )

  test.each([
    ['"a"', true],
    [' "a\\"" \n', true],
    ['""', true],
    ['"a" b', false],
    ['"a', false],
    ['a"b"', false],
    ['', false]
  ])('%j is one string and nothing else: %j', (json, expected) => expect(isString(Buffer.from(json))).toBe(expected))

  test('JSON has integers outside of strings only', () => {
    const json = Buffer.from('{"1":[-2,3.5,4e5,true,"6",78], "a":9}')
    const found: string[] = []
    for (let next = nextInteger(json, 0); next !== undefined; next = nextInteger(json, next.end)) {
      found.push(json.toString('latin1', next.start, next.end))
    }
    expect(found).toEqual(['-2', '78', '9'])
  })
})

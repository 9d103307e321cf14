import { describe, expect, test } from 'vitest'
import { isJson, isString, SERIALIZERS, unquoted } from '../../../../src/explain/body/json.ts'
import { rewrite, type Writer } from '../../../../src/explain/body/rewrite.ts'
import { createSearchBudget } from '../../../../src/explain/search-budget.ts'

/** Writes a document in another layout; undefined where that would be too long. */
const layOut = (json: string, write: Writer): string | undefined =>
  rewrite(Buffer.from(json, 'latin1'), createSearchBudget(1_000_000), write)?.toString('latin1')
const LAYOUTS = SERIALIZERS[0]!.layouts
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
    expect(rewrite(json, createSearchBudget(100), COMPACT)).toEqual(json)
    expect(rewrite(json, createSearchBudget(99), COMPACT)).toBeUndefined()
    expect(rewrite(json, createSearchBudget(49), COMPACT)).toBeUndefined()
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
    ['a"', false],
    ['"a', false],
    ['a"b"', false],
    ['', false]
  ])('%j is one string and nothing else: %j', (json, expected) => expect(isString(Buffer.from(json))).toBe(expected))
})

/** Writes each unit of UTF-16 as an escape. */
const escaped = (text: string) =>
  Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')

/** What each writer makes of the text of JSON.stringify. */
const STYLES: readonly ((json: string) => string)[] = [
  json => json,
  json => json.replace(/[\x7f-\uffff]/g, escaped),
  json => json.replaceAll('/', '\\/').replace(/[\x80-\uffff]/g, escaped),
  json => json.replaceAll('/', '\\/').replace(/[\u2028\u2029]/g, escaped),
  json => json.replace(/[\x80-\uffff]/g, escaped),
  json => json.replace(/[<>&\u2028\u2029]/g, escaped),
  json => json.replace(/\\u[\da-f]{4}/g, unit => `\\u${unit.slice(2).toUpperCase()}`)
]
const ALL = SERIALIZERS.map(({ name, escapes }, i) => [name, STYLES[i]!, escapes] as const)

/** Characters at the limits of each kind. */
const CHARACTERS = [
  ...['\x00', '\x07', '\b', '\t', '\n', '\v', '\f', '\r', '\x1f', ' ', '"', '%', '&', "'", '.', '/', '0', ';', '<'],
  ...['=', '>', '?', '[', '\\', ']', 'b', 'u', '~', '\x7f', '\x80', '\xff', '\u07ff', '\u0800', '\u2027', '\u2028'],
  ...['\u2029', '\u202a', '\ud7ff', '\ue000', '\ufffd', '\uffff', '\u{10000}', '\u{103ff}', '\u{10400}', '\u{10ffff}']
]
const SURROGATES = ['\ud800', '\udbff', '\udc00', '\udfff']

describe('escapes', () => {
  test.each(ALL)('escapes of each character are those of %s, however the character was written', (_, write, writer) => {
    for (const char of [...CHARACTERS, ...SURROGATES]) {
      const text = Buffer.from(write(JSON.stringify(`a${char}b`))).toString('latin1')
      const forms = [escaped(char), escaped(char).toUpperCase().replaceAll('U', 'u'), JSON.stringify(char).slice(1, -1)]
      for (const form of forms) {
        const json = Buffer.from(`"a${form}b"`).toString('latin1')
        expect([form, layOut(json, writer)]).toEqual([form, text])
      }
    }
    expect(layOut('"\\/"', writer)).toBe(write('"/"'))
  })

  test.each(ALL)('escapes that are none, and bytes that are not UTF-8, stay as they are: %s', (_, __, writer) => {
    const kept = ['\\x', '\\u12', '\\u12g4', '\\\\u0041', '\\"', '\xff', '\xc0\xaf', '\xed\xa0\x80a', '\xc3']
    for (const text of kept) expect(layOut(text, writer)).toBe(text)
  })

  test.each([
    ['\\ud83d\\u0041', '\\ud83dA'],
    ['\\ud83d\\ud83d\\ude00', '\\ud83d\xf0\x9f\x98\x80'],
    ['\\ud83d\\n', '\\ud83d\\n'],
    ['\\ud83d.ude00', '\\ud83d.ude00'],
    ['\\ud83d\\.de00', '\\ud83d\\.de00'],
    ['\\ude00\\ud83d', '\\ude00\\ud83d']
  ])('a surrogate without its other half is no pair: %j', (json, expected) =>
    expect(layOut(json, SERIALIZERS[0]!.escapes)).toBe(expected)
  )

  test('a string of JSON holds what JSON.parse reads in it', () => {
    for (const char of [...CHARACTERS, 'é/\\"\u2028😀']) {
      for (const form of [escaped(char), JSON.stringify(char).slice(1, -1)]) {
        const text = layOut(Buffer.from(` "a${form}b" `).toString('latin1'), unquoted)
        expect([form, text]).toEqual([form, Buffer.from(`a${char}b`).toString('latin1')])
      }
    }
    expect(layOut('"\\/"', unquoted)).toBe('/')
  })
})

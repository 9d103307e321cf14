import { describe, expect, test } from 'vitest'
import { formVariants, layOut, layOutAll } from '../../../src/body/serializations.ts'

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
  test.each(VALUES.map(value => [JSON.stringify(value), value]))('of %s are those of JSON.stringify', (json, value) => {
    const texts = [...layOutAll(json)]
    const stringified = [undefined, 2, 4, '\t'].map(indent => JSON.stringify(value, null, indent))
    expect(texts).toEqual(expect.arrayContaining(stringified))
    // Each begins where another one does: what is laid out is laid out again.
    for (const text of texts) expect([...layOutAll(text)]).toEqual(expect.arrayContaining(stringified))
  })

  test('come in six kinds, and then with a line break at the end', () => {
    const kinds = ['["a",{"b":1}]', '["a", {"b": 1}]', ' ["a" ,{"b":1}]\n']
    const indented = ['  ', '    ', '\t'].map(indent => `[\n_"a",\n_{\n__"b": 1\n_}\n]`.replaceAll('_', indent))
    const all = [...kinds, ...indented]
    expect([...layOutAll(' ["a" ,{"b":1}]\n')]).toEqual([...all, ...all.map(text => `${text}\n`)])
  })

  test('keep bytes of any kind in strings, and none of white space outside', () => {
    expect(layOut(Buffer.from('\t[ "\\u00e9 \xe9\\"\t" ,\r\n1 ]\n', 'latin1'), ',', ':')).toBe(
      '["\\u00e9 \xe9\\"\t",1]'
    )
  })

  test('indent sixteen levels, and no more', () => {
    const nested = (depth: number) =>
      layOut(Buffer.from(`${'['.repeat(depth)}"${'a'.repeat(1000)}"${']'.repeat(depth)}`), ',', ': ', ' ')
    const levels = (depth: number) =>
      Math.max(
        ...nested(depth)
          .split('\n')
          .map(line => line.search(/\S/))
      )
    expect([15, 16, 17, 40].map(levels)).toEqual([15, 16, 16, 16])
  })

  test('are cut at four times the length of the document and 64 bytes', () => {
    const json = `[[[${'0,'.repeat(500)}0]]]`
    const whole = layOut(Buffer.from(json), ',', ':', '\t')
    const cut = layOut(Buffer.from(json), ',', ':', ' '.repeat(40))
    expect(cut).toHaveLength(4 * json.length + 64)
    expect(whole.replaceAll('\t', ' '.repeat(40)).startsWith(cut)).toBe(true)
    expect([...layOutAll(json)]).toContain(JSON.stringify(JSON.parse(json), null, '\t'))
  })

  test.each(['[', '{', '[[]', ']', '{"a":[1}', '"', '"a', '["a', '"\\"', '"a\\'])('rejects %s', json => {
    expect(() => layOut(Buffer.from(json), ',', ':')).toThrow(/^a (?:string|bracket) is not closed$/)
  })
})

/** The texts, without those that only count work. */
const texts = (variants: Iterable<string | undefined>): Set<string> =>
  new Set([...variants].filter(variant => variant !== undefined))

describe('a form', () => {
  const PAIR = "é [ü]!'()*~=a b+/"
  test.each([
    ['URLSearchParams', new URLSearchParams([PAIR.split('=') as [string, string]]).toString()],
    ['encodeURIComponent', PAIR.split('=').map(encodeURIComponent).join('=')],
    ['rawurlencode of PHP', '%C3%A9%20%5B%C3%BC%5D%21%27%28%29%2A~=a%20b%2B%2F'],
    ['URLEncoder of Java', '%C3%A9+%5B%C3%BC%5D%21%27%28%29*%7E=a+b%2B%2F'],
    ['quote_plus of Python and QueryEscape of Go', '%C3%A9+%5B%C3%BC%5D%21%27%28%29%2A~=a+b%2B%2F'],
    ['names with brackets', "%C3%A9%20[%C3%BC]!'()*~=a%20b%2B%2F"],
    ['escapes in lower case', "%c3%a9%20%5b%c3%bc%5d!'()*~=a%20b%2b%2f"]
  ])('is written as by %s', (_, form) => {
    for (const received of [form, new URLSearchParams([PAIR.split('=') as [string, string]]).toString()]) {
      expect(texts(formVariants(received))).toContain(form)
    }
  })
})

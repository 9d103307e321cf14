import { describe, expect, test } from 'vitest'
import { FORM_WRITERS, isForm } from '../../../../src/explain/body/form.ts'
import { rewrite } from '../../../../src/explain/body/rewrite.ts'
import { createBudget } from '../../../../src/explain/budget.ts'

const texts = (form: string): (string | undefined)[] =>
  FORM_WRITERS.map(write => rewrite(Buffer.from(form), createBudget(1_000_000), write)?.toString('latin1'))

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
  ])('a form is written as by %s', (_, form) => {
    for (const received of [form, new URLSearchParams([PAIR.split('=') as [string, string]]).toString()]) {
      expect(texts(received)).toContain(form)
    }
  })

  test.each([
    ['a=b', true],
    ['=', true],
    ['a=%2b', true],
    ['a', false],
    ['a=b c', false],
    ['a=\x7f', false],
    ['a=é', false],
    ['a=%2', false],
    ['a=%', false],
    ['a=%g0', false],
    ['', false]
  ])('%j is one: %j', (body, expected) => expect(isForm(Buffer.from(body))).toBe(expected))

  test('keeps the separators, and escapes them inside of values', () => {
    expect(new Set(texts('a=%26%3D%2B%25&b=='))).toEqual(new Set(['a=%26%3D%2B%25&b==', 'a=%26%3d%2b%25&b==']))
  })
})

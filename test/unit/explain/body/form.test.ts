import { describe, expect, test } from 'vitest'
import { FORM_WRITERS, isForm } from '../../../../src/explain/body/form.ts'
import { rewrite } from '../../../../src/explain/body/rewrite.ts'
import { createSearchBudget } from '../../../../src/explain/search-budget.ts'

const texts = (form: string): (string | undefined)[] =>
  FORM_WRITERS.map(write => rewrite(Buffer.from(form), createSearchBudget(1_000_000), write)?.toString('latin1'))

describe('a form', () => {
  const PAIR: [string, string] = ["é [ü]!'()*~", 'a b+/-._']
  test.each([
    ['URLSearchParams', new URLSearchParams([PAIR]).toString()],
    ['encodeURIComponent', PAIR.map(encodeURIComponent).join('=')]
  ])('a form is written as by %s', (_, form) => {
    for (const received of [form, new URLSearchParams([PAIR]).toString()]) expect(texts(received)).toContain(form)
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
    expect(new Set(texts('a=%26%3D%2B%25&b=='))).toEqual(new Set(['a=%26%3D%2B%25&b==']))
  })
})

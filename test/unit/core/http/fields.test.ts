import { expect, test } from 'vitest'
import { lowerCaseName, parseFields, trimWhiteSpace } from '../../../../src/core/http/fields.ts'
import { createVerifier, type ReceivedHeaders, type ReceivedRequest } from '../../../../src/index.ts'
import { linesOf, service } from '../../../support/service.ts'

const read = (headers: ReceivedHeaders): unknown => {
  const result = parseFields(headers)
  if (!result.ok) return result.evidence
  const { values, repeated } = result.value
  const present = ['a', 'b', 'c', 'd'].filter(name => values.has(name))
  return [Object.fromEntries(present.map(name => [name, values.get(name)])), [...repeated.entries()]]
}

test('pairs, and a record with one value, with several and with none', () => {
  const all = [{ a: '1, 2, ', b: '' }, [['a', ['1', '2', '']]]]
  expect(read(['A: 1\t', 'b:', 'a:2', 'A:'].map(line => line.split(':') as [string, string]))).toEqual(all)
  expect(read({ A: ['1', ' 2'], b: '3', c: undefined, d: [], a: '4' })).toEqual([
    { a: '1, 2, 4', b: '3' },
    [['a', ['1', '2', '4']]]
  ])
  expect(read(new Map([['A', '1']]))).toEqual([{ a: '1' }, []])
})

test('rejects a name that is not a token, and a value with a line break', () => {
  expect(read({ 'a b': '1' })).toEqual({ part: 'header-name', name: 'a b' })
  expect(read({ A: ['1', '2\n'] })).toEqual({ part: 'header-value', name: 'A' })
})

test.each([
  [['host', 'a'], 'pairs'],
  [[['host']], 'pairs'],
  [[['host', 1]], 'yields the number 1 for "host"'],
  [[[1, 'a']], 'pairs'],
  [[null], 'pairs'],
  [{ host: 1 }, 'strings or arrays of strings'],
  [{ host: ['a', 1] }, 'strings or arrays of strings'],
  [{ host: null }, 'strings or arrays of strings']
])('%j is a mistake of the caller: %s', (headers, hint) => {
  expect(() => parseFields(headers as unknown as ReceivedHeaders)).toThrow(TypeError)
  expect(() => parseFields(headers as unknown as ReceivedHeaders)).toThrow(hint)
})

test.each([
  ['', ''],
  [' ', ''],
  ['\t \t', ''],
  ['a', 'a'],
  [' a', 'a'],
  ['a ', 'a'],
  ['\ta b\t ', 'a b'],
  ['\xa0a\xa0', '\xa0a\xa0'],
  ['\va\f', '\va\f']
])('outer white space of %j', (text, expected) => expect(trimWhiteSpace(text)).toBe(expected))

test('names are the same whether they were seen before or not, however many there are', () => {
  const long = 'X'.repeat(100)
  for (let round = 0; round < 2; round++) {
    expect(lowerCaseName('X-Nonce')).toBe('x-nonce')
    expect(lowerCaseName(long)).toBe(long.toLowerCase())
    expect(lowerCaseName('X Nonce')).toBeUndefined()
    expect(lowerCaseName('')).toBeUndefined()
    for (let i = 0; i < 600; i++) expect(lowerCaseName(`X-${i}`)).toBe(`x-${i}`)
  }
})

const verify = createVerifier(service.options)
const signed = service.sign({ body: '{}' })
const lines = linesOf(signed)

/** Adds lines to the signed request up to this count. */
const withLines = (count: number, name: (i: number) => string): ReceivedRequest['headers'] => [
  ...lines,
  ...Array.from({ length: count - lines.length }, (_, i) => [name(i), '1'] as const)
]

test.each([
  ['of different names', (i: number) => `x-${i}`],
  ['of one name', () => 'x-more']
])('a request has at most 500 header lines %s', async (_, name) => {
  const accepted = await verify({ ...signed, headers: withLines(500, name) })
  expect(accepted.status).toBe('verified')

  const headers = withLines(501, name)
  const grouped: Record<string, string[]> = {}
  for (const [name, value] of headers as [string, string][]) grouped[name] = [...(grouped[name] ?? []), value]
  for (const form of [headers, grouped]) {
    expect(await verify({ ...signed, headers: form })).toMatchObject({
      status: 'rejected',
      failures: [{ code: 'request-malformed', evidence: { part: 'header-count' } }]
    })
  }
})

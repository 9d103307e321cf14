import { expect, test, vi } from 'vitest'
import { fail } from '../../../../src/core/result/result.ts'
import { createVerifier } from '../../../../src/core/verify.ts'
import { BODY_SEARCH_COST, findBodyChange, withBodyChange } from '../../../../src/explain/body/change.ts'
import { type Budget, createBudget } from '../../../../src/explain/budget.ts'
import { cpuTime } from '../../../support/cpu-time.ts'
import { service } from '../../../support/service.ts'

const octets = (text: string) => Buffer.from(text, 'latin1')
/** Returns the change of a body whose digest proves the original. */
const guess = (received: string, signed: string) =>
  findBodyChange(octets(received), undefined, bytes => Buffer.from(bytes).toString('latin1') === signed)
/** Returns the change that a body itself shows. */
const trace = (received: string, length: number | undefined) => findBodyChange(octets(received), length, () => false)

const ONE_VALUE = '{"a":[1,{},[]],"s":"x [ y ] { z }, \xc3\xa9 \xf0\x9f\x98\x80 <b>/"}'

test.each([
  ['newline-removed', 'a', 'a\n'],
  ['newline-removed', 'a', 'a\r\n'],
  ['newline-added', 'a\n', 'a'],
  ['newline-added', '\n', ''],
  ['newline-added', 'a\r\n', 'a'],
  ['newline-added', 'a\nb\n', 'a\nb'],
  ['newline-added', 'a\r\nb\r\n', 'a\r\nb'],
  ['newline-added', '\xff\n', '\xff'],
  ['crlf-to-lf', '\xff\n\x80', '\xff\r\n\x80'],
  ['crlf-to-lf', 'a\nb\nc', 'a\r\nb\r\nc'],
  ['lf-to-crlf', 'a\r\nb\r\nc', 'a\nb\nc'],
  ['lf-to-crlf', 'a\r\nb\rc', 'a\nb\rc'],
  ['bom-removed', 'a', '\xef\xbb\xbfa'],
  ['bom-added', '\xef\xbb\xbfa', 'a'],
  ['form-reserialized', 'a=b+c&d=%C3%A9', 'a=b%20c&d=%c3%a9'],
  ['form-reserialized', 'a=b%20c', 'a=b+c'],
  ['form-reserialized', 'a=%00%20c', 'a=%00+c'],
  ['form-reserialized', 'a%5Bb%5D=c', 'a[b]=c'],
  ['form-reserialized', "a='!~*", 'a=%27%21~%2A'],
  ['form-reserialized', 'a=%28b%29%21', 'a=(b)!'],
  ['form-reserialized', "a=!'()~*", 'a=%21%27%28%29%7E*'],
  ['latin1-as-utf8', '\xc3\x83\xc2\xa9', '\xc3\xa9'],
  ['utf8-as-latin1', '\xe9', '\xc3\xa9'],
  ['base64-encoded', 'eyJhIjoxfQ==', '{"a":1}'],
  ['json-string', '"{\\"a\\":1}"', '{"a":1}']
])('%s: %j was %j', (change, received, signed) => expect(guess(received, signed)).toBe(change))

test.each<[string, string]>([
  ['{ "a": [1, 2] }', '{"a":[1,2]}'],
  ['{"a":[1,2]}', '{"a": [1, 2]}'],
  ['{"a":1}', '{\n  "a": 1\n}'],
  ['{"a":1}', '{\n    "a": 1\n}\n'],
  ['{"a":"/"}', '{"a":"\\/"}'],
  ['{"a": null}', '{"a":null}'],
  ['["\xc3\xa9"]', '["\\u00e9"]'],
  ['["\\ud83d\\ude00"]', '["\xf0\x9f\x98\x80"]'],
  ['{"a":[],"b":1}', '{"a": {}, "b": 1}'], // json_encode(json_decode($json, true)) of PHP
  ['{"a":[]}', '{\n\t"a": []\n}\n'],
  ['{"a":1}', '{"a": 1}\n'],
  // json.dumps() of Python, JSON.generate() of Ruby, json_encode() of PHP and json.Marshal() of Go write one value like
  // this.
  [ONE_VALUE, '{"a": [1, {}, []], "s": "x [ y ] { z }, \\u00e9 \\ud83d\\ude00 <b>/"}'],
  [` ${ONE_VALUE}`, ONE_VALUE],
  [ONE_VALUE, '{"a":[1,{},[]],"s":"x [ y ] { z }, \\u00e9 \\ud83d\\ude00 <b>\\/"}'],
  [ONE_VALUE, '{"a":[1,{},[]],"s":"x [ y ] { z }, \xc3\xa9 \xf0\x9f\x98\x80 \\u003cb\\u003e/"}']
])('json-reserialized: %j was %j', (received, signed) => expect(guess(received, signed)).toBe('json-reserialized'))

test.each([
  ['1.0', '{"price":1,"id":7}', '{"price":1.0,"id":7}'],
  ['1.50', '{"price":1.5}', '{"price":1.50}'],
  ['all of them', '[1,2]', '[1.0,2.0]'],
  ['two decimals', '[1,12]', '[1.00,12.00]'],
  ['a second decimal where there was one', '[1.5,1.25,12.5]', '[1.50,1.25,12.50]'],
  ['brackets in texts', '["[","]",1]', '[\n  "[",\n  "]",\n  1\n]'],
  ['a bracket in the last text', '["]"]', '[\n  "]"\n]'],
  ['a bracket in the first text', '["["]', '[\n  "["\n]'],
  ['the zeros kept', '{"price": 1.0, "b": [2.50]}', '{"price":1.0,"b":[2.50]}'],
  ['the order of names kept', '{"b": 1, "10": 2, "9": 3}', '{"b":1,"10":2,"9":3}'],
  ['a name twice', '{"a": 1, "a": 2}', '{"a":1,"a":2}'],
  ['escapes kept', '{"a": "\\u0041\\/"}', '{"a":"\\u0041\\/"}']
])('json-reserialized, with %s', (_, received, signed) => expect(guess(received, signed)).toBe('json-reserialized'))

test.each([
  ['another body', 'b', 'a'],
  ['JSON in another order, which cannot be undone', '{"b":1,"a":2}', '{"a":2,"b":1}'],
  ['text that is not JSON', '{"a":', '{"a": '],
  ['an array that was written as text', '[1,2]', '1,2'],
  ['text that looks like a form', 'a b=c', 'a%20b=c'],
  ['a form with text behind it', 'a=b c', 'a=b%20c'],
  ['a form with half an escape', 'a=b+c%g0', 'a=b%20c%g0'],
  ['a byte order mark that was there before', '\xef\xbb\xbfa', '\xef\xbb\xbf\xef\xbb\xbfa']
])('no guess for %s', (_, received, signed) => expect(guess(received, signed)).toBeUndefined())

test.each(['a', '\xef\xbb\xbfa', '"a"', '{"a":[]}', '{"a":{}}'])('tries nothing but bytes: %j', received => {
  const tried: unknown[] = []
  findBodyChange(octets(received), undefined, bytes => tried.push(bytes) === 0)
  expect(tried.length).toBeGreaterThan(3)
  expect(tried.every(bytes => bytes instanceof Uint8Array)).toBe(true)
})

/** Counts the texts that are tried, and the total cost of the paid steps. */
function countTexts(body: string, cost = BODY_SEARCH_COST): { tried: number; spent: number } {
  const budget = createBudget(cost)
  let [tried, spent] = [0, 0]
  const counted: Budget = {
    get left() {
      return budget.left
    },
    spend(microseconds) {
      const isPaid = budget.spend(microseconds)
      if (isPaid) spent += microseconds
      return isPaid
    }
  }
  findBodyChange(octets(body), undefined, () => ++tried === 0, counted)
  return { tried, spent }
}

test.each([
  ['all four texts of the longest body', 'a'.repeat(16_384), 4],
  ['six where all 2000 line breaks are replaced', '\n'.repeat(2000), 6],
  ['a short form in eighteen styles, but those that are the same', 'a=b%20c', 4 + 6],
  ['a document in all layouts but the one received, and in all with zeros', '[1,2,3]', 4 + 10 + 5 * 12]
])('tries %s', (_, body, texts) => expect(countTexts(body).tried).toBe(texts))

test('tries fewer texts of a body the more each of them costs, and spends no more than it may', () => {
  const counts = [300, 1000, 4000, 16_384].map(length => countTexts(`["${'/'.repeat(length - 4)}"]`))
  const tried = counts.map(count => count.tried)
  expect(tried).toEqual([...tried].sort((x, y) => y - x))
  expect(new Set(tried).size).toBeGreaterThan(2)
  for (const { spent } of counts) {
    expect(spent).toBeLessThanOrEqual(BODY_SEARCH_COST)
    expect(spent).toBeGreaterThan(BODY_SEARCH_COST / 3)
  }
})

test('tries nothing without a budget', () => {
  for (const body of ['a\n', '[1,2]', '"\\n"', 'a=b', '\xc3\xa9']) {
    expect(countTexts(body, 0)).toEqual({ tried: 0, spent: 0 })
  }
})

test('tries only texts of the length that was signed', () => {
  const tried: string[] = []
  findBodyChange(octets('[1,2,3]'), 9, bytes => tried.push(Buffer.from(bytes).toString()) === 0)
  expect([...new Set(tried)]).toEqual(['[1,2,3]\r\n', '[1, 2, 3]', '[1.0,2,3]', '[1,2.0,3]', '[1,2,3.0]'])
})

/** Writes what JavaScript sent as a framework in Python does, with addresses and letters that are not ASCII. */
const written = (members: number, comma: string, colon: string): string =>
  `{${Array.from({ length: members }, (_, i) => `"key ${i}"${colon}"https://a.example/\xc3\xa9"`).join(comma)}}`

test.each([10, 30, 100, 200])('json-reserialized, of %i members', members => {
  expect(guess(written(members, ', ', ': '), written(members, ',', ':'))).toBe('json-reserialized')
  expect(guess(written(members, ',', ':'), written(members, ', ', ': '))).toBe('json-reserialized')
})

test('explains bodies of at most 16 KiB', () => {
  const body = 'a'.repeat(16_383)
  expect(guess(`${body}\n`, body)).toBe('newline-added')
  expect(guess(`${body}a\n`, `${body}a`)).toBeUndefined()
})

test.each([
  ['cut-short', '{"a":1,"b', 30],
  ['cut-short', '{"a":{"b":1}', 30],
  ['cut-short', 'some text', 30],
  ['cut-short', 'text', 30],
  ['cut-short', '"some text', 30],
  ['read-as-text', 'PNG\xef\xbf\xbd', undefined],
  ['object-to-string', '[object Object]', 20]
])('%s leaves a trace: %j', (change, received, length) => expect(trace(received, length)).toBe(change))

test.each([
  ['a form, of which a part is one, too', 'a=1', 30],
  ['a string of JSON', '"a"', 30],
  ['a number', '12', 30],
  ['a number and a line break', '12\n', 30],
  ['a whole document', '{"a":1}', 30],
  ['a whole document and a line break', '{"a":1}\n', 30],
  ['one as long as was signed', '{"a":1,"b', 9],
  ['a character that shares two bytes with U+FFFD, from its first', 'PNG\xef\xbf\xbe', undefined],
  ['a character that shares two bytes with U+FFFD, at its ends', 'PNG\xef\xbe\xbd', undefined],
  ['a character that shares two bytes with U+FFFD, from its second', 'PNG\xe2\xbf\xbd', undefined],
  ['one longer than was signed', '{"a":1,"b', 5],
  ['text before an object', 'an [object Object]', 18],
  ['text behind an object', '[object Object] and', 19]
])('%s has no trace: %j', (_, received, length) => expect(trace(received, length)).toBeUndefined())

test('a document over 16 KiB is taken for whole where it ends with a bracket', () => {
  const open = (length: number) => `{"a":{"b":"${'x'.repeat(length - 13)}"}`
  expect([open(16_384).length, trace(open(16_384), 20_000)]).toEqual([16_384, 'cut-short'])
  expect([open(16_385).length, trace(open(16_385), 20_000)]).toEqual([16_385, undefined])
})

test.each([
  ['nested a hundred thousand times', '['.repeat(100_000) + ']'.repeat(100_000)],
  ['nested as deep as the guess looks at the size of a body', '['.repeat(8192) + ']'.repeat(8192)],
  ['wide below a thousand levels', `${'['.repeat(1000)}${'0,'.repeat(7000)}0${']'.repeat(1000)}`],
  ['wide below sixteen levels', `${'['.repeat(16)}${'0,'.repeat(8100)}0${']'.repeat(16)}`],
  ['ten megabytes of line breaks', '\n'.repeat(10_000_000)],
  ['almost a form', `${'='.repeat(16_000)} `]
])('another body under a good head is a verdict, soon: %s', async (_, body) => {
  const verify = createVerifier(service.options)
  const request = service.sign({ method: 'POST', body: '[]' })
  const rejected = { status: 'rejected', failures: [{ code: 'digest-mismatch' }] }
  const judge = async () => expect(await verify({ ...request, body })).toMatchObject(rejected)
  expect(await cpuTime(judge)).toBeLessThan(500)
})

test('another failure than that of the digest is left as it is', () => {
  const failed = fail('body-too-large', { limit: 4 })
  expect(withBodyChange(failed, octets('a\n'), new Map() as never, () => true)).toBe(failed)
})

test('the failure says less where a deployment has removed the file of the search', async () => {
  vi.doMock('../../../../src/explain/body/change.ts', () => {
    throw new Error('Cannot find module')
  })
  const request = service.sign({ method: 'POST', body: 'signed' })
  const verdict = await createVerifier(service.options)({ ...request, body: 'signed\n' })
  vi.doUnmock('../../../../src/explain/body/change.ts')

  expect(verdict.failures).toMatchObject([{ code: 'digest-mismatch', evidence: { bodyLength: 7 } }])
  expect(verdict.failures[0]).not.toHaveProperty('evidence.change')
})

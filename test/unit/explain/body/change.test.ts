import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createVerifier } from '../../../../src/core/verify.ts'
import { findBodyChange } from '../../../../src/explain/body/change.ts'
import { diagnose } from '../../../../src/explain/diagnose.ts'
import { createSearchBudget } from '../../../../src/explain/search-budget.ts'
import { cpuTime } from '../../../support/cpu-time.ts'
import { service } from '../../../support/service.ts'
import serialized from './serialized.json' with { type: 'json' }

const octets = (text: string) => Buffer.from(text, 'latin1')
/** Returns the change of a body whose digest proves the original. */
const guess = (received: string, signed: string) =>
  findBodyChange(octets(received), undefined, bytes => Buffer.from(bytes).toString('latin1') === signed).change
/** Returns the change that a body itself shows. */
const trace = (received: string, length: number | undefined) =>
  findBodyChange(octets(received), length, () => false).change

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
  ['latin1-as-utf8', '\xc3\x83\xc2\xa9', '\xc3\xa9'],
  ['latin1-to-utf8', '\xc3\xa9', '\xe9'],
  ['utf16-to-utf8', 'a\xc3\xa9', 'a\0\xe9\0'],
  ['utf16-to-utf8', 'a', '\xfe\xff\0a'],
  ['utf8-as-latin1', '\xe9', '\xc3\xa9'],
  ['base64-encoded', 'eyJhIjoxfQ==', '{"a":1}'],
  ['json-string', '"{\\"a\\":1}"', '{"a":1}']
])('%s: %j was %j', (change, received, signed) => expect(guess(received, signed)).toBe(change))

/** Reads a text as the bytes that a sender writes of it. */
const utf8 = (text: string) => Buffer.from(text).toString('latin1')
const JSON_STRINGIFY = Object.fromEntries(
  [undefined, 2, 4, '\t'].map(indent => [
    `JSON.stringify, ${indent ?? 'compact'}`,
    JSON.stringify(JSON.parse(serialized.json['Go 1.26: json.Marshal']), null, indent)
  ])
)
const DOCUMENTS = Object.entries({ ...serialized.json, ...JSON_STRINGIFY })
const FORM = new URLSearchParams(serialized.forms['Go 1.26: url.Values'])
const FORMS = Object.entries({
  ...serialized.forms,
  URLSearchParams: FORM.toString(),
  encodeURIComponent: [...FORM].map(pair => pair.map(encodeURIComponent).join('=')).join('&')
})

test.each(DOCUMENTS)('json-reserialized: what %s wrote is found, whoever serialized it again', (_, signed) => {
  for (const [by, received] of DOCUMENTS)
    if (received.trim() !== signed.trim())
      expect([by, guess(utf8(received), utf8(signed))]).toEqual([by, 'json-reserialized'])
})

test('json-reserialized: arrays that PHP makes of empty objects', () => {
  expect(guess(serialized.arrays, '{"url":"https://a.example/","none":{},"more":[{}]}')).toBe('json-reserialized')
})

test.each(FORMS)('form-reserialized: what %s wrote is found, whoever serialized it again', (_, signed) => {
  for (const [by, received] of FORMS)
    if (received !== signed) expect([by, guess(received, signed)]).toEqual([by, 'form-reserialized'])
})

test.each([
  ['an empty array', '{"a":[]}', '{\n\t"a": []\n}'],
  ['brackets in texts', '["[","]",1]', '[\n  "[",\n  "]",\n  1\n]'],
  ['a bracket in the last text', '["]"]', '[\n  "]"\n]'],
  ['the digits of numbers kept', '{"price": 1.0, "b": [2.50]}', '{"price":1.0,"b":[2.50]}'],
  ['the order of names kept', '{"b": 1, "10": 2, "9": 3}', '{"b":1,"10":2,"9":3}'],
  ['a name twice', '{"a": 1, "a": 2}', '{"a":1,"a":2}'],
  ['a line break at the end', '[1]', '[\n  1\n]\n']
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

test('reads, writes and hashes no more bytes than it may', () => {
  for (const body of ['a\n', '[1,2]', '"\\n"', 'a=b', '\xc3\xa9', `["${'/'.repeat(16_000)}"]`]) {
    const budget = createSearchBudget(1000)
    let hashed = 0
    const hash = (bytes: Uint8Array) => {
      hashed += bytes.length
      return false
    }
    findBodyChange(octets(body), undefined, hash, budget)
    expect(hashed).toBeLessThanOrEqual(1000)
  }
})

test('tries only texts of the length that was signed', () => {
  const tried: string[] = []
  findBodyChange(octets('[1,2,3]'), 9, bytes => tried.push(Buffer.from(bytes).toString()) === 0)
  expect([...new Set(tried)]).toEqual(['[1,2,3]\r\n', '[1, 2, 3]'])
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

/** Diagnoses a body that was changed after it was signed. */
async function diagnosed(body: string | Buffer, received: string | Buffer, headers: Record<string, string> = {}) {
  const request = service.sign({ method: 'POST', body, headers })
  const verdict = await createVerifier(service.options)({ ...request, body: received })
  return { verdict, failure: diagnose(verdict).failures[0]! }
}

test('diagnose finds the change in the verdict of verify, and not in a copy', async () => {
  const { verdict, failure } = await diagnosed('{"a":1}\n', '{"a":1}')
  expect(failure).toMatchObject({ code: 'digest-mismatch', change: 'newline-removed' })
  expect(failure).not.toHaveProperty('decompressed')
  const copy = diagnose(structuredClone(verdict)).failures[0]!
  expect(copy.code).toBe('digest-mismatch')
  expect(copy).not.toHaveProperty('change')
})

test('diagnose finds that a body was decompressed', async () => {
  const text = JSON.stringify({ text: 'a'.repeat(1000) })
  const { failure } = await diagnosed(gzipSync(text), text, { 'Content-Encoding': 'gzip' })
  expect(failure).toMatchObject({ code: 'digest-mismatch', decompressed: 'gzip' })
  expect(failure.facts).toContainEqual({ id: 'decompressed', label: 'Content-Encoding', value: 'gzip', isLong: false })
})

test('the evidence has what the verifier compared, and no search', async () => {
  const { verdict } = await diagnosed('{"a":1}\n', '{"a":1}')
  const compared = ['algorithm', 'expected', 'actual', 'bodyLength', 'contentLength']
  expect(Object.keys(verdict.failures[0]!.evidence!)).toEqual(compared)
})

test('the change is that of a streamed body, too', async () => {
  const request = service.sign({ method: 'POST', body: 'a\n' })
  const body = (async function* () {
    yield Buffer.from('a')
  })()
  const verdict = await createVerifier(service.options)({ ...request, body })
  expect(diagnose(verdict).failures).toMatchObject([{ change: 'newline-removed' }])
})

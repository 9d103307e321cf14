import { expect, test } from 'vitest'
import { findChange } from '../../../src/body/reencoding.ts'
import { createTestService } from '../../../src/testing/index.ts'
import { createVerifier } from '../../../src/verify.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const isExactly = (original: string) => (bytes: Uint8Array) =>
  Buffer.from(bytes).toString('latin1') === original
const guess = (received: string, signed: string) =>
  findChange(Buffer.from(received, 'latin1'), undefined, isExactly(signed)).reencoding

const ONE_VALUE = '{"a":[1,{},[]],"s":"x [ y ] { z }, \xc3\xa9 \xf0\x9f\x98\x80 <b>/"}'

test.each([
  ['newline-removed', 'a', 'a\n'],
  ['newline-removed', 'a', 'a\r\n'],
  ['newline-added', 'a\n', 'a'],
  ['newline-added', 'a\r\n', 'a'],
  ['newline-added', 'a\nb\n', 'a\nb'],
  ['newline-added', 'a\r\nb\r\n', 'a\r\nb'],
  ['newline-added', '\xff\n', '\xff'],
  ['crlf-to-lf', '\xff\n\x80', '\xff\r\n\x80'],
  ['crlf-to-lf', 'a\nb\nc', 'a\r\nb\r\nc'],
  ['lf-to-crlf', 'a\r\nb\r\nc', 'a\nb\nc'],
  ['bom-removed', 'a', '\xef\xbb\xbfa'],
  ['bom-added', '\xef\xbb\xbfa', 'a'],
  ['json-reserialized', '{ "a": [1, 2] }', '{"a":[1,2]}'],
  ['json-reserialized', '{"a":[1,2]}', '{"a": [1, 2]}'],
  ['json-reserialized', '{"a":1}', '{\n  "a": 1\n}'],
  ['json-reserialized', '{"a":1}', '{\n    "a": 1\n}\n'],
  ['json-reserialized', '{"a":"/"}', '{"a":"\\/"}'],
  ['json-reserialized', '{"a": null}', '{"a":null}'],
  ['json-reserialized', '["\xc3\xa9"]', '["\\u00e9"]'],
  ['json-reserialized', '{"a":[]}', '{\n\t"a": []\n}\n'],
  // what json.dumps() of Python, JSON.generate() of Ruby, json_encode() of PHP and json.Marshal() of Go make of one value
  ['json-reserialized', ONE_VALUE, '{"a": [1, {}, []], "s": "x [ y ] { z }, \\u00e9 \\ud83d\\ude00 <b>/"}'],
  ['json-reserialized', ` ${ONE_VALUE}`, ONE_VALUE],
  ['json-reserialized', ONE_VALUE, '{"a":[1,{},[]],"s":"x [ y ] { z }, \\u00e9 \\ud83d\\ude00 <b>\\/"}'],
  [
    'json-reserialized',
    ONE_VALUE,
    '{"a":[1,{},[]],"s":"x [ y ] { z }, \xc3\xa9 \xf0\x9f\x98\x80 \\u003cb\\u003e/"}'
  ]
])('%s: %j was %j', (reencoding, received, signed) => {
  expect(guess(received, signed)).toBe(reencoding)
})

test.each([
  ['another body', 'b', 'a'],
  ['text that is not JSON', '{"a":', '{"a": '],
  ['a byte order mark that was there before', '\xef\xbb\xbfa', '\xef\xbb\xbf\xef\xbb\xbfa']
])('no guess for %s', (_, received, signed) => {
  expect(guess(received, signed)).toBeUndefined()
})

test('explains bodies of at most 16 KiB', () => {
  const body = 'a'.repeat(16_383)
  expect(guess(`${body}\n`, body)).toBe('newline-added')
  expect(guess(`${body}a\n`, `${body}a`)).toBeUndefined()
})

test('re-serializes JSON down to sixteen levels', () => {
  const nested = (levels: number, end: string) => '['.repeat(levels) + end + ']'.repeat(levels)
  expect(guess(nested(16, ' 1'), nested(16, '1'))).toBe('json-reserialized')
  expect(guess(nested(17, ' 1'), nested(17, '1'))).toBeUndefined()
})

test.each([
  ['nested a hundred thousand times', '['.repeat(100_000) + ']'.repeat(100_000)],
  ['nested as deep as the guess looks at the size of a body', '['.repeat(8192) + ']'.repeat(8192)],
  ['wide below a thousand levels', `${'['.repeat(1000)}${'0,'.repeat(7000)}0${']'.repeat(1000)}`],
  ['wide below sixteen levels', `${'['.repeat(16)}${'0,'.repeat(8100)}0${']'.repeat(16)}`],
  ['ten megabytes of line breaks', '\n'.repeat(10_000_000)]
])('another body under a good head is a verdict, soon: %s', async (_, body) => {
  const service = createTestService()
  const verify = createVerifier(service.options)
  const request = service.sign({ method: 'POST', body: '[]' })

  const judge = async () =>
    expect(await verify({ ...request, body })).toMatchObject({
      status: 'rejected',
      failures: [{ code: 'digest-mismatch' }]
    })
  expect(await cpuTime(judge)).toBeLessThan(500)
})

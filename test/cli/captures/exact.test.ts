import { describe, expect, test } from 'vitest'
import { completeEntry } from '../../../cli/captures/capture.ts'
import { readCapture } from '../../../cli/captures/read-capture.ts'

const read = (value: unknown) =>
  readCapture(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))).map(completeEntry)[0]!
const HEAD = { method: 'POST', url: '/hook', headers: { Host: 'a' } }

describe('what a file does not hold exactly is not read as if it did', () => {
  test.each<[what: string, value: unknown, message: RegExp]>([
    ['a header that is a large number', '{"method":"GET","url":"/","headers":{"X-Id":12345678901234567890}}', /X-Id/],
    ['a header that is a number with a fraction', { ...HEAD, headers: { 'X-Id': 1.5 } }, /X-Id/],
    ['a query with objects in it', { ...HEAD, query: { a: { b: 1 } } }, /query has objects/],
    ['a body that is said to be base64', { ...HEAD, body: 'not base64!', isBase64Encoded: true }, /base64/],
    [
      'a body of Lambda that is said to be base64',
      { httpMethod: 'POST', path: '/', headers: {}, body: '{"a":1}', isBase64Encoded: true },
      /base64/
    ],
    [
      'a body of a fixture that is said to be base64',
      { request: { ...HEAD, target: '/', headers: [], body: { base64: 'no!' }, https: true }, dns: {} },
      /request\.body/
    ]
  ])('%s', (_, value, message) => expect(() => read(value)).toThrow(message))

  test('a list that is no list of octets is a parsed body', () => {
    const body = { type: 'Buffer', data: [1, 300] }
    expect(read({ ...HEAD, headers: { Digest: 'SHA-256=x' }, body }).missingBody).toBeDefined()
  })

  test('a note says that a name is twice in one object, and only then', () => {
    const twice = '{"method":"POST","url":"/","headers":{"X-A":"1","X-A" : "2"}}'
    expect(read(twice).notes).toEqual([expect.stringContaining('twice')])
    expect(read({ ...HEAD, body: '{"a":1,"a":2}' }).notes).toEqual([])
    expect(read('{"method":"GET","url":"/","headers":{"a":"a"},"b":{"a":1},"c":[{"a":1},{"a":2}]}').notes).toEqual([])
  })

  test('a note says that a query was parsed', () => {
    const { request, notes } = read({ ...HEAD, query: { a: 'x y' } })
    expect([request.target, notes]).toEqual(['/hook?a=x+y', [expect.stringContaining('query was parsed')]])
    expect(read({ ...HEAD, url: '/hook?a=x%20y', query: { a: 'x y' } }).notes).toEqual([])
  })
})

test('a time in seconds is not one in milliseconds', () => {
  const times = [1_795_846_526, 1_795_846_526_000].map(created_at => read({ ...HEAD, created_at }).time)
  expect(times).toEqual([1_795_846_526_000, 1_795_846_526_000])
})

test('the posted data of a HAR change neither method nor URL', () => {
  const postData = { text: 'x', method: 'PUT', url: '/other', headers: [] }
  const { request } = read({ log: { entries: [{ request: { ...HEAD, postData } }] } })
  expect(request).toMatchObject({ method: 'POST', target: '/hook', headers: [['Host', 'a']] })
})

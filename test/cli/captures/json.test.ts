import { expect, test } from 'vitest'
import { readCapture } from '../../../cli/captures/read-capture.ts'

const readAll = (value: unknown, mark = '') => readCapture(Buffer.from(mark + JSON.stringify(value)))
const REQUEST = { method: 'POST', url: '/', headers: { Host: 'a.example' } }

test('values of headers may be text, numbers, true or false', () => {
  const [entry] = readAll({ ...REQUEST, headers: { A: 'a', B: 1, C: true, D: ['b', 2] } })
  expect(entry!.request.headers).toEqual(
    Object.entries({ A: 'a', B: '1', C: 'true' }).concat([
      ['D', 'b'],
      ['D', '2']
    ])
  )
  for (const value of [null, {}, [[1]]])
    expect(() => readAll({ ...REQUEST, headers: { A: value } })).toThrow('the header A is not text')
})

test('a byte order mark of UTF-8 is no part of the capture, and nothing to note', () => {
  expect(readAll(REQUEST, '\ufeff')).toEqual(readAll(REQUEST))
  expect(readAll(REQUEST)[0]!.notes).toEqual([])
})

test.each([
  [8, {}, 'the fixture has only the beginning of the body, which had 8 bytes'],
  [8, { maxBodyBytes: 8 }, 'the fixture has only the beginning of the body, which had 8 bytes'],
  [8, { maxBodyBytes: 7 }, undefined],
  [undefined, {}, undefined]
])('a fixture whose body had %j bytes lacks the rest, unless the length decides: %j', (length, options, missing) => {
  const request = { method: 'POST', target: '/', headers: [], body: { utf8: '{', length }, https: true }
  expect(readAll({ request, dns: {}, options })[0]!.missingBody).toBe(missing)
})

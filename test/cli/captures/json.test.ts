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

test.each(['isBase64Encoded', 'encoding', 'bodyEncoding', 'contentEncoding'])(
  'a body is base64 where %s says so',
  name => {
    const bodyOf = (members: object) => String(readAll({ ...REQUEST, ...members })[0]!.request.body)
    for (const body of ['rawBody', 'bodyRaw', 'content', 'body', 'payload', 'data', 'text']) {
      expect(bodyOf({ [body]: 'e30=', [name]: name === 'isBase64Encoded' ? true : 'base64' })).toBe('{}')
      expect(bodyOf({ [body]: 'e30=', [name]: name === 'isBase64Encoded' ? 'true' : 'utf8' })).toBe('e30=')
    }
  }
)

test('a byte order mark of UTF-8 is no part of the capture, and nothing to note', () => {
  expect(readAll(REQUEST, '\ufeff')).toEqual(readAll(REQUEST))
  expect(readAll(REQUEST)[0]!.notes).toEqual([])
})

test('a capture in UTF-16 may differ from the request, and says so', () => {
  const text = `\ufeff${JSON.stringify(REQUEST)}`
  const note =
    'the file is UTF-16, as PowerShell writes with >: its line ends and non-ASCII characters may differ from what was sent'
  const little = Buffer.from(text, 'utf16le')
  for (const bytes of [little, Buffer.from(little).swap16(), Buffer.concat([little, Buffer.of(0x20)])])
    expect(readCapture(bytes)).toEqual(readAll(REQUEST).map(entry => ({ ...entry, notes: [note] })))
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

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { completeEntry } from '../../../cli/captures/capture.ts'
import { parseCommands } from '../../../cli/captures/command-words.ts'
import { readCapture } from '../../../cli/captures/read-capture.ts'
import { quoteForCmd, quoteForOldCmd } from './build.ts'

const readAll = (command: string) =>
  readCapture(Buffer.from(command))
    .map(completeEntry)
    .map(({ request: { method, target, headers, body }, notes }) => ({
      method,
      target,
      headers,
      body: body && Buffer.from(body as Uint8Array).toString(),
      notes
    }))
const read = (command: string) => readAll(command)[0]!

/** Makes any text that a browser may write, except half a character. */
const texts = fc.string({ unit: fc.constantFrom(...'aZ0 "\'\\^%$`&|<>(){}[]!;,=@#~*?\n\t\u00e9\u20ac\u{1f600}n^"') })

test.each<[string, (body: string) => string]>([
  ['for cmd.exe', body => `curl ^"https://a.example/^" ^\n  --data-raw ${quoteForCmd(body)}`],
  [
    'for cmd.exe, in older browsers',
    body => `curl "https://a.example/" ^\n  -H "a: b" ^\n  --data-raw ${quoteForOldCmd(body)}`
  ]
])('a body that a browser quotes comes back as it was: %s', (_, write) => {
  fc.assert(
    fc.property(
      texts.filter(text => text !== '' && !text.startsWith('@')),
      body => {
        expect(read(write(body)).body).toBe(body)
      }
    ),
    { numRuns: 500, seed: 11 }
  )
})

test('a command that Chrome for Windows copies as cURL (cmd) is read as its request', () => {
  const command = `curl ^"https://a.example/hook?id=1^&b=^%^20^" ^
  -X ^"PUT^" ^
  -H ^"accept: */*^" ^
  -H ^"sec-ch-ua: ^\\^"Chromium^\\^";v=^\\^"152^\\^"^" ^
  -H ^"x-empty;^" ^
  -b ^"a=b; c=d^" ^
  --data-raw ^"^{^\\^"a^\\^":^\\^"x^\\^\\^\\^\\n^\\^"^}^" ^
  --insecure`
  expect(read(command)).toEqual({
    method: 'PUT',
    target: '/hook?id=1&b=%20',
    headers: Object.entries({
      Host: 'a.example',
      accept: '*/*',
      'sec-ch-ua': '"Chromium";v="152"',
      'x-empty': '',
      Cookie: 'a=b; c=d',
      'Content-Length': '12',
      'Content-Type': 'application/x-www-form-urlencoded'
    }),
    body: '{"a":"x\\\\n"}',
    notes: []
  })
})

test.each([
  ['cURL', "curl 'https://a.example/1' \\\n  -H 'a: b' ;\ncurl 'https://a.example/2'"],
  ['cURL (cmd)', 'curl ^"https://a.example/1^" &\r\ncurl ^"https://a.example/2^"']
])('all requests of a tab that were copied as %s are read', (_, text) =>
  expect(readAll(text).map(({ target }) => target)).toEqual(['/1', '/2'])
)

test('a long text in any quotes is one part of a command', () => {
  const long = 'x'.repeat(1_000_001)
  const commands = [`curl ${long}`, `curl "${long}"`, `curl $'${long}'`, `curl ^"${long}^"`, `curl "${long}" ^\n`]
  for (const command of commands) expect(parseCommands(command)[0]![1]!.text).toHaveLength(long.length)
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCapture } from '../../../cli/captures/read-capture.ts'
import { quoteForCmd, quoteForOldCmd, quoteForPowerShell } from './build.ts'

const readAll = (command: string) =>
  readCapture(Buffer.from(command)).map(({ request: { method, target, headers, body }, notes }) => ({
    method,
    target,
    headers,
    body: body && Buffer.from(body as Uint8Array).toString(),
    notes
  }))
const read = (command: string) => readAll(command)[0]!

/** Makes any text that a browser may write, except half a character. */
const texts = fc.string({ unit: fc.constantFrom(...'aZ0 "\'\\^%$`&|<>(){}[]!;,=@#~*?\n\t\u00e9\u20ac\u{1f600}n^"') })

describe('a body comes back as it was', () => {
  test.each<[string, (body: string) => string]>([
    ['for cmd.exe', body => `curl ^"https://a.example/^" ^\n  --data-raw ${quoteForCmd(body)}`],
    [
      'for cmd.exe, in older browsers',
      body => `curl "https://a.example/" ^\n  -H "a: b" ^\n  --data-raw ${quoteForOldCmd(body)}`
    ],
    ['for PowerShell', body => `Invoke-WebRequest -Uri "https://a.example/" \`\n-Body ${quoteForPowerShell(body)}`],
    ['as fetch()', body => `await fetch("https://a.example/", ${JSON.stringify({ body })});`]
  ])('a body comes back as it was: %s', (_, write) => {
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
})

test('Chrome for Windows: copied as cURL (cmd)', () => {
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

test('a backslash that is doubled for cmd.exe is one, with a caret in between or without', () => {
  const body = (text: string) => read(`curl ^"https://a.example/^" --data-raw ^"${text}^"`).body
  expect(['a\\\\b', 'a^\\^\\b'].map(body)).toEqual(['a\\b', 'a\\b'])
})

const targets = (text: string) => readAll(text).map(({ target }) => target)

test('all requests of a tab, copied as cURL or as fetch()', () => {
  expect(targets("curl 'https://a.example/1' \\\n  -H 'a: b' ;\ncurl 'https://a.example/2'")).toEqual(['/1', '/2'])
  expect(targets('curl ^"https://a.example/1^" &\r\ncurl ^"https://a.example/2^"')).toEqual(['/1', '/2'])
  expect(targets('fetch("https://a.example/1", {});\nfetch("https://a.example/2");')).toEqual(['/1', '/2'])
  const powerShell = ['1', '2'].map(n => `Invoke-WebRequest -UseBasicParsing -Uri "https://a.example/${n}"`)
  expect(targets(powerShell.join(';\r\n'))).toEqual(['/1', '/2'])
})

test('PowerShell, with a session, and with single quotes and names without quotes', () => {
  expect(
    read(`$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession
$session.UserAgent = "Mozilla/5.0"
$session.Cookies.Add((New-Object System.Net.Cookie("a", "b", "/", "a.example")))
$session.Cookies.Add((New-Object System.Net.Cookie("c", "d", "/", "a.example")))
Invoke-WebRequest -UseBasicParsing -Uri "https://a.example/hook" \`
-Method "POST" \`
-WebSession $session \`
-Headers @{
"authority"="a.example"
  "method"="POST"
  "path"="/hook"
  "scheme"="https"
  "x-price"="\`$1 \`"x\`" $([char]8364)"
} \`
-ContentType "text/plain" \`
-Body ([System.Text.Encoding]::UTF8.GetBytes("$([char]8364)"))`)
  ).toMatchObject({
    method: 'POST',
    headers: Object.entries({
      Host: 'a.example',
      'x-price': '$1 "x" \u00e2\u0082\u00ac',
      'User-Agent': 'Mozilla/5.0',
      Cookie: 'a=b; c=d',
      'Content-Type': 'text/plain',
      'Content-Length': '3'
    }),
    body: '\u20ac'
  })
  const short = "irm -Uri 'https://a.example/x' -Method Post -Headers @{ Accept = 'a'; 'X-B' = \"c\" } -Body '{}'"
  expect(read(short)).toMatchObject({
    method: 'Post',
    headers: Object.entries({ Host: 'a.example', Accept: 'a', 'X-B': 'c', 'Content-Length': '2' }),
    body: '{}'
  })
})

test('PowerShell: words that are like the parameters of a command are not taken for them', () => {
  const likes = (name: string) => `Not-${name.slice(1)} 'x' ${name}X 'x'`
  const cookie = (name: string) => `(New-Object ${name}("a${name.length}", "b", "/", "a.example"))`
  const cookies = ['XSystem.Net.Cookie', 'System.Net.Cookie', 'System.Net.CookieX'].map(cookie)
  const agents = ['X$session.UserAgent', '$session.UserAgentX', '$session.UserAgent'].map(
    (name, i) => `${name} = "${i}"`
  )
  const session = `$session = New-Object A\n${agents.join('\n')}\n$session.Cookies.Add(${cookies.join('\n')})`
  const texts = { '-Uri': "'https://a.example/'", '-Method': 'PUT', '-Body': "'{}'", '-ContentType': "'text/plain'" }
  const strings = "C = '}'; D = 'irm'; E = '='; F = '-Uri'"
  const headers = `Not-Headers @{ A = '1' } -HeadersX @{ B = '2' } -Headers @{ ${strings} }`
  const given = Object.entries(texts).map(([name, value]) => `${likes(name)} xirm irmx ${name} ${value}`)
  expect(readAll(`${session}\nirm ${headers} ${given.join(' ')}`)).toMatchObject([
    {
      method: 'PUT',
      headers: Object.entries({
        Host: 'a.example',
        ...{ C: '}', D: 'irm', E: '=', F: '-Uri' },
        'User-Agent': '2',
        Cookie: 'a17=b',
        'Content-Type': 'text/plain',
        'Content-Length': '2'
      }),
      body: '{}'
    }
  ])
})

test('PowerShell: a single quote in single quotes is doubled', () => {
  const command = (body: string) => `Invoke-WebRequest -Uri 'https://a.example/' -Method POST -Body '${body}'`
  expect(read(command(`{"it''s":"a"}`)).body).toBe(`{"it's":"a"}`)
  expect(read(command(`''`)).body).toBe(`'`)
})

test('does not say what a browser leaves out of fetch() where the call has it', () => {
  expect(read('fetch("https://a.example/", { "headers": { "Date": "x" } });').notes).toEqual([])
})

test('says what a browser leaves out of fetch()', () => {
  const [note] = read('fetch("https://a.example/", {\n  "headers": { "signature": "x" },\n  "method": "GET"\n});').notes
  expect(note).toContain('leaves out Host, Date, Content-Length and cookies')
})

test.each([
  ["fetch('https://a.example/', { method: 'POST' })", 'not as a browser copies it'],
  ['fetch(url)', 'not as a browser copies it'],
  ['fetch(5, {})', 'not as a browser copies it'],
  ['fetch("https://a.example/", 5)', 'not as a browser copies it'],
  ['fetch("https://a.example/", null)', 'not as a browser copies it'],
  [`fetch("https://a.example/", ${'['.repeat(10_000)}`, 'levels of nested JSON']
])('%s is a mistake, in one line', (text, says) => expect(() => readAll(text)).toThrow(says))

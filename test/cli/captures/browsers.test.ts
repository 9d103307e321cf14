import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCommands } from '../../../cli/captures/command-words.ts'
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

test.each<[string, (body: string) => string]>([
  ['for cmd.exe', body => `curl ^"https://a.example/^" ^\n  --data-raw ${quoteForCmd(body)}`],
  [
    'for cmd.exe, in older browsers',
    body => `curl "https://a.example/" ^\n  -H "a: b" ^\n  --data-raw ${quoteForOldCmd(body)}`
  ],
  ['for PowerShell', body => `Invoke-WebRequest -Uri "https://a.example/" \`\n-Body ${quoteForPowerShell(body)}`],
  ['as fetch()', body => `await fetch("https://a.example/", ${JSON.stringify({ body })});`]
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
  ['cURL (cmd)', 'curl ^"https://a.example/1^" &\r\ncurl ^"https://a.example/2^"'],
  ['fetch', 'fetch("https://a.example/1", {});\nawait fetch("https://a.example/2");\nfetch("/fetch(")', '/fetch('],
  ['PowerShell', 'Invoke-WebRequest -Uri "https://a.example/1";\r\nInvoke-WebRequest -Uri "https://a.example/2"']
])('all requests of a tab that were copied as %s are read', (_, text, ...others) =>
  expect(readAll(text).map(({ target }) => target)).toEqual(['/1', '/2', ...others])
)

test('a command that Chrome copies as PowerShell, with its session, is read as its request', () => {
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
})

const SESSION = '$session = New-Object X\r\n$session.UserAgent = "U"\r\n'
const URI = '-Uri "https://a.example/" '
const HOST = ['Host', 'a.example']
test.each<[command: string, expected: object]>([
  [`Invoke-RestMethod ${URI}`, { method: 'GET', target: '/', headers: [HOST], body: null }],
  [`$r = IWR ${URI}`, { headers: [HOST] }],
  [` \n\t$response = invoke-webrequest\t${URI}`, { headers: [HOST] }],
  [`${SESSION}irm ${URI}`, { headers: [HOST, ['User-Agent', 'U']] }],
  [`${SESSION.replace('session.U', 'SESSION.u')}irm ${URI}`, { headers: [HOST, ['User-Agent', 'U']] }],
  [
    `${SESSION}$session.Cookies.Add((system.net.cookie("a", "b")))\nirm ${URI}`,
    { headers: [HOST, ['User-Agent', 'U'], ['Cookie', 'a=b']] }
  ],
  [`${SESSION}$session.A((SystemxNet.Cookie("a", "b")))\nirm ${URI}`, { headers: [HOST, ['User-Agent', 'U']] }],
  [`${SESSION}$session.A((System.NetxCookie("a", "b")))\nirm ${URI}`, { headers: [HOST, ['User-Agent', 'U']] }],
  [`${SESSION}$session.A((System.Net.Cookie("a")))\nirm ${URI}`, { headers: [HOST, ['User-Agent', 'U']] }],
  [
    `irm ${URI}-method PUT -contenttype a/b -BODY "c" -headers @{"D"="e"}`,
    { method: 'PUT', headers: [HOST, ['D', 'e'], ['Content-Type', 'a/b'], ['Content-Length', '1']], body: 'c' }
  ],
  [`irm ${URI}-Headers @{"A"="b"; C=d ;"{"="}";}"x"="y"`, { headers: [HOST, ['A', 'b'], ['C', 'd'], ['{', '}']] }],
  [`irm ${URI}-Headers @{"A"="b"`, { headers: [HOST, ['A', 'b']] }],
  [`irm ${URI}-Headers a`, { headers: [HOST] }],
  [`irm @{"a"="b"} ${URI}-Headers @{"="="="}`, { headers: [HOST, ['=', '=']] }],
  [
    `irm ${URI}-Body "a\`n\`r\`t\`0\`q\`"""$b $([char]65)$([char]8364)$([char]) \`$x"`,
    { body: 'a\n\r\t\0q""$b A€$([char]) $x' }
  ],
  [`irm ${URI}-Body 'it''s'`, { body: "it's" }],
  [`irm ${URI}-Body ''''`, { body: "'" }],
  [`irm ${URI}-Body "$([char]123456)"`, { body: '$([char]123456)' }],
  [`irm \`\r\n${URI}\`\n-Body 'a"$\`b'`, { body: 'a"$`b' }],
  [`irm ${URI}-A b="c"`, { headers: [HOST] }],
  [`irm ${URI}-Headers b="c"`, { headers: [HOST] }],
  ['irm -Uri `\n"https://a.example/" -Body `\r\n"a` b`', { target: '/', body: 'a b`' }],
  [`irm ${URI}-Body 'cut off`, { body: 'cut off' }],
  [`irm ${URI}-Body "cut off`, { body: 'cut off' }],
  [
    `irm ${URI}-Body "$([char]233)" -ContentType "$([char]233)"`,
    { body: 'é', headers: [HOST, ['Content-Type', 'Ã©'], ['Content-Length', '2']] }
  ]
])('a command of PowerShell is read as its request: %s', (command, expected) =>
  expect(read(command)).toMatchObject(expected)
)

test('a long text in any quotes is one part of a command', () => {
  const long = 'x'.repeat(1_000_001)
  const commands = [`curl ${long}`, `curl "${long}"`, `curl $'${long}'`, `curl ^"${long}^"`, `curl "${long}" ^\n`]
  for (const command of commands) expect(parseCommands(command)[0]![1]!.text).toHaveLength(long.length)
  for (const quote of ['"', "'", ''])
    expect(read(`irm ${URI}${' '.repeat(1_000_001)}-Body ${quote}${long}${quote}`).body).toBe(long)
})

test('only the words that are commands of PowerShell begin a request, and the session is of the first', () => {
  const others = 'xirm irms Invoke-WebRequests xInvoke-WebRequest Invoke-RestMethods "irm"'.split(' ')
  const all = readAll(`${SESSION}irm ${URI}\n${others.map(other => `${other} ${URI}\n`).join('')}irm\nIwr ${URI}`)
  expect(all.map(({ headers }) => headers)).toEqual([[HOST, ['User-Agent', 'U']], [HOST]])
})

test.each(['x irm a', 'irms -Uri "https://a.example/"', 'irm', '$a irm -Uri "a"', '$session.UserAgent irm a'])(
  '%s is not taken for a command of PowerShell',
  text => expect(() => readAll(text)).toThrow('this is not a request in a supported format')
)

test('words that are only similar to the parameters of PowerShell are not taken for them', () => {
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

test.each<[call: string, expected: object]>([
  [
    '\n const ab = await fetch("https://a.example/x");',
    { method: 'GET', target: '/x', headers: [['Host', 'a.example']], body: null }
  ],
  ['let a = fetch("https://a.example/x")', { target: '/x' }],
  ['var a = fetch("https://a.example/x"', { target: '/x' }],
  ['fetch("/a(b)c", { "method": 1, "body": 2 })', { method: 'GET', target: '/a(b)c', body: null }],
  [
    'fetch("/", { "headers": { "\u20ac": "\u20ac" }, "body": "\u20ac" })',
    {
      headers: [
        ['\u20ac', '\xe2\x82\xac'],
        ['Content-Length', '3']
      ],
      body: '\u20ac'
    }
  ],
  [
    'fetch("/", { "headers": { "authority": "a", "method": "b", "path": "c", "scheme": "d", "paths": "e", "xpath": "f" } })',
    {
      headers: [
        ['paths', 'e'],
        ['xpath', 'f']
      ]
    }
  ],
  [
    'fetch("/", { "headers": { "path": "c", "DATE": "x" } })',
    {
      headers: [
        ['path', 'c'],
        ['DATE', 'x']
      ],
      notes: []
    }
  ],
  ['fetch("/", { "headers": { "Content-Length": "9" }, "body": "a" })', { headers: [['Content-Length', '9']] }]
])('a call of fetch() is read: %s', (call, expected) => expect(read(call)).toMatchObject(expected))

test('a note says what a browser leaves out of a call of fetch()', () => {
  const [note] = read('fetch("https://a.example/", {\n  "headers": { "signature": "x" },\n  "method": "GET"\n});').notes
  expect(note).toMatch(/leaves out Host, Date, Content-Length and cookies: save a HAR, or copy as cURL, for those$/)
})

test.each([
  ["fetch('https://a.example/', { method: 'POST' })", 'not as a browser copies it'],
  ['fetch(1, {})', 'not as a browser copies it: its URL and options must be JSON, with double quotes'],
  ['fetch("https://a.example/", 1)', 'not as a browser copies it'],
  ['fetch("https://a.example/", null)', 'not as a browser copies it'],
  ['fetch()', 'not as a browser copies it'],
  ['xfetch("https://a.example/")', 'not a request in a supported format'],
  ['x = fetch("https://a.example/")', 'not a request in a supported format'],
  [`fetch("/", ${'['.repeat(201)}`, 'levels of nested JSON']
])('a text that is similar to a copied call of fetch() is refused, with the reason: %s', (text, says) =>
  expect(() => readAll(text)).toThrow(says)
)

import { describe, expect, test } from 'vitest'
import { completeEntry } from '../../../cli/captures/capture.ts'
import { parseCommands } from '../../../cli/captures/command-words.ts'
import { NOT_A_CAPTURE, readCapture } from '../../../cli/captures/read-capture.ts'
import { explain, headOf } from '../../support/explain.ts'
import { service } from '../../support/service.ts'
import { REFUSED, SENT, summaryOf } from './curl-facts.ts'

const readAll = (command: string) => readCapture(Buffer.from(command)).map(completeEntry)

const read = (command: string) => {
  const [entry] = readAll(command)
  const { method, target, headers, body, https } = entry!.request
  return { method, target, headers, body: body && Buffer.from(body as Uint8Array).toString(), https }
}

test('a curl command is read with its method, target, headers and body, and the headers that curl adds', () => {
  expect(
    read(
      "$ curl 'https://a.example/hook?id=1&b=%20' \\\n  -X 'POST' \\\r\n  -H 'X-A: b' --data-raw '{\"a\":1}' --compressed\n"
    )
  ).toEqual({
    method: 'POST',
    target: '/hook?id=1&b=%20',
    headers: Object.entries({
      Host: 'a.example',
      'X-A': 'b',
      'Content-Length': '7',
      'Content-Type': 'application/x-www-form-urlencoded'
    }),
    body: '{"a":1}',
    https: true
  })
})

test.each(SENT)('a curl command is read as the request that curl sends: %s', (command = '', head = '', body = '') => {
  const [{ request }] = readAll(command) as [ReturnType<typeof readAll>[0]]
  const { method, target, headers } = request
  const bytes = request.body instanceof Uint8Array ? Buffer.from(request.body) : Buffer.alloc(0)
  expect([summaryOf(method, target, [...headers]), bytes.toString('latin1')]).toEqual([head, body])
})

test.each(REFUSED)('a curl command is refused when it is not clear what curl sends: %s', (command, says) => {
  expect(() => readAll(command)).toThrow(says)
})

test.each(["'PS a> b'", "'\nC:\\a>b'"])('a text that is like a prompt stays in the body: %j', data => {
  expect(read(`curl http://a.example/ -d ${data}`)).toMatchObject({ body: data.slice(1, -1), https: false })
})

/** Each word of each command; ! marks one that nobody can know. */
const wordsOf = (text: string) =>
  parseCommands(text).map(words => words.map(({ text, problem }) => (problem === undefined ? text : `${text}!`)))

test.each<[text: string, commands: string[][]]>([
  ['a \t\r b', [['a', 'b']]],
  ['a\\ \t\r\nb', [['ab']]],
  ['a\n \t-b\n-c\nd', [['a', '-b', '-c'], ['d']]],
  ["#x y\n a #b 'c\nd#e", [['a'], ['d#e']]],
  ['a <<E x\nb', [['a', '!'], ['b']]],
  ['a >b c >>d e>|f g >&h i &>j k <l m', [['a', 'c', 'e', 'g', 'i', 'k', 'm']]],
  ['a 2>b 12>c d2>e 2d>f g', [['a', 'd2', '2d', 'g']]],
  ['a > b c >\nd>;e>&1 f', [['a', 'c'], ['d'], ['e', 'f']]],
  ['a?x&b c', [['a?xb!', 'c']]],
  ['a& b&&c&|d&;e &f&>g h', [['a'], ['b'], ['c'], ['d'], ['e'], ['f', 'h']]],
  ['a\nb;c|d(e)f\n\n;g', [['a'], ['b'], ['c'], ['d'], ['e'], ['f'], ['g']]],
  ["'a b' '' \"\" $'' c'd' $'e' $\"f\" $", [['a b', '', '', '', 'cd', 'e', 'f', '$']]],
  ["a\\ b\\\\c\\'d \\{a,b\\} \\", [["a b\\c'd", '{a,b}', '\\']]],
  ['$ $. a$/ "$ $. \\a \\  \\"', [['$', '$.', 'a$/', '$ $. \\a \\  "!']]],
  ['"a\\\nb\\\r\nc"', [['abc']]],
  ['{a,b} {1..2} x{a,b}y {a"b",c}', [['{a,b}!', '{1..2}!', 'x{a,b}y!', '{ab,c}!']]],
  [
    '{a} {a.b} {a,b a,b} }a,b{ {a b,c} {"a,b"} \'{a,b}\'',
    [['{a}', '{a.b}', '{a,b', 'a,b}', '}a,b{', '{a', 'b,c}', '{a,b}', '{a,b}']]
  ],
  ["$'\\a\\b\\e\\E\\f\\n\\r\\t\\v\\\\\\'\\\"\\?'", [['\x07\b\x1b\x1b\f\n\r\t\v\\\'"?']]],
  ["$'\\x4z\\x412\\7z\\1012\\777\\cA\\c\n\\z\\ '", [['\x04zA2\x07zA2\xff\x01\n\\z\\ ']]],
  ["$'\\u41z\\u00412\\U41z\\U000000412'", [['AzA2AzA2']]],
  ["$'\\ud83d\\ude00'", [['\xf0\x9f\x98\x80']]],
  ["$'\\U10FFFF\\U110000'", [['\xf4\x8f\xbf\xbf\xef\xbf\xbd']]],
  // These are for cmd.exe.
  ['curl ^"a^" ^\n -b ^\r\n  c\n -d\ne', [['curl', 'a', '-b', 'c', '-d'], ['e']]],
  ['curl ^"a^"^\n\nb ^"^"^\r\n\r\nc', [['curl', 'a\nb', '\nc']]],
  ['curl ^"a^" b^&c ^^ ""\t\rd e^ f ^', [['curl', 'a', 'b&c', '^', '', 'd', 'e f', '^']]],
  ['curl ^"a^" ?x&b c& d&&e&|f\ng', [['curl', 'a', '?xb!', 'c'], ['d'], ['e'], ['f'], ['g']]],
  ['curl ^"a^" ^"b c&d|e\n -f^" g', [['curl', 'a', 'b c&d|e\n -f', 'g']]],
  ['curl ^"a^" ^"b', [['curl', 'a', 'b!']]],
  ['curl "a""b" ^\n "c\\"d" "e\\\\f\\g" "^h" ^i "$j"', [['curl', 'a"b', 'c"d', 'e\\f\\g', '^h', 'i', '$j']]],
  ['curl "a" ^\r\n "b&c | d\n -e"&f', [['curl', 'a', 'b&c | d\n -ef!']]],
  ['curl ^"a^" ^"b\\\\c^\\\\d^\\^\\e\\"f^\\"g^\\^"h^"', [['curl', 'a', 'b\\c\\d\\e"f"g"h']]],
  // These are not.
  ['curl \'a\' ^"b^" ^\n c', [['curl', 'a', '^b^', '^'], ['c']]],
  ['curl "a^b" \\\n c', [['curl', 'a^b', 'c']]]
])('a command line of a shell or of cmd.exe is split into words: %j', (text, commands) =>
  expect(wordsOf(text)).toEqual(commands)
)

test('a variable is not known in either kind of text, whatever begins its name', () => {
  for (const start of ['$a', '$Z', '$_', '$0', '${', '$(', '$*', '$@', '$#', '$?', '$$', '$!', '$-', '`'])
    for (const text of [start, `"${start}"`, `{a,b}${start}`]) {
      const [[word] = []] = parseCommands(text)
      expect([text, word?.problem]).toEqual([text, expect.stringContaining('has a variable')])
    }
})

describe('a file with a curl command', () => {
  const REQUEST = { method: 'PUT', target: '/p', headers: Object.entries({ Host: 'a.example', A: 'b' }), body: null }
  test.each([
    ["PS C:\\Users\\me> curl.exe -X PUT https://a.example/p -H 'A: b'"],
    ["% TOKEN=x /usr/bin/curl -X PUT https://a.example/p -H 'A: b' 2>&1 | jq .; echo \"$STATUS"],
    ["curl -X PUT https://a.example/p > out.txt -H 'A: b' && echo it's done"],
    ["curl -X PUT https://a.example/p \\ \n  -H 'A: b'\n\nHTTP/1.1 200 OK\nX: it's a response with `ticks` & $MONEY"],
    ["\r\n \t# a\r\n\t \t$ curl -X PUT https://a.example/p -H 'A: b'"],
    ["% A= BC=x C:/bin/Curl.EXE\t-X PUT https://a.example/p -H 'A: b'"],
    ["PS /home/me>curl -X PUT https://a.example/p -H 'A: b'"],
    ["\n #\n c:\\a b>curl -X PUT https://a.example/p -H 'A: b'"]
  ])('a file with a curl command is read whatever stands around it: %j', text =>
    expect(read(text)).toMatchObject({ ...REQUEST, https: true })
  )

  test('a file with a curl command may have several, of which only those of curl count', () => {
    const text = "curl a.example/1\ncurl 'a.example/2' ; wget a.example/3\n$ curl a.example/4 & sudo curl a.example/5"
    expect(readAll(text).map(({ request }) => request.target)).toEqual(['/1', '/2', '/4', '/5'])
    const before = ['% ', 'AB=c ', "A='\n' ", 'env A= ', 'time ', 'command ', 'exec ', '/usr/bin/', "'C:\\bin\\'"]
    const others = ['echo ', '%% ', 'A ', '=a ', 'sudox ', 'xsudo ', 'x']
    const curl = [
      ...before.map(start => `${start}curl a.example/1`),
      ...others.map(start => `${start}curl a.example/0`)
    ]
    const ends = ['curl.exe a.example/1', 'CURL a.example/1', 'curl.exec a.example/0', 'curls a.example/0', 'A=b']
    const all = readAll(['curl a.example', ...curl, ...ends].join('\n'))
    expect(all.map(({ request }) => request.target)).toEqual(['/', ...Array(before.length + 2).fill('/1')])
  })

  test.each([
    'see curl a.example',
    'xcurl a.example',
    'curl',
    'curling a.example',
    '# curl a.example',
    '$curl a.example',
    'curl --version\n'
  ])('a file does not begin with a curl command that has a URL, and is not a request: %j', text =>
    expect(() => readAll(text)).toThrow(NOT_A_CAPTURE)
  )

  test('a file with a curl command and the output of curl -v is read as that output', () => {
    const dump = '*   Trying 127.0.0.1\n> PUT /other HTTP/1.1\n> Host: b.example\n>\n< HTTP/1.1 200 OK\n'
    expect(read(`$ curl -v -X PUT https://a.example/p\n${dump}`)).toMatchObject({
      target: '/other',
      headers: [['Host', 'b.example']]
    })
  })
})

test('says that curl takes dot segments out of the path, and keeps them for --path-as-is', () => {
  const notesOf = (command: string) => readAll(command)[0]!.notes
  expect(notesOf('curl https://a.example/a/../b')).toEqual([expect.stringContaining('takes . and .. out of the path')])
  for (const url of ['/a/../b --path-as-is', '', '?x=/../', '/a?x']) expect(notesOf(`curl a.example${url}`)).toEqual([])
})

test('options of the transfer do not change a request, and take the words that are their values', () => {
  const switches =
    '-#01236JLNORSZafijkpqsv --alpn --disallow-username-in-url --no-disallow-username-in-url --http0.9 --mptcp --no-mptcp ' +
    '--progress-bar --no-progress-bar --proxy-digest --no-proxy-digest --proxy-ssl-auto-client-cert --proxytunnel ' +
    '--remote-name --sessionid --ssl-no-revoke --tls-earlydata -VhM'
  const values =
    '-D --dump-header --abstract-unix-socket --curves --expect100-timeout --key-type --pass --proxy-crlfile ' +
    '--proxy-tls13-ciphers --retry-delay --socks5-hostname --unix-socket -E -U -Y -c -m -o -w -x -y'
  const command = `curl ${switches} ${values.replace(/ |$/g, ' -X ')} https://a.example/p`
  expect(readAll(command)).toEqual(readAll('curl https://a.example/p'))
})

test.each([
  ["-H 'A: b'", "--header 'A: b'"],
  ['-d a', '--data a'],
  ['-T a', '--upload-file a'],
  ['-u a:b', '--user a:b'],
  ['-A a', '--user-agent a'],
  ['-e a', '--referer a'],
  ['-b a=b', '--cookie a=b'],
  ['-r 1', '--range 1'],
  ['-d a -G', '-d a --get'],
  ["-g 'a.example/[1]'", "--globoff 'a.example/[1]'"]
])('an option of curl is read by its short name and by its long one: %s, %s', (short, long) => {
  const url = short.includes('/') ? '' : 'a.example'
  expect(readAll(`curl ${url} ${long}`)).toEqual(readAll(`curl ${url} ${short}`))
})

test('an octet that no character has is kept in a body and in a header', () => {
  const [{ request }] = readAll("curl a.example -d $'\\xff\\u00e9' -H $'A: \\xff'") as [ReturnType<typeof readAll>[0]]
  expect(request.body).toEqual(Buffer.from([0xff, 0xc3, 0xa9]))
  expect([...request.headers]).toContainEqual(['A', '\xff'])
})

describe('--data-urlencode', () => {
  const signed = (body: string) =>
    `curl -X POST https://receiver.example/ --data-urlencode 'a=b c' ${headOf(service.sign({ method: 'POST', body }))
      .split('\r\n')
      .slice(1, -2)
      .filter(line => !/^(?:host|content-length):/i.test(line))
      .map(line => `-H '${line}'`)
      .join(' ')}`

  test('--data-urlencode writes a space as +, and as %20, as curl before 7.77 did, where the digest says so', async () => {
    expect(await explain(signed('a=b+c'))).toMatchObject({ code: 0, stderr: '' })
    const old = await explain(signed('a=b%20c'))
    expect(old).toMatchObject({ code: 0, stderr: expect.stringContaining('curl before 7.77') })
  })

  test('a note says that --data-urlencode may be in a query in another way, which no digest decides', () => {
    const [{ request, notes }] = readAll("curl a.example -G --data-urlencode 'a=b c'") as [
      ReturnType<typeof readAll>[0]
    ]
    expect([request.target, notes]).toEqual(['/?a=b+c', [expect.stringContaining('as %20; here they are +')]])
    const others = ["-G -d 'a=b'", "-G --data-urlencode 'a=b&c'", "--data-urlencode 'a=b c'"]
    for (const other of others) expect(readAll(`curl a.example ${other}`)[0]!.notes).toEqual([])
  })
})

describe('a body that is in a file', () => {
  test('a body that is in a file is not in the capture', () => {
    const entries = readAll("curl https://a.example -H 'Digest: SHA-256=AAAA' --data-binary @body.json")
    expect(entries[0]).toMatchObject({ missingBody: 'the capture does not have the body' })
    expect(readAll('curl https://a.example -d @body.json')[0]).toMatchObject({
      missingBody: 'the body is in a file that curl reads'
    })
    const empty = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    expect(readAll(`curl https://a.example -H 'Digest: SHA-256=${empty}'`)[0]).toMatchObject({ missingBody: undefined })
  })

  test.each([
    ['', true],
    ["-H 'Transfer-Encoding: chunked'", false],
    ["-H 'Transfer-Encoding: gzip'", false],
    ["-H 'transfer-encoding: gzip, Chunked'", false],
    ["-H 'Content-Length: 8'", false]
  ])('curl counts a body that is in a file where no header says how long it is: %s', (header, isAdded) => {
    expect(readAll(`curl https://a.example ${header} -d @body.json`)[0]).toMatchObject({
      ...{ addsLength: isAdded, notes: isAdded ? ['curl adds the Content-Length of the file with the body'] : [] }
    })
  })
})

test('curl sends one Host, the first that the command has, at its place', () => {
  const lines = ['A: 1', 'Host: b.example', 'host: c.example', 'B: 2'].map(line => `-H '${line}'`)
  expect(read(`curl http://a.example/ ${lines.join(' ')}`).headers).toEqual(
    Object.entries({ A: '1', Host: 'b.example', B: '2' })
  )
})

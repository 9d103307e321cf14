import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { NOT_A_CAPTURE, readCapture } from '../../../cli/captures/read-capture.ts'
import { UsageError } from '../../../flags/usage-error.ts'
import type { SignRequest } from '../../../src/testing/index.ts'
import { explain, headOf } from '../../support/explain.ts'
import { service, withHeaders } from '../../support/service.ts'

const BODY = '{"event":"published"}'
const head = (request: SignRequest = {}): string => headOf(service.sign(request))

describe('a body that is not in the capture as it was sent', () => {
  test('a body that was inflated is all bytes left over, and explain says that it was inflated', async () => {
    const long = JSON.stringify({ events: Array(100).fill('published') })
    const body = gzipSync(long)
    const { code, stderr, text } = await explain(head({ body, headers: { 'Content-Encoding': 'gzip' } }) + long)
    const [over, declared, all] = [long.length - body.length, body.length, long.length]
    const after = `after the ${declared} that Content-Length says: all ${all} are taken as the body`
    expect(stderr).toContain(`note: ${over} bytes are left over in the capture ${after}`)
    expect(text).toMatch(/: .*decompressed/)
    expect(code).toBe(1)
  })

  test('a check of the body is not run when a fixture has no body', async () => {
    const fixture = { request: { ...service.sign({ body: BODY }), body: null }, now: new Date().toISOString() }
    const { code, text } = await explain(JSON.stringify(fixture))
    expect(text).toMatch(/^unavailable: the body is not in the capture; everything else passed\n/)
    expect(text).toMatch(/^-- {4}digest {12}not run: the capture does not have the body; pass it with --body FILE$/m)
    expect(code).toBe(2)
  })
})

describe('the time of a capture', () => {
  const { method, headers } = service.sign({ date: new Date('2026-01-02T03:04:05Z') })
  const har = (startedDateTime?: string) =>
    JSON.stringify({ startedDateTime, request: { method, url: 'https://receiver.example/', headers } })
  const SOON_AFTER = '2026-01-02T03:04:06Z'
  const [EARLY, LATE] = ['2026-01-02T02:04:06Z', '2026-01-02T04:04:06Z']

  test('the time of a capture is used where the capture has one, and said', async () => {
    const stderr = "note: verified as of the capture's own time, 2026-01-02T03:04:06.000Z\n"
    expect(await explain(har(SOON_AFTER))).toMatchObject({ code: 0, stderr })
  })

  test.each([
    [EARLY, /Date is (?:1 hour|60 minutes) ahead of the time of --now \(.* GMT\): the sender's clock is fast/],
    [LATE, /behind the time of --now \(.*\): the request was delayed, or it is a retry .* clock is slow/]
  ])('the time of a capture gives way to --now %s, and so does the clock of this machine', async (now, says) => {
    const { code, stderr, text } = await explain(har(SOON_AFTER), '--now', now)
    expect([code, stderr, text]).toEqual([1, '', expect.stringMatching(says)])
    expect(text).not.toMatch(/date -u|this machine's clock|--now (?:TIME|date)/)
  })

  test.each([
    [LATE, /behind the capture's own time \(.*\): the request was delayed, .* --now date/s],
    [EARLY, /ahead of the capture's own time \(.*\): the sender's clock is fast, or that of the program/]
  ])('the time of a capture is named where the capture has it: %s', async (time, says) => {
    const { code, text } = await explain(har(time))
    expect([code, text]).toEqual([1, expect.stringMatching(says)])
    expect(text).not.toContain("this machine's clock")
  })

  test('the time of a capture is not known: the capture is old, or the clock is fast, with both times', async () => {
    const { code, text } = await explain(har())
    expect(text).toMatch(/: the capture is \d+ \w+ old, or this machine's clock \(.* GMT\) is fast/)
    expect(text).toMatch(/received Fri, 02 Jan 2026 03:04:05 GMT/)
    expect(text).toContain('date -u')
    expect(code).toBe(1)
  })

  test('the time of a capture is not known with RFC 9421 and without a Date either', async () => {
    const signed = service.sign({ scheme: 'rfc9421', date: new Date('2026-01-02T03:04:05Z') })
    const { text } = await explain(headOf(withHeaders(signed, { Date: undefined })), '--scheme', 'rfc9421')
    expect(text).toMatch(/signature-created-out-of-range\n {2}.*: the capture is \d+ \w+ old, or this/)
  })
})

describe('a second pseudo-header is malformed', () => {
  test.each([':method: POST', ':path: /other', ':authority: other.example', ':scheme: https'])(
    'a second pseudo-header is malformed in an HTTP/2 head: %s',
    async second => {
      const { method, target, headers } = service.sign()
      const pseudo = [`:method: ${method}`, `:path: ${target}`, ':authority: receiver.example', ':scheme: https']
      const lines = [...pseudo, ...headers.slice(1).map(pair => pair.join(': '))]
      expect((await explain(lines.join('\n'))).code).toBe(0)
      const { code, stdout } = await explain([second, ...lines].join('\n'))
      expect([code, stdout]).toEqual([1, expect.stringContaining('request-malformed')])
    }
  )

  test.each([
    [[':path'], 0],
    [[':path', ':path'], 1]
  ])('a second pseudo-header is malformed in a HAR entry: %j ends with %i', async (names, exit) => {
    const { method, target, headers } = service.sign()
    const lines = [...names.map(name => [name, target]), ...headers].map(([name, value]) => ({ name, value }))
    const har = { request: { method, url: `https://receiver.example${target}`, headers: lines } }
    expect((await explain(JSON.stringify(har))).code).toBe(exit)
  })
})

const prefixed = (prefix: string) => head().trimEnd().replaceAll('\r\n', '\n').replace(/^/gm, prefix)
const rawHeaders = service.sign().headers.flat()
const named = { method: 'POST', url: '/hook' }
const json = JSON.stringify
const LOGGED = "{\n  method: 'POST',\n  url: '/hook',\n  headers: { host: 'receiver.example' }\n}\n"
const TRACE = '=> Send header, 191 bytes (0xbf)\n'

describe('what is not a capture', () => {
  const expectMistake = (file: string | Buffer, says: string) => {
    const read = () => readCapture(typeof file === 'string' ? Buffer.from(file) : file)
    expect(read).toThrow(UsageError)
    expect(read).toThrow(/^[ -~]+$/)
    expect(read).toThrow(says)
  }

  test('a file that is not a capture ends explain with 64 and one line on stderr', async () => {
    const stderr = expect.stringMatching(new RegExp(`^signed-requests: ${NOT_A_CAPTURE}[^\\n]*\\n$`))
    expect(await explain('{}')).toMatchObject({ code: 64, stdout: '', stderr })
  })

  test.each([
    ['tcpdump -X', '12:00:00.0 IP a.4 > b.80: Flags [P.]\n\t0x0000:  4500 0071 a278 4000  E..q.x@.\n', 'tcpdump -A'],
    ['hexdump -C', '00000000  50 4f 53 54 20 2f 20 48  54 54 50 2f 31 2e 31 0d  |POST / HTTP/1.1.|\n', 'hex dump'],
    ['xxd', '00000000: 504f 5354 202f 2048 5454 502f 312e 310d  POST / HTTP/1.1.\n', 'hex dump'],
    ['console.log of an object', LOGGED, 'JSON.stringify'],
    ['console.log of a request', `<ref *1> IncomingMessage {\n  _events: {},\n  method: 'POST'\n}\n`, 'JSON.stringify'],
    ['lines of docker compose', prefixed('app-1  | '), 'each line has something in front of it'],
    ['lines with a time', `started\n${prefixed('2026-11-22T12:00:00.000Z ')}`, 'each line has something'],
    ['lines of a logger', prefixed('[2026-11-22 12:00:00] INFO: '), 'each line has something'],
    ['empty lines between all lines', head().replaceAll('\n', '\n\n'), 'every second line is empty'],
    ['req.rawHeaders', json(rawHeaders), 'headers: req.headers'],
    ['req.rawHeaders by console.log', "[\n  'Host',\n  'receiver.example',\n", 'headers: req.headers'],
    ['a log line with req.rawHeaders', json({ req: { ...named, rawHeaders } }), 'headers: req.headers'],
    ['a request with req.rawHeaders', json({ ...named, headers: rawHeaders }), 'req.headers, not req.rawHeaders'],
    ['headers alone', json(Object.fromEntries(service.sign().headers)), 'these are headers alone'],
    ['$_SERVER as JSON', '{"HTTP_HOST":"receiver.example","REQUEST_METHOD":"POST"}', 'getallheaders()'],
    ['$_SERVER by print_r', 'Array\n(\n    [USER] => www\n    [HTTP_HOST] => receiver.example\n', 'getallheaders()'],
    ['$_SERVER by var_dump', 'array(9) {\n  ["REQUEST_METHOD"]=>\n  string(4) "POST"\n', 'this is $_SERVER of PHP'],
    [
      "the gateway's log as text",
      '2026-11-22T12:00:00.000Z 401 rejected date-too-old not-asked 2 ms\n',
      'explain needs --log json'
    ],
    ['curl --trace-ascii', `== Info: a\n${TRACE}0000: POST / HTTP/1.1\n0015: Host: a\n`, 'with curl -v instead'],
    ['curl --trace-time', `12:00:00.000001 ${TRACE}0000: POST / HTTP/1.1\n`, 'capture with curl -v instead'],
    ['curl --trace', `${TRACE}0000: 50 4f 53 54 20 2f 68 6f 6f 6b POST /hook HTTP/\n`, 'capture with curl -v instead'],
    ['an HTTPie command', 'http POST receiver.example/hook id:=1\n', 'HTTPie'],
    ['nothing', '', 'the file is empty; supported formats: '],
    ['a pcap file', Buffer.from('d4c3b2a102000400', 'hex'), 'this is a pcap file: save the output of tcpdump -A'],
    ['a pcap file with a head', Buffer.from(`\xd4\xc3\xb2\xa1..\n${head()}`, 'latin1'), 'this is a pcap file'],
    ['a comma too many', '{\n  "method": "POST",\n  "url": "/",\n}\n', 'line 3 has a comma before a closing bracket'],
    [
      'JSON that is cut off',
      '{\n  "method": "POST"',
      'the file looks like JSON but does not parse: line 2 is wrong; is the file cut off?'
    ],
    ['JSON without a quote', '{"method": "POST,\n"url": "/"}', 'line 1 is wrong'],
    ['a log whose last line is cut off', `${'{"a":1}\n'.repeat(30)}{"b":`, 'line 31 is wrong'],
    ['a log with one wrong line', `${'{}\n'.repeat(30)}{"b" 2}\n${'{}\n'.repeat(30)}`, 'line 31 is wrong'],
    ['null headers', '{"method":"POST","url":"/","headers":null}', NOT_A_CAPTURE],
    ['no vectors', '{"vectors":[]}', 'the fixture has no vectors'],
    ['an empty vector', '{"options":{},"vectors":[{}]}', 'the request of the fixture does not follow schema.json'],
    [
      'a Lambda event with a parsed body',
      '{"rawPath":"/","body":{}}',
      'but has a value of the wrong type (the body of a'
    ],
    ['an array of console.log', '[{a: 1', 'line 1 is wrong; is the file cut off?'],
    ['white space', ' \t\n', 'the file is empty'],
    [
      'a PowerShell command',
      'Invoke-WebRequest -Uri "https://a.example/" `\n-Method "POST"',
      'a PowerShell command: capture'
    ],
    [
      'a PowerShell script',
      '$headers = @{}\n$headers.Add("Signature", "a")\n$r = irm https://a.example/ -Headers $headers',
      'this is a PowerShell command'
    ],
    [
      'a copied fetch()',
      'fetch("https://a.example/", {\n  "method": "POST"\n});',
      'this is a call of fetch(): capture'
    ],
    ['fetch() in code', 'const a = await fetch("https://a.example/")', 'this is a call of fetch()'],
    ['a number as a vector', '{"vectors":[1]}', 'the request of the fixture does not follow schema.json']
  ])('a file that is not a capture is refused, with what to do instead: %s', (_, file, says) =>
    expectMistake(file, says)
  )

  const request = { method: 'GET', target: '/', headers: [] }
  const sent = { ...request, https: true }
  test.each([
    [{ request: { ...sent, headers: 'a: b' } }, 'the request.headers of the fixture does not follow'],
    [{ request: { ...sent, headers: [1] } }, 'must be an object of names and values, pairs, or { name, value }'],
    [{ request: { ...sent, body: '' } }, 'the request.body of the fixture does not follow'],
    [{ request: { ...sent, body: { utf8: 'a', base64: 'Yg==' } } }, 'the request.body of the fixture does not follow'],
    [
      { request, dns: { a: [['v=DKIM1']], b: ['v=DKIM1'] } },
      'the dns of the fixture does not follow schema.json of signed-'
    ],
    [{ request, now: 'today' }, 'the now of the fixture does not follow'],
    [{ request, options: {}, replayStore: 'full' }, 'the replayStore of the fixture does not follow']
  ])('the fixture %j is refused, with the member that is wrong', (fixture, says) => expectMistake(json(fixture), says))

  test.each([
    [{ request: { headers: [] }, options: {} }, 'request.method'],
    [{ request, options: { require: 1 } }, 'createVerifier() has no option "require"']
  ])('the fixture %j ends explain with 64, with what the verifier says', async (fixture, says) =>
    expect(await explain(json(fixture))).toMatchObject({ code: 64, stdout: '', stderr: expect.stringContaining(says) })
  )
})

test.each<[says: string, texts: readonly string[]]>([
  ['this is a pcap file', ['\xa1\xb2\xc3\xd4\0', '\n\r\r\n\0\0']],
  ['this is a hex dump', ['0000  504f 5354 ', 'a\n\t0x0000004A:\t504F5354', ' \n12345678: 50 4f 53 54']],
  [
    'this is how console.log prints',
    [' Request {', '<ref *12> HonoRequest a {', 'Object <a> {', ' {  _a: 1', "{'a': 1", '{A: 1']
  ],
  ['this has req.rawHeaders', [' [ "Host-a" , "a"]', "['a','b'", '[\n"a"\n,\n"b"]', '{"a":1,\n"rawHeaders" :[]}']],
  [
    'this is $_SERVER of PHP',
    [" ARRAY('HTTP_HOST' => 1)", '[{"a":1,\n"request_method":"a"}]', 'array a REQUEST_METHOD]']
  ],
  ['these are headers alone', [' {"signature" :"a"}', '{"a":1,\n"HOST":"b"}']],
  ["this is the gateway's log", ['2026Z 401 r x']],
  ['every second line is empty', ['GET / HTTP/1.0\n \t\nX-A: b', 'GET / HTTP/1.1\r\n\r\na: b']],
  ['each line has something in front', ['a GET /x HTTP/1.0\r\na b: c', 'x\na OPTIONS / HTTP/1.1\n- X-A: c']],
  ['this is an HTTPie command', [' $ https  a', 'http a', 'https\ta']]
])('each form of a file that is not a capture is recognised: %s', (says, texts) => {
  for (const text of texts) expect(() => readCapture(Buffer.from(text, 'latin1'))).toThrow(says)
})

test.each([
  ...['x\xd4\xc3\xb2\xa1', 'x\n\r\r\n', 'a b => Send header, 1 bytes', 'x=> Send header, 1'],
  ...[
    '000: 504f 5354',
    '123456789: 504f 5354',
    'x 0000: 504f 5354',
    '0000:504f 5354',
    '0000: 504f 53',
    '0000: 50  4f 53 54'
  ],
  ...[
    '0000:: 504f 5354',
    '0x: 504f 5354',
    'Requests {',
    'a Request {',
    'Request x',
    '<ref *> Request {',
    '<ref *1>Request {'
  ],
  ...[
    '["a b", "c"]',
    '["a", 1]',
    '["a"]',
    '["", "a"]',
    '{"rawHeaders":[],"headers" :{}}',
    '{"headers":{},"rawHeaders":[]}'
  ],
  ...['x["a", "b"]', '{"xrawHeaders":[]}', '{"rawHeaders":1,"headers"\n:1}'],
  ...['x Array [HTTP_HOST]', 'Arrays [HTTP_HOST]', 'Array [MY_HTTP_HOST]', 'Array [HTTP_HOSTS]', 'Array HTTP_HOST'],
  ...[
    '{"method" :"x","host":"y"}',
    '{"host":"y","headers" : 1}',
    '[{"host":"a"}]',
    '{"hosts":"a"}',
    '{"signatures":1}'
  ],
  ...[
    '{"httpStatus":401,"up":1}',
    'a 401 rejected x',
    'Z 401 rejected x',
    'x 2026Z 401 rejected y',
    '2026Z 4011 rejected x'
  ],
  ...['2026Z 40 rejected x', '2026Z 401  rejected', '2026Z 401 rejected', '2026Z 401 Rejected x'],
  ...[
    '[a] GE /x HTTP/1.1\na b: c',
    '[a] GET x HTTP/1.1\na b: c',
    '[a] GETGETGE /x HTTP/1.1\na b: c',
    '[a] GET /x HTTP/1.1\na b:c'
  ],
  ...[
    '[a] GET /x HTTP/1.1\n b: c',
    '[a] GET /x HTTP/1.2\na b: c',
    ' a GET /x y HTTP/1.1\na b: c',
    '[a]GET /x HTTP/1.1\na b: c'
  ],
  ...['xhttp a', 'http', 'httpss a', 'x http a', '$https a', '[info] {', '[2026] "a', 'a [', 'x {']
])('is not taken for a kind of file that it is only similar to: %j', text =>
  expect(() => readCapture(Buffer.from(text, 'latin1'))).toThrow(NOT_A_CAPTURE)
)

describe('the beginning of a file decides its format', () => {
  const POST = 'POST /a HTTP/1.1\nHost: a\n\n'
  test.each<[text: string, target: string, body?: string]>([
    [' \n[ \n{"method":"A","url":"/a","headers":{}}]', '/a'],
    ['{"method":"A","url":"/a","headers":{}}\n{"b":1} \t\r\n{"method":"A","url":"/b","headers":{}}', '/a /b'],
    [`\r\n\n${POST}b`, '/a', 'b'],
    [`\n \t${POST.replaceAll('\n', '\n \t')}b\n \tc`, '/a', 'b\nc'],
    ['  POST /a HTTP/1.0\n  Content-Length: 5\n\n  b\n c\n', '/a', 'b\n c\n'],
    [`${POST}> GET /b HTTP/1.1\n> A: b\n`, '/a', '> GET /b HTTP/1.1\n> A: b\n'],
    ['POST /a HTTP/1.1', '/a'],
    ['* POST /b HTTP/1.1\n> GET /a HTTP/1.1\n>\n', '/a'],
    ['> :method: GET\n> :path: /a\n>\n', '/a'],
    ['a HTTP/1.1\n> GET /a HTTP/1.1\n', '/a'],
    ['a bHTTP/1\n> GET /a HTTP/1.1\n', '/a'],
    ['curl a.example/b\n> GET /a HTTP/2\n', '/a'],
    ['curl a.example/b\nx> GET /a HTTP/2\n', '/b'],
    ['curl a.example/b\n> get /a HTTP/2\n', '/b']
  ])('the beginning of %j makes it a request', (text, target, body) => {
    const entries = readCapture(Buffer.from(text))
    expect(entries.map(({ request }) => request.target).join(' ')).toBe(target)
    if (body !== undefined) expect(String(entries[0]!.request.body)).toBe(body)
  })

  const expected = readCapture(Buffer.from(POST))

  test('a byte order mark of UTF-8 is not part of the capture, and there is nothing to note', () => {
    expect(readCapture(Buffer.from(`\ufeff${POST}`))).toEqual(expected)
    expect(expected).toMatchObject([{ notes: [] }])
  })

  const little = Buffer.from(`\ufeff${POST}`, 'utf16le')
  test.each([
    ['little-endian', little],
    ['big-endian', Buffer.from(little).swap16()],
    ['cut off in a character', Buffer.concat([little, Buffer.of(0x20)])]
  ])('a capture in UTF-16 may differ from the request, and a note says so: %s', (_, bytes) => {
    const note =
      'the file is UTF-16, as PowerShell writes with >: its line ends and non-ASCII characters may differ from what was sent'
    expect(readCapture(bytes)).toEqual(expected.map(entry => ({ ...entry, notes: [note] })))
  })
})

/** Texts that are not captures where they begin a file. */
const OTHERS = [
  'http POST a',
  '$ https a',
  'Request {',
  '<ref *1> Object {',
  '["Host", "a"',
  '{"host": 1}',
  'a: 200 b ',
  '1234567890.123\t',
  'a b c [x] "'
]

test.each([
  ['curl -v', '> POST /hook HTTP/1.1\n> Host: a\n>\n'],
  ['curl -v --trace-time', '12:00:00.000001 > POST /hook HTTP/1.1\n12:00:00.000001 > Host: a\n'],
  ['raw', 'POST /hook HTTP/1.1\nHost: a\nContent-Length: 20\n\n{"REQUEST_METHOD":1}'],
  ['an answer behind it', 'GET / HTTP/1.1\n\nHTTP/1.1 200 OK\nDate: a\n\n'],
  ['words of other files in its body', `POST / HTTP/1.1\nHost: a\n\n${OTHERS.join(' and ')}`],
  ['JSON', json({ ...named, headers: { host: 'a' }, rawHeaders: ['Host', 'a'] })]
])('a request that is not signed is explained as one: %s', async (_, file) => {
  const { code, stdout } = await explain(file)
  expect([code, stdout]).toEqual([1, expect.stringContaining('this request is not signed')])
})

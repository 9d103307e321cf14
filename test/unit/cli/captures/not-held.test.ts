import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createTestService, type SignedTestRequest, type SignRequest } from '../../../../src/testing/index.ts'
import { runInside } from '../../../support/run-cli.ts'

const service = createTestService({ rsaBits: 1024 })
const [RECORD] = Object.values(service.records).map(([record]) => record!.join(''))
const FLAGS = ['--domain', 'service.example', '--host', 'receiver.example', '--account', '1234']
const BODY = '{"event":"published"}'

async function explain(file: string | Uint8Array, ...args: string[]) {
  const finished = await runInside(['explain', ...FLAGS, '--key-record', RECORD!, ...args], file)
  return { ...finished, text: finished.stdout.replace(/\n {8,24}/g, ' ') }
}

const head = (request: SignRequest): string => raw(service.sign(request))

function raw({ method, target, headers }: Pick<SignedTestRequest, 'method' | 'target' | 'headers'>): string {
  return `${method} ${target} HTTP/1.1\r\n${headers.map(pair => pair.join(': ')).join('\r\n')}\r\n\r\n`
}

describe('a body that is not in the capture as it was sent', () => {
  test('was inflated: the bytes left over are the body, and it says that it was decompressed', async () => {
    const long = JSON.stringify({ events: Array(100).fill('published') })
    const body = gzipSync(long)
    const file = head({ body, headers: { 'Content-Encoding': 'gzip' } }) + long
    const { code, stderr, text } = await explain(file)
    expect(stderr).toContain(
      `note: ${long.length - body.length} bytes are left over in the capture after the ${body.length} that Content-Length says: all ${long.length} are taken as the body`
    )
    expect(text).toMatch(/likely cause: .*decompressed/)
    expect(code).toBe(1)
  })

  test.each([
    ['a raw head', head({ body: BODY })],
    [
      'a fixture',
      JSON.stringify({ request: { ...service.sign({ body: BODY }), body: null }, now: new Date().toISOString() })
    ]
  ])('is missing from %s: not run', async (_, file) => {
    const { code, text } = await explain(file)
    expect(text).toMatch(/^unavailable: the body is not in the capture; all else passed\n/)
    expect(text).toMatch(/^-- {4}digest {12}not run: the capture does not have the body; --body FILE gives it$/m)
    expect(code).toBe(2)
  })
})

describe('the time of a capture', () => {
  const request = service.sign({ date: new Date('2026-01-02T03:04:05Z') })
  const har = (startedDateTime?: string) =>
    JSON.stringify({
      startedDateTime,
      request: {
        method: request.method,
        url: `https://receiver.example${request.target}`,
        headers: request.headers.map(([name, value]) => ({ name, value }))
      }
    })

  test('is used where the capture has one, and said', async () => {
    const { code, stderr } = await explain(har('2026-01-02T03:04:06Z'))
    expect(code).toBe(0)
    expect(stderr).toBe("note: verified as of the capture's own time, 2026-01-02T03:04:06.000Z\n")
  })

  test('is compared with the time that was given, not with the clock of this machine', async () => {
    const { code, stdout } = await explain(har('2026-01-02T03:04:06Z'), '--now', '2026-01-02T02:04:06Z')
    expect(code).toBe(1)
    const text = stdout.replace(/\n +/g, ' ')
    expect(text).toMatch(
      /Date is (?:1 hour|60 minutes) ahead of the time of --now \(.* GMT\): the sender's clock is fast/
    )
    expect(text).not.toMatch(/date -u|this machine's clock|--now (?:TIME|date)/)
  })

  test('gives way to --now', async () => {
    const { code, stderr, stdout } = await explain(har('2026-01-02T03:04:06Z'), '--now', '2026-01-02T04:04:06Z')
    expect([code, stderr]).toEqual([1, ''])
    const text = stdout.replace(/\n +/g, ' ')
    expect(text).toMatch(/behind the time of --now \(.*\): the request was delayed, or it is a retry .* clock is slow/)
    expect(text).not.toMatch(/date -u|this machine's clock|--now (?:TIME|date)/)
  })

  test.each([
    ['2026-01-02T04:04:06Z', /behind the capture's own time \(.*\): the request was delayed, .* --now date/],
    [
      '2026-01-02T02:04:06Z',
      /ahead of the capture's own time \(.*\): the sender's clock is fast, or that of the program/
    ]
  ])('is named where it is the capture that has it: %s', async (time, says) => {
    const { code, stdout } = await explain(har(time))
    expect(stdout.replace(/\n +/g, ' ')).toMatch(says)
    expect([code, stdout.includes("this machine's clock")]).toEqual([1, false])
  })

  test('is not known: the capture is old, or the clock is fast, with both times', async () => {
    const { code, stdout } = await explain(har())
    const text = stdout.replace(/\n +/g, ' ')
    expect(text).toMatch(/likely cause: the capture is \d+ \w+ old, or this machine's clock \(.* GMT\) is fast/)
    expect(text).toMatch(/received Fri, 02 Jan 2026 03:04:05 GMT/)
    expect(text).toContain('date -u')
    expect(code).toBe(1)
  })
})

test('an old capture of RFC 9421 without a Date is old, too', async () => {
  const signed = service.sign({ scheme: 'rfc9421', date: new Date('2026-01-02T03:04:05Z') })
  const file = raw({ ...signed, headers: signed.headers.filter(([name]) => name !== 'Date') })
  const { text } = await explain(file, '--scheme', 'rfc9421')
  expect(text).toMatch(/signature-created-out-of-range\n {2}likely cause: the capture is \d+ \w+ old, or this/)
})

test.each([':method: POST', ':path: /other', ':authority: other.example', ':scheme: https'])(
  'an HTTP/2 head with a second %s is malformed',
  async second => {
    const { method, target, headers } = service.sign()
    const lines = [
      `:method: ${method}`,
      `:path: ${target}`,
      ':authority: receiver.example',
      ':scheme: https',
      ...headers.slice(1).map(pair => pair.join(': '))
    ]
    expect((await explain(lines.join('\n'))).code).toBe(0)
    const { code, stdout } = await explain([second, ...lines].join('\n'))
    expect(stdout).toMatch(/request-malformed/)
    expect(code).toBe(1)
  }
)

test.each([
  [[':path'], 0],
  [[':path', ':path'], 1]
])('a HAR entry with the pseudo-headers %j ends with %i: twice is malformed', async (names, exit) => {
  const { method, target, headers } = service.sign()
  const lines = [...names.map(name => [name, target]), ...headers].map(([name, value]) => ({ name, value }))
  const har = { request: { method, url: `https://receiver.example${target}`, headers: lines } }
  expect((await explain(JSON.stringify(har))).code).toBe(exit)
})

const prefixed = (prefix: string) => head({}).trimEnd().replaceAll('\r\n', '\n').replace(/^/gm, prefix)
const rawHeaders = service.sign().headers.flat()

describe('what is not a capture', () => {
  test.each([
    [
      'tcpdump -X',
      '12:00:00.0 IP 127.0.0.1.4 > 127.0.0.1.80: Flags [P.]\n\t0x0000:  4500 0071 a278 4000 4006 99fd 7f00 0001  E..q.x@.@.......\n',
      'tcpdump -A'
    ],
    ['hexdump -C', '00000000  50 4f 53 54 20 2f 20 48  54 54 50 2f 31 2e 31 0d  |POST / HTTP/1.1.|\n', 'hex dump'],
    ['xxd', '00000000: 504f 5354 202f 2048 5454 502f 312e 310d  POST / HTTP/1.1.\n', 'hex dump'],
    [
      'console.log of an object',
      "{\n  method: 'POST',\n  url: '/hook',\n  headers: { host: 'receiver.example' }\n}\n",
      'JSON.stringify'
    ],
    ['console.log of a request', "<ref *1> IncomingMessage {\n  _events: {},\n  method: 'POST'\n}\n", 'JSON.stringify'],
    [
      'an access log',
      '127.0.0.1 - - [22/Nov/2026:13:00:00 +0000] "POST /hook HTTP/1.1" 401 0 "-" "curl/8"\n',
      'an access log, which has no headers'
    ],
    ['lines of docker compose', prefixed('app-1  | '), 'each line has something in front of it'],
    ['lines with a time', `started\n${prefixed('2026-11-22T12:00:00.000Z ')}`, 'each line has something'],
    ['lines of syslog', prefixed('Nov 22 12:00:00 host app[12]: '), 'each line has something'],
    ['lines of a logger', prefixed('[2026-11-22 12:00:00] INFO: '), 'each line has something'],
    ['empty lines between all lines', head({}).replaceAll('\n', '\n\n'), 'every second line is empty'],
    ['req.rawHeaders', JSON.stringify(rawHeaders), 'headers: req.headers'],
    ['req.rawHeaders by console.log', "[\n  'Host',\n  'receiver.example',\n", 'headers: req.headers'],
    [
      'a log line with req.rawHeaders',
      JSON.stringify({ req: { method: 'POST', url: '/hook', rawHeaders } }),
      'headers: req.headers'
    ],
    [
      'headers that are req.rawHeaders',
      JSON.stringify({ method: 'POST', url: '/hook', headers: rawHeaders }),
      'of Node.js req.headers, not req.rawHeaders'
    ],
    ['headers alone', JSON.stringify(Object.fromEntries(service.sign().headers)), 'these are headers alone'],
    ['$_SERVER as JSON', '{"HTTP_HOST":"receiver.example","REQUEST_METHOD":"POST"}', 'getallheaders()'],
    ['$_SERVER by print_r', 'Array\n(\n    [USER] => www\n    [HTTP_HOST] => receiver.example\n', 'getallheaders()'],
    ['$_SERVER by var_dump', 'array(9) {\n  ["REQUEST_METHOD"]=>\n  string(4) "POST"\n', 'getallheaders()'],
    [
      "the gateway's log",
      '{"time":"2026-11-22T12:00:00.000Z","status":"rejected","codes":["date-too-old"],"signatureUnderDomain":true,"httpStatus":401,"upstream":"not-asked","ms":2}\n',
      'use its --admin page'
    ],
    [
      "the gateway's log as text",
      '2026-11-22T12:00:00.000Z 401 rejected date-too-old not-asked 2 ms\nrejected: date\n',
      'use its --admin page'
    ],
    [
      'curl --trace-ascii',
      '== Info: Connected to 127.0.0.1\n=> Send header, 191 bytes (0xbf)\n0000: POST /hook HTTP/1.1\n0015: Host: a\n',
      'capture with curl -v instead'
    ],
    [
      'curl --trace',
      '=> Send header, 191 bytes (0xbf)\n0000: 50 4f 53 54 20 2f 68 6f 6f 6b 20 48 54 54 50 2f POST /hook HTTP/\n',
      'capture with curl -v instead'
    ],
    ['an HTTPie command', 'http POST receiver.example/hook id:=1\n', 'HTTPie'],
    [
      'JSON with a comma too many',
      '{\n  "method": "POST",\n  "url": "/",\n}\n',
      'line 3 has a comma before a closing bracket'
    ],
    ['JSON that is cut off', '{\n  "method": "POST"', 'line 2 is wrong; is the file cut off?'],
    ['JSON without a quote', '{"method": "POST,\n"url": "/"}', 'line 1 is wrong'],
    ['a log whose last line is cut off', `${'{"a":1}\n'.repeat(30)}{"b":`, 'line 31 is wrong'],
    ['a log with one wrong line', `${'{}\n'.repeat(30)}{"b" 2}\n${'{}\n'.repeat(30)}`, 'line 31 is wrong']
  ])('%s: says what to capture instead', async (_, file, says) => {
    const { code, stderr } = await explain(file)
    expect(stderr).toMatch(/^signed-requests: [^\n]+\n$/)
    expect(stderr).toContain(says)
    expect(code).toBe(64)
  })
})

test.each([
  ['curl -v', '> POST /hook HTTP/1.1\n> Host: a\n>\n'],
  ['curl -v --trace-time', '12:00:00.000001 > POST /hook HTTP/1.1\n12:00:00.000001 > Host: a\n'],
  ['raw', 'POST /hook HTTP/1.1\nHost: a\nContent-Length: 20\n\n{"REQUEST_METHOD":1}'],
  ['an answer behind it', 'GET / HTTP/1.1\n\nHTTP/1.1 200 OK\nDate: a\n\n'],
  ['JSON', JSON.stringify({ method: 'POST', url: '/', headers: { host: 'a' }, rawHeaders: ['Host', 'a'] })]
])('a request that is not signed is explained as one: %s', async (_, file) => {
  const { code, stdout } = await explain(file)
  expect([code, stdout]).toEqual([1, expect.stringContaining('this request is not signed')])
})

test('a query that a framework has parsed is written again', async () => {
  const { method, headers } = service.sign({ target: '/hook?a=1&b=x&b=y' })
  const query = { a: '1', b: ['x', 'y'] }
  const log = { method, path: '/hook', query, headers: Object.fromEntries(headers) }
  expect((await explain(JSON.stringify(log))).code).toBe(0)
})

test.each(['rec.txt', '', 'v=spf1 -all'])('--key-record takes no %j, which is not a key record', async text => {
  expect(await runInside(['explain', ...FLAGS, '--key-record', text], head({}))).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('--key-record takes the text of a key record')
  })
})

test('--key-record takes the output of dig with two records', async () => {
  const zone = `;; ANSWER SECTION:\nk.example. 300 IN TXT "v=DKIM1; p="\nk.example. 300 IN TXT "${RECORD!.slice(0, 200)}" "${RECORD!.slice(200)}"\n\n;; Query time: 1 msec\n`
  const { code } = await runInside(['explain', ...FLAGS, '--key-record', zone], head({}))
  expect(code).toBe(0)
})

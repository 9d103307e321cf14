import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createTestService, type SignRequest } from '../../../../src/testing/index.ts'
import { runInside } from '../../../support/run-cli.ts'

const service = createTestService()
const [RECORD] = Object.values(service.records).map(([record]) => record!.join(''))
const FLAGS = ['--domain', 'service.example', '--host', 'receiver.example', '--account', '1234']
const BODY = '{"event":"published"}'

async function explain(file: string | Uint8Array, ...args: string[]) {
  const finished = await runInside(['explain', ...FLAGS, '--key-record', RECORD!, ...args], file)
  return { ...finished, text: finished.stdout.replace(/\n {8,24}/g, ' ') }
}

const head = (request: SignRequest): string => {
  const { method, target, headers } = service.sign(request)
  return `${method} ${target} HTTP/1.1\r\n${headers.map(pair => pair.join(': ')).join('\r\n')}\r\n\r\n`
}

describe('a body that is not in the capture as it was sent', () => {
  it('was inflated: the bytes left over are the body, and it says that it was decompressed', async () => {
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

  it.each([
    ['a raw head', head({ body: BODY })],
    [
      'a fixture',
      JSON.stringify({
        request: { ...service.sign({ body: BODY }), body: null },
        now: new Date().toISOString()
      })
    ]
  ])('is missing from %s: not run', async (_, file) => {
    const { code, text } = await explain(file)
    expect(text).toMatch(/^unavailable: the body is not in the capture; all else passed\n/)
    expect(text).toMatch(/^-- {4}digest {12}not run: the capture does not have the body$/m)
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

  it('is used where the capture has one, and said', async () => {
    const { code, stderr } = await explain(har('2026-01-02T03:04:06Z'))
    expect(code).toBe(0)
    expect(stderr).toBe("note: verified as of the capture's own time, 2026-01-02T03:04:06.000Z\n")
  })

  it('gives way to --now', async () => {
    const { code, stderr } = await explain(har('2026-01-02T03:04:06Z'), '--now', '2026-05-01T00:00:00Z')
    expect([code, stderr]).toEqual([1, ''])
  })

  it('is not known: the capture is old, or the clock is fast, with both times', async () => {
    const { code, stdout } = await explain(har())
    const text = stdout.replace(/\n +/g, ' ')
    expect(text).toMatch(
      /likely cause: the capture is \d+ \w+ old, or this machine's clock \(.* GMT\) is fast/
    )
    expect(text).toMatch(/received Fri, 02 Jan 2026 03:04:05 GMT/)
    expect(text).toContain('date -u')
    expect(code).toBe(1)
  })
})

it.each([':method: POST', ':path: /other', ':authority: other.example', ':scheme: https'])(
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

it.each([
  [[':path'], 0],
  [[':path', ':path'], 1]
])('a HAR entry with the pseudo-headers %j ends with %i: twice is malformed', async (names, exit) => {
  const { method, target, headers } = service.sign()
  const lines = [...names.map(name => [name, target]), ...headers].map(([name, value]) => ({ name, value }))
  const har = { request: { method, url: `https://receiver.example${target}`, headers: lines } }
  expect((await explain(JSON.stringify(har))).code).toBe(exit)
})

describe('what is not a capture', () => {
  it.each([
    [
      'tcpdump -X',
      '12:00:00.0 IP 127.0.0.1.4 > 127.0.0.1.80: Flags [P.]\n\t0x0000:  4500 0071 a278 4000 4006 99fd 7f00 0001  E..q.x@.@.......\n',
      'tcpdump -A'
    ],
    [
      'hexdump -C',
      '00000000  50 4f 53 54 20 2f 20 48  54 54 50 2f 31 2e 31 0d  |POST / HTTP/1.1.|\n',
      'hex dump'
    ],
    ['xxd', '00000000: 504f 5354 202f 2048 5454 502f 312e 310d  POST / HTTP/1.1.\n', 'hex dump'],
    [
      'console.log of an object',
      "{\n  method: 'POST',\n  url: '/hook',\n  headers: { host: 'receiver.example' }\n}\n",
      'JSON.stringify'
    ],
    [
      'console.log of a request',
      "<ref *1> IncomingMessage {\n  _events: {},\n  method: 'POST'\n}\n",
      'JSON.stringify'
    ],
    [
      'an access log',
      '127.0.0.1 - - [22/Nov/2026:13:00:00 +0000] "POST /hook HTTP/1.1" 401 0 "-" "curl/8"\n',
      'an access log, which has no headers'
    ],
    ['an HTTPie command', 'http POST receiver.example/hook id:=1\n', 'HTTPie'],
    [
      'JSON with a comma too many',
      '{\n  "method": "POST",\n  "url": "/",\n}\n',
      'line 3 has a comma before a closing bracket'
    ],
    ['JSON that is cut off', '{\n  "method": "POST"', 'line 2 is wrong; is the file cut off?']
  ])('%s: says what to capture instead', async (_, file, says) => {
    const { code, stderr } = await explain(file)
    expect(stderr).toMatch(/^signed-requests: [^\n]+\n$/)
    expect(stderr).toContain(says)
    expect(code).toBe(64)
  })
})

it('--key-record takes the output of dig with two records', async () => {
  const zone = `;; ANSWER SECTION:\nk.example. 300 IN TXT "v=DKIM1; p="\nk.example. 300 IN TXT "${RECORD!.slice(0, 200)}" "${RECORD!.slice(200)}"\n\n;; Query time: 1 msec\n`
  const { code } = await runInside(['explain', ...FLAGS, '--key-record', zone], head({}))
  expect(code).toBe(0)
})

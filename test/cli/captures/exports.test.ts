import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { FORMATS, type FormatName } from '../../../cli/captures/formats.ts'
import type { SignedTestRequest } from '../../../src/testing/index.ts'
import { EXPLAIN, explain, headOf } from '../../support/explain.ts'
import { runInside } from '../../support/run-cli.ts'
import { service } from '../../support/service.ts'
import { packet, FORMATS as WRITERS } from './build.ts'

const BODY = '{"id": 42}'
const signed = service.sign({ method: 'POST', target: '/hook?a=b', body: BODY })
const headers = Object.fromEntries(signed.headers)
const url = 'https://receiver.example/hook?a=b'
const raw = Buffer.from(headOf(signed) + BODY).toString('base64')

const NGROK = {
  uri: '/api/requests/http',
  requests: [
    {
      ...{ uri: '/api/requests/http/1', id: '1', tunnel_name: 'command_line', start: new Date().toISOString() },
      request: { method: 'POST', proto: 'HTTP/1.1', headers: {}, uri: '/hook', raw }
    }
  ]
}

/** Writes a value as mitmproxy does. */
function tnetstring(value: unknown): Buffer {
  const typed = (data: Buffer, type: string) => Buffer.concat([Buffer.from(`${data.length}:`), data, Buffer.from(type)])
  if (Buffer.isBuffer(value)) return typed(value, ',')
  if (typeof value === 'string') return typed(Buffer.from(value), ';')
  if (typeof value === 'number') return typed(Buffer.from(String(value)), Number.isInteger(value) ? '#' : '^')
  if (value === null) return Buffer.from('0:~')
  if (typeof value === 'boolean') return typed(Buffer.from(String(value)), '!')
  if (Array.isArray(value)) return typed(Buffer.concat(value.map(tnetstring)), ']')
  return typed(
    Buffer.concat(
      Object.entries(value as object)
        .flat()
        .map(tnetstring)
    ),
    '}'
  )
}
const octets = (text: string) => Buffer.from(text, 'latin1')
const mitmproxy = ({ method, target }: SignedTestRequest) =>
  tnetstring({
    version: 21,
    type: 'http',
    response: null,
    intercepted: false,
    request: {
      ...{ method: octets(method), scheme: octets('https'), authority: octets(''), path: octets(target), port: 443 },
      headers: signed.headers.map(line => line.map(octets)),
      ...{ content: octets(BODY), timestamp_start: Date.now() / 1000 }
    }
  })

const event = {
  ...{ version: '2.0', rawPath: '/hook', rawQueryString: 'a=b', headers, body: BODY, isBase64Encoded: false },
  requestContext: { http: { method: 'POST', path: '/hook' }, domainName: 'x.example', stage: '$default' }
}
const json = JSON.stringify

const written = (name: string): Buffer => WRITERS.find(writer => writer.name === name)!.write(signed)

/** One file of each format. A format without one does not compile. */
const FILES: Readonly<Record<FormatName, string | Buffer>> = {
  'raw HTTP/1.1': written('raw HTTP/1.1'),
  'HTTP/2 head': written('an HTTP/2 head'),
  'tcpdump -A': packet(headOf(signed) + BODY),
  'curl -v': written('curl -v'),
  'curl command': written('a curl command'),
  HAR: written('a HAR'),
  'AWS Lambda event': json(event),
  'wrangler tail as JSON': json({
    eventTimestamp: Date.now(),
    event: { request: { method: 'POST', url, headers } }
  }),
  'other JSON': written('a JSON export with headers as pairs'),
  fixture: json({
    request: { method: 'POST', target: '/hook?a=b', headers: signed.headers, body: { utf8: BODY }, https: true }
  }),
  "ngrok's inspector": json(NGROK),
  'Hookdeck request or event': json({
    id: 'req_1',
    created_at: new Date(),
    data: { path: '/hook', query: 'a=b', parsed_query: { a: 'b' }, headers, body: JSON.parse(BODY) }
  }),
  "Svix Play's history": json({
    iterator: null,
    data: [{ id: '1', url: '/hook?a=b', method: 'POST', headers, body: Buffer.from(BODY).toString('base64') }]
  }),
  'webhook.site': json({
    data: [
      {
        uuid: '1',
        method: 'POST',
        url,
        headers: Object.fromEntries(signed.headers.map(([name, value]) => [name.toLowerCase(), [value]])),
        content: BODY
      }
    ],
    total: 1
  }),
  'Postman collection': json({
    info: { name: 'a', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    item: [
      {
        name: 'folder',
        item: [
          {
            name: 'b',
            request: {
              method: 'POST',
              header: [
                ...signed.headers.map(([key, value]) => ({ key, value })),
                { key: 'X-Off', value: 'a', disabled: true }
              ],
              url: { raw: url, host: ['receiver'] },
              body: { mode: 'raw', raw: BODY }
            }
          }
        ]
      }
    ]
  }),
  'Insomnia export (version 4)': json({
    _type: 'export',
    __export_format: 4,
    resources: [
      { _type: 'workspace' },
      {
        _type: 'request',
        method: 'POST',
        url,
        headers: signed.headers.map(([name, value]) => ({ name, value })),
        body: { mimeType: 'application/json', text: BODY }
      }
    ]
  }),
  'mitmproxy dump': mitmproxy(signed),
  'CloudWatch and Cloud Logging': `START RequestId: a\n${new Date().toISOString()}\ta\tINFO\t${json(event)}\nEND RequestId: a\n`
}

test.each(FORMATS)('a file of the format $name is read, with its body: $hasBody', async ({ name, hasBody }) => {
  const { code } = await explain(FILES[name])
  expect(code).toBe(hasBody === 'no' ? 2 : 0)
})

test.each<[name: string, file: string | Buffer]>([
  ["one request of ngrok's inspector", json(NGROK.requests[0])],
  ['two flows of mitmproxy', Buffer.concat([mitmproxy(signed), mitmproxy(signed)])],
  ['JSON of Lambda', json({ timestamp: new Date(), level: 'INFO', requestId: 'a', message: event })],
  [
    'filter-log-events of CloudWatch',
    json({
      events: [
        { timestamp: 1, message: 'START' },
        { timestamp: 2, message: `a\tINFO\t${json(event)}\n` }
      ]
    })
  ],
  ['Cloud Logging', json([{ insertId: 'a', jsonPayload: event, timestamp: new Date() }])],
  ['text of Cloud Logging', json([{ insertId: 'a', textPayload: json(event), timestamp: new Date() }])]
])('a capture is verified: %s', async (_, file) => {
  const { code, stdout } = await explain(file)
  expect([stdout.split('\n')[0], code]).toEqual([expect.stringMatching(/^verified: /), 0])
})

test('wrangler tail has no body, and explain says so', async () => {
  const line = json({
    outcome: 'ok',
    logs: [],
    eventTimestamp: Date.now(),
    event: { request: { method: 'POST', url, headers } }
  })
  const { code, text } = await explain(line)
  expect([code, text]).toEqual([2, expect.stringContaining('the capture does not have the body; --body FILE gives it')])
})

test('a note says that Hookdeck has no method', async () => {
  const { stderr } = await explain(json({ data: { path: '/', parsed_query: {}, headers, body: null } }))
  expect(stderr).toContain('method')
})

test('a damaged dump of mitmproxy is a mistake, and its values are bounded', async () => {
  const file = mitmproxy(signed)
  for (const length of [20, 100, file.length - 1]) expect((await explain(file.subarray(0, length))).code).toBe(64)
  const many = tnetstring({ type: 'http', list: Array(300_001).fill(null) })
  expect((await explain(many)).stderr).toContain('more than 300,000')
})

test('the address of an inspector is asked for its request list', async () => {
  const asked: (string | undefined)[] = []
  const server = createServer((req, res) => {
    asked.push(req.url)
    res.end(json(NGROK))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  for (const path of ['', '/inspect/http', '/api/requests/http?limit=1']) {
    expect((await runInside([...EXPLAIN, `http://127.0.0.1:${port}${path}`])).code).toBe(0)
  }
  expect(asked).toEqual(['/api/requests/http', '/api/requests/http', '/api/requests/http?limit=1'])
})

test('a redirect of an inspector is not followed', async () => {
  const server = createServer((_, res) => void res.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()).listen(
    0,
    '127.0.0.1'
  )
  onTestFinished(() => void server.close())
  await new Promise(resolve => server.once('listening', resolve))
  const { code, stderr } = await runInside([...EXPLAIN, `http://localhost:${(server.address() as AddressInfo).port}/`])
  expect([code, stderr]).toEqual([64, expect.stringContaining('302')])
})

test.each([
  'http://192.0.2.1:4040/',
  'https://127.0.0.1:4040/',
  'http://127.0.0.1.example/',
  'http://127.0.0.1@example.com/',
  'http://user:password@127.0.0.1:4040/',
  'http://[::2]/'
])('nothing is fetched from %s', async address => {
  const { code, stderr } = await runInside([...EXPLAIN, address])
  expect([code, stderr]).toEqual([64, expect.stringContaining('on this machine alone')])
})

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

/** A time at which the request of these files is too old, unless the file says when it came. */
const OLD = new Date(Date.now() - 86_400_000)
const old = service.sign({ method: 'POST', target: '/hook?a=b', body: BODY, date: OLD })
const oldHeaders = Object.fromEntries(old.headers)
const utc = OLD.toISOString().slice(0, 19).replace('T', ' ')
const inPostman = (request: unknown) => json({ info: { name: 'a' }, item: [{ name: 'b', request }] })

// The members are those that the programs write, also those that are not read.
test.each<[name: string, file: string]>([
  [
    'a request of Hookdeck, which came before the event was created',
    json({
      ...{ id: 'req_1', team_id: 'tm_1', verified: null, original_event_data_id: 'a', rejection_cause: null },
      ...{ ingested_at: OLD, created_at: new Date(), updated_at: new Date(), source_id: 'src_1', events_count: 1 },
      data: {
        ...{ path: '/hook', query: 'a=b', parsed_query: { a: 'b' }, body: BODY, is_large_payload: false },
        headers: { ...oldHeaders, 'x-empty': null }
      }
    })
  ],
  [
    'a list of Hookdeck, with headers as text',
    json({
      pagination: { order_by: 'created_at', dir: 'desc', limit: 100 },
      count: 1,
      models: [
        {
          ...{ id: 'evt_1', webhook_id: 'web_1', request_id: 'req_1', status: 'FAILED', created_at: OLD },
          data: { path: '/hook', query: 'a=b', parsed_query: null, headers: json(oldHeaders), body: BODY }
        }
      ]
    })
  ],
  [
    'the list of webhook.site, with its time in UTC',
    json({
      data: [
        {
          ...{ uuid: 'a', type: 'web', token_id: 'b', team_id: null, ip: '192.0.2.1', hostname: 'receiver.example' },
          ...{ method: 'POST', user_agent: null, content: BODY, query: { a: 'b' }, url, size: 10, files: [] },
          headers: Object.fromEntries(old.headers.map(([name, value]) => [name.toLowerCase(), [value]])),
          ...{ created_at: utc, updated_at: utc, custom_action_output: [], custom_action_errors: [], time: 0.001 }
        }
      ],
      ...{ total: 1, per_page: 50, current_page: 1, is_last_page: true, from: 1, to: 1 }
    })
  ],
  [
    "Svix Play's history, with its time",
    json({
      iterator: 'a',
      data: [
        {
          ...{ id: 'a', url: '/hook?a=b', method: 'POST', createdAt: OLD, headers: oldHeaders },
          ...{ body: Buffer.from(BODY).toString('base64'), response: { statusCode: 200 } }
        }
      ]
    })
  ],
  [
    'an event of API Gateway (HTTP API), with its time',
    json({
      ...event,
      headers: oldHeaders,
      requestContext: { ...event.requestContext, timeEpoch: OLD.getTime() }
    })
  ],
  [
    'an event of API Gateway (REST API), with its time',
    json({
      ...{ resource: '/hook', path: '/hook', httpMethod: 'POST', headers: oldHeaders, body: BODY },
      ...{ queryStringParameters: { a: 'b' }, multiValueQueryStringParameters: { a: ['b'] }, isBase64Encoded: false },
      requestContext: { path: '/hook', httpMethod: 'POST', requestTimeEpoch: OLD.getTime(), stage: 'a' }
    })
  ]
])('a capture is judged by its own time: %s', async (_, file) => {
  const { code, stdout } = await explain(file)
  expect([stdout.split('\n')[0], code]).toEqual([expect.stringMatching(/^verified: /), 0])
})

test.each<[name: string, file: string]>([
  [
    'Postman: a URL in parts, and headers as text',
    inPostman({
      method: 'POST',
      header: signed.headers.map(line => line.join(': ')).join('\n'),
      url: {
        ...{ protocol: 'https', host: ['receiver', 'example'], path: ['hook'] },
        query: [
          { key: 'a', value: 'b' },
          { key: 'c', value: 'd', disabled: true }
        ]
      },
      body: { mode: 'raw', raw: BODY, options: { raw: { language: 'json' } } }
    })
  ],
  [
    'Insomnia: the query in parameters, and a header that is off',
    json({
      ...{ _type: 'export', __export_format: 4, __export_source: 'insomnia.desktop.app:v9.3.3' },
      resources: [
        {
          ...{ _id: 'req_1', _type: 'request', parentId: 'wrk_1', name: 'a', method: 'POST' },
          url: 'https://receiver.example/hook',
          parameters: [
            { id: 'pair_1', name: 'a', value: 'b', disabled: false },
            { id: 'pair_2', name: 'c', value: 'd', disabled: true }
          ],
          headers: [
            ...signed.headers.map(([name, value]) => ({ name, value })),
            { name: 'X', value: '', disabled: true }
          ],
          body: { mimeType: 'application/json', text: BODY }
        }
      ]
    })
  ],
  [
    'Logs Insights of CloudWatch',
    json({
      status: 'Complete',
      results: [
        [
          { field: '@timestamp', value: '2026-11-28 06:10:28.000' },
          { field: '@message', value: `a\tINFO\t${json(event)}\n` }
        ]
      ]
    })
  ],
  ['aws logs tail', `2026-11-28T06:10:28.123000+00:00 2026/11/28/[$LATEST]0a ${json(event)}\n`],
  ['Cloud Logging, with the request in its message', json([{ insertId: 'a', jsonPayload: { message: json(event) } }])],
  ['objects of wrangler, each in several lines', `${JSON.stringify({ logs: [] }, null, 2)}\n${json(event)}`]
])('a capture is verified: %s', async (_, file) => {
  const { code, stdout } = await explain(file)
  expect([stdout.split('\n')[0], code]).toEqual([expect.stringMatching(/^verified: /), 0])
})

const hookSeven = service.sign({ method: 'POST', target: '/hook/7?a=b', body: BODY })
const inCollection = (request: unknown, more: object = {}) =>
  json({ info: { name: 'a' }, ...more, item: [{ name: 'b', request, response: [] }] })
const posted = (url: unknown, { headers: lines } = signed) => ({
  ...{ method: 'POST', url, body: { mode: 'raw', raw: BODY } },
  header: lines.map(([key, value]) => ({ key, value, type: 'text' }))
})
const QUERY = [{ key: 'a', value: 'b' }]
const insomnia = (request: object, { headers: lines } = signed, ...more: object[]) =>
  json({
    ...{ _type: 'export', __export_format: 4 },
    resources: [
      ...more,
      {
        ...{ _type: 'request', method: 'POST', body: { mimeType: 'application/json', text: BODY } },
        headers: lines.map(([name, value]) => ({ name, value })),
        ...request
      }
    ]
  })

test.each<[name: string, file: string]>([
  [
    'Postman: host and path as text',
    inCollection(posted({ protocol: 'https', host: 'receiver.example', path: '/hook', query: QUERY }))
  ],
  [
    'Postman: a port',
    inCollection(posted({ host: ['receiver', 'example'], port: '443', path: ['hook'], query: QUERY }))
  ],
  [
    'Postman: a parameter of the path',
    inCollection(
      posted({ raw: 'https://receiver.example/hook/:id?a=b', variable: [{ key: 'id', value: '7' }] }, hookSeven)
    )
  ],
  [
    'Postman: variables of the collection',
    inCollection(posted('{{base}}/hook?a=b'), {
      variable: [
        { key: 'base', value: 'https://{{host}}' },
        { key: 'host', value: 'receiver.example' }
      ]
    })
  ],
  [
    'Postman: the request of a saved example alone',
    json({
      info: { name: 'a' },
      item: [{ name: 'b', response: [{ name: 'c', originalRequest: posted({ raw: url }) }] }]
    })
  ],
  [
    'Insomnia: variables of the environments',
    insomnia(
      { url: '{{ _.base_url }}/hook?a=b' },
      signed,
      { _type: 'environment', data: { base_url: '{{ host }}', host: 'https://other.example' } },
      { _type: 'environment', data: { host: 'https://receiver.example' } }
    )
  ],
  [
    'Insomnia: a parameter of the path',
    insomnia({ url: 'https://receiver.example/hook/:id?a=b', pathParameters: [{ name: 'id', value: '7' }] }, hookSeven)
  ]
])('what a client would send is verified: %s', async (_, file) => {
  const { code, stdout } = await explain(file)
  expect([stdout.split('\n')[0], code]).toEqual([expect.stringMatching(/^verified: /), 0])
})

test('variables that name each other end, and so do long ones', async () => {
  const pairs = [
    { key: 'a', value: '{{b}}{{b}}' },
    { key: 'b', value: '{{a}}{{a}}' },
    { key: 'long', value: '{{long}}'.repeat(10_000) }
  ]
  for (const name of ['a', 'long']) {
    const { code } = await explain(inCollection(posted(`https://receiver.example/{{${name}}}`), { variable: pairs }))
    expect(code).toBe(1)
  }
})

test("a body of which ngrok's inspector has only the beginning is not judged", async () => {
  const beginning = Buffer.from(headOf(signed) + BODY.slice(0, 5)).toString('base64')
  const { code, text } = await explain(json({ requests: [{ request: { raw: beginning } }] }))
  expect([code, text]).toEqual([2, expect.stringContaining('has the first 5 of 10 bytes of the body')])
})

test.each<[name: string, file: string, says: string]>([
  ['an inspector of ngrok without requests', json({ uri: '/api/requests/http', requests: [] }), 'no requests yet'],
  [
    'httpRequest of Cloud Logging',
    json([{ insertId: 'a', httpRequest: { requestMethod: 'POST', requestUrl: url, status: 401 } }]),
    'httpRequest of Cloud Logging has no headers'
  ],
  ['YAML of gcloud', `---\ninsertId: a\njsonPayload:\n  url: ${url}\n`, '--format json'],
  ['a CSV of CloudWatch', '"@timestamp","@message"\n"2026-11-28","{""rawPath"":""/""}"\n', 'as JSON']
])('explain says what to capture instead of %s', async (_, file, says) => {
  const { code, stderr } = await explain(file)
  expect([code, stderr]).toEqual([64, expect.stringContaining(says)])
})

test('a note says that Cloudflare has redacted a part of the URL or a header', async () => {
  const request = { method: 'POST', url: `${url}&id=REDACTED`, headers: { ...headers, 'x-key': 'REDACTED' } }
  const { stderr } = await explain(json({ eventTimestamp: Date.now(), event: { request } }))
  expect(stderr).toMatch(/REDACTED/)
})

test('a collection of Insomnia 5 is YAML: explain says what to export instead', async () => {
  const { code, stderr } = await explain('type: collection.insomnia.rest/5.0\nname: a\ncollection:\n  - url: a\n')
  expect([code, stderr]).toEqual([64, expect.stringContaining('export it as HAR')])
})

test('wrangler tail has no body, and explain says so', async () => {
  const line = json({
    outcome: 'ok',
    logs: [],
    eventTimestamp: Date.now(),
    event: { request: { method: 'POST', url, headers } }
  })
  const { code, text } = await explain(line)
  expect([code, text]).toEqual([
    2,
    expect.stringContaining('the capture does not have the body; pass it with --body FILE')
  ])
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
  expect([code, stderr]).toEqual([64, expect.stringContaining('only from an inspector on this machine')])
})

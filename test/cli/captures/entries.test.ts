import { describe, expect, test } from 'vitest'
import { assertWithin, completeEntry } from '../../../cli/captures/capture.ts'
import { chooseEntry } from '../../../cli/captures/choose-entry.ts'
import { NOT_A_CAPTURE, readCapture } from '../../../cli/captures/read-capture.ts'
import type { SignRequest } from '../../../src/testing/index.ts'
import { explain, headOf } from '../../support/explain.ts'
import { service, withHeaders } from '../../support/service.ts'

/** Writes a signed request as a JSON export has it, with some members changed. */
function exportOf(request: SignRequest, members: object = {}): string {
  const { method, target, headers } = service.sign(request)
  return JSON.stringify({ method, url: target, headers, ...members })
}
const UNSIGNED = { headers: [['Host', 'receiver.example']] }

describe('several requests in one file', () => {
  const file = `[${exportOf({}, UNSIGNED)},${exportOf({ target: '/two' })},${exportOf({ target: '/three' })}]`
  const note = (entry: number, all: number) =>
    `note: this is request ${entry} of ${all} in the file: --entry N chooses another\n`

  test('the first that is signed is chosen of several requests, and a note says that there are more', async () => {
    expect(await explain(file)).toMatchObject({ code: 0, stderr: note(2, 3) })
  })

  test('--entry chooses the one of several requests that is asked for', async () => {
    expect(await explain(file, '--entry', '3')).toMatchObject({ code: 0, stderr: '' })
    const first = await explain(file, '--entry', '1')
    expect(first).toMatchObject({ code: 1, stdout: expect.stringContaining('signature-missing') })
  })

  const ABSENT = ['0', '4', '1.5', '-1', 'x', '99999999999'].map(entry => `--entry=${entry}`)

  test.each([...ABSENT, '--vector=one'])(
    '%s chooses none of the requests of the file, and the message says which it has',
    async flag => {
      const stderr = 'signed-requests: the file has no such request: it has requests 1 to 3\n'
      expect(await explain(file, flag)).toMatchObject({ code: 64, stdout: '', stderr })
    }
  )

  const request = { method: 'A', target: '/', headers: [], https: true }
  const vectors = ['a', 'b'].map(name => ({ name, request: { ...request, target: `/${name}` } }))
  const all = readCapture(Buffer.from(JSON.stringify({ vectors })))

  test('a vector is chosen by its name, and all names are listed where there is no such vector', () => {
    expect(chooseEntry(all, { vector: 'b' })).toMatchObject({ chosen: { request: { target: '/b' } }, notes: [] })
    const says = /^the file has no such request: it has requests 1 to 2, the vectors a, b$/
    expect(() => chooseEntry(all, { vector: 'c' })).toThrow(says)
    expect(() => chooseEntry(all, { entry: '2', vector: 'b' })).toThrow(says)
  })

  test('the note on several requests names the flags that choose another', () =>
    expect(chooseEntry(all, {}, '--x').notes).toEqual(['this is request 1 of 2 in the file: --x chooses another']))

  test('a request with Signature-Input alone counts as signed when the first that is signed is chosen', () => {
    const signed = { ...all[0]!, request: { ...all[0]!.request, headers: [['Signature-Input', 'a']] as const } }
    expect(chooseEntry([...all, signed], {}).chosen).toEqual(completeEntry(signed))
  })

  test('the first of several requests is chosen when none is signed', async () => {
    const unsigned = `[${exportOf({}, UNSIGNED)},${exportOf({}, UNSIGNED)}]`
    expect(await explain(unsigned)).toMatchObject({ code: 1, stderr: note(1, 2) })
  })
})

describe('what a JSON export does not say', () => {
  test.each<[situation: string, target: string, members: object]>([
    ['dots, escapes and a fragment', '/a%2Fb/../c?x=%20', { url: 'https://receiver.example/a%2Fb/../c?x=%20#part' }],
    ['a URL without a path', '/', { url: 'https://receiver.example' }],
    ['a URL with a query and no path', '/?x=1', { url: 'https://receiver.example?x=1' }],
    ['a URL with a user and a port', '/a//b', { url: 'HTTPS://user@receiver.example:443/a//b' }],
    ['a query of its own', '/a?id=42&b=2', { url: undefined, path: '/a', query: 'id=42&b=2' }],
    ['a query with its question mark', '/a?id=42&b=2', { url: undefined, path: '/a', query: '?id=42&b=2' }],
    ['a query that the URL has, too', '/a?id=42&b=2', { query: 'id=42&b=2' }],
    ['a query that a framework parsed', '/a?id=42&b=x&b=y', { url: '/a', query: { id: '42', b: ['x', 'y'] } }],
    ['a mounted Express router', '/hook', { url: '/', originalUrl: '/hook' }],
    ['a target and all other names', '/hook', { path: '/c', url: '/b', originalUrl: '/a', target: '/hook' }],
    ['a path beside a URL', '/hook', { path: '/c', url: '/hook' }],
    ['a query that is a number', '/hook', { url: '/hook', query: 1 }],
    ['an empty query', '/hook', { url: '/hook', query: {} }]
  ])('a JSON export has its target in %s, and the target is never rebuilt', async (what, target, members) => {
    const stderr = what === 'a query that a framework parsed' ? expect.stringContaining('the query was parsed') : ''
    expect(await explain(exportOf({ target }, members))).toMatchObject({ code: 0, stderr })
  })

  test('Host is taken from the URL of a JSON export when its headers do not have it', async () => {
    const { headers } = withHeaders(service.sign({ target: '/a' }), { Host: undefined })
    const file = (scheme: string) => exportOf({}, { url: `${scheme}://receiver.example/a`, headers })
    expect((await explain(file('https'))).code).toBe(0)
    expect((await explain(file('http'))).stdout).toMatch(/^rejected: https\n/)
    const [entry] = readCapture(Buffer.from(file('HTTP').replace('receiver.example/a', 'a@b:c@receiver.example/a')))
    expect(entry!.request).toMatchObject({ https: false, target: '/a' })
    expect([...entry!.request.headers][0]).toEqual(['Host', 'receiver.example'])
  })

  const read = (members: object, given: object = { method: 'A', url: '/', headers: [] }) => {
    const [entry] = readCapture(Buffer.from(JSON.stringify({ ...given, ...members }))).map(completeEntry)
    const { body } = entry!.request
    return { ...entry, ...entry!.request, body: body instanceof Uint8Array ? Buffer.from(body).toString() : body }
  }

  test.each<[members: object, expected: object]>([
    [{}, { method: 'A', target: '/', headers: [], https: true, body: null, missingBody: undefined, notes: [] }],
    ...['rawBody', 'bodyRaw', 'content', 'body', 'payload', 'data', 'text'].map((name, i, all): [object, object] => [
      { ...Object.fromEntries(all.slice(i + 1).map(later => [later, 'later'])), [name]: 'b' },
      { body: 'b' }
    ]),
    [{ rawBody: null, text: 'b' }, { body: 'b' }],
    ...['encoding', 'bodyEncoding', 'contentEncoding'].map((name): [object, object] => [
      { [name]: 'base64', body: 'YQ==' },
      { body: 'a' }
    ]),
    [{ isBase64Encoded: true, body: 'YQ==' }, { body: 'a' }],
    [{ isBase64Encoded: 'true', encoding: 'x', body: 'YQ==' }, { body: 'YQ==' }],
    [{ postData: { text: 'YQ==', encoding: 'base64' } }, { body: 'a' }],
    [{ postData: 'x', body: { type: 'Buffer', data: [97] } }, { body: 'a' }],
    [
      { body: { type: 'Buffer', data: 'a' } },
      { missingBody: 'the capture has only the parsed body, not its bytes as sent' }
    ],
    [{ body: { type: 'B', data: [97] } }, { missingBody: expect.stringContaining('parsed') }],
    [{ body: 1 }, { missingBody: expect.stringContaining('parsed') }],
    [{ https: false }, { https: false }],
    [{ https: 'false' }, { https: true }],
    [
      { url: 'http://a', https: true },
      { https: true, headers: [['Host', 'a']] }
    ],
    [
      { url: 'https://a/b', headers: { ':authority': 'c', ':path': '/d', ':scheme': 'x', ':method': 'B' } },
      { method: 'A', target: '/d', headers: [['Host', 'c']] }
    ],
    [{ url: 'https://a/b', headers: { HOST: 'c' } }, { headers: [['HOST', 'c']] }],
    [
      { headers: [{ name: 'a', value: 'b' }, { key: 'c', value: ['d', 1] }, ['e', true]] },
      {
        headers: [
          ['a', 'b'],
          ['c', 'd'],
          ['c', '1'],
          ['e', 'true']
        ]
      }
    ],
    [{ startedDateTime: '2026-01-02T03:04:05Z' }, { target: '/' }],
    [{ query: '' }, { target: '/' }],
    [{ url: undefined, path: 1, target: '/t' }, { target: '/t' }]
  ])('a JSON export is read with its members: %j', (members, expected) => expect(read(members)).toMatchObject(expected))

  test.each<[headers: unknown, name: string]>([
    [[null], 'undefined'],
    [[1], 'undefined'],
    [{ a: null }, 'a'],
    [{ a: [['b']] }, 'a'],
    [{ a: {} }, 'a'],
    [[['a']], 'a'],
    [[['a', 'b', 'c']], 'a'],
    [[[1, 'b']], '1'],
    [{ ['a'.repeat(61)]: null }, 'a'.repeat(60)]
  ])('a JSON export with the headers %j is a mistake', (headers, name) =>
    expect(() => read({ headers })).toThrow(
      `the header ${name} is not text: headers must be an object of names and values, pairs, or { name, value } (of`
    )
  )

  test('a JSON export is read wherever it stands, with its time', () => {
    const all = (value: unknown) => {
      try {
        return readCapture(Buffer.from(JSON.stringify(value))).map(({ request, time }) => [request.target, time])
      } catch (error) {
        return String(error)
      }
    }
    const one = { method: 'A', url: '/a', headers: {} }
    const startedDateTime = '2026-01-02T03:04:05Z'
    const time = Date.parse(startedDateTime)
    expect(all({ log: { entries: [{ startedDateTime, request: one }, { request: one }] } })).toEqual([
      ['/a', time],
      ['/a', undefined]
    ])
    expect(all({ data: [{ req: one }, 1, null] })).toEqual([['/a', undefined]])
    expect(all({ data: one })).toEqual([['/a', undefined]])
    for (const other of [
      { logs: { entries: [one] } },
      { log: { entry: [one] } },
      [[one]],
      { ...one, method: 1 },
      { ...one, url: 1 }
    ])
      expect(all(other)).toContain(NOT_A_CAPTURE)
    for (const headers of ['a', 1]) expect(all({ ...one, headers })).toContain(NOT_A_CAPTURE)
  })

  test.each<[context: object, expected: object]>([
    [{ request: { https: false } }, { https: false, options: {} }],
    [{ dns: {} }, { options: {}, name: undefined, notes: [] }],
    [{ options: { hosts: 'a' } }, { options: { hosts: 'a' } }],
    [{ verdict: {} }, { options: {} }],
    [{ now: '2026-01-02' }, { options: {} }],
    [
      { now: '2026-01-02', name: 'n', note: 'a\u001b' },
      { name: 'n', notes: ['in the fixture: a\\x1b'] }
    ],
    [{ now: '2026-01-02', note: 1 }, { notes: [] }],
    [{ nothing: 1, method: 'A', url: '/x', headers: {} }, { target: '/x' }],
    [
      { now: '2026-01-02', request: { body: { utf8: 'a', length: 9 } } },
      { missingBody: 'the fixture has only the beginning of the body, which had 9 bytes' }
    ],
    [
      { options: { maxBodyBytes: 9 }, request: { body: { utf8: 'a', length: 9 } } },
      { missingBody: expect.any(String) }
    ],
    [{ options: { maxBodyBytes: 8 }, request: { body: { utf8: 'a', length: 9 } } }, { missingBody: undefined }],
    [
      { now: '2026-01-02', request: { body: { utf8: 'a' } } },
      { missingBody: undefined, body: 'a' }
    ],
    [{ now: '2026-01-02', request: { headers: [['Digest', 'a']], body: { error: 'E' } } }, { missingBody: undefined }]
  ])(
    'a fixture is known by its context, and has its own: %j',
    ({ request, ...context }: { request?: object }, expected) => {
      const given = { method: 'A', target: '/', url: '/', headers: [], ...request }
      expect(read({ request: given, ...context }, {})).toMatchObject(expected)
    }
  )

  test.each<[vectors: unknown]>([[[]], [{}], [null]])('a fixture with the vectors %j is a mistake', vectors =>
    expect(() => read({ vectors }, {})).toThrow('the fixture has no vectors')
  )

  test.each<[unit: Parameters<typeof assertWithin>[0], most: number, text: string]>([
    ['JSON values', 300_000, '300,000'],
    ['levels of nested JSON', 200, '200'],
    ['characters before the body', 4_194_304, '4,194,304'],
    ['header lines', 250_000, '250,000'],
    ['chunks', 250_000, '250,000'],
    ['parts of a command', 1_000_000, '1,000,000']
  ])('a capture may have many %s, and one more is a mistake', (unit, most, text) => {
    expect(() => assertWithin(unit, most)).not.toThrow()
    const says = `the file has more than ${text} ${unit}: save the one request in a file of its own`
    expect(() => assertWithin(unit, most + 1)).toThrow(says)
  })

  test.each(['{"id":1,"tags":["a","b"]}', '{"id": 1, "tags": ["a", "b"]}', '{"id":1,"tags":["a","b"]}\n'])(
    'the bytes of a parsed body are found when a serializer writes them: %j',
    async body => {
      const { code, stderr } = await explain(exportOf({ body }, { body: JSON.parse(body) }))
      expect([code, stderr]).toEqual([0, expect.stringContaining('these are the bytes that were signed')])
    }
  )

  test('--prefix restores the part of the path that a proxy stripped', async () => {
    const file = exportOf({ target: '/hooks/a?b' }, { url: '/a?b' })
    expect((await explain(file, '--prefix', '/hooks')).code).toBe(0)
    expect((await explain(file)).stdout).toMatch(/^rejected: signature\n/)
    expect((await explain(file, '--prefix', 'brand-')).code).toBe(64)
  })
})

describe('what copying does to a capture', () => {
  const file = `${headOf(service.sign({ target: '/hook', body: '{"id":1}' }))}{"id":1}`

  test('a line that was wrapped when it was copied is the first cause of a malformed request', async () => {
    const { code, text } = await explain(file.replace(/(Signature: .{60})/, '$1\n'))
    expect(text).toContain(': a line of the capture was wrapped when it was copied')
    expect(code).toBe(1)
  })

  test('a capture without the body that was signed is the first cause of a wrong digest', async () => {
    const covered = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
    const signed = withHeaders(service.sign({ body: '{"id":1}', covered }), { 'Content-Length': '0' })
    const { code, text } = await explain(headOf(signed))
    expect(text).toContain(': the capture has no body, but the request had one')
    expect(code).toBe(1)
  })

  test('a note says that a signature is redacted', async () => {
    const { stderr } = await explain(file.replace(/signature="[^"]*"/, 'signature="***"'))
    expect(stderr).toBe('note: Signature looks redacted or edited; copy it from a place that shows all of it\n')
  })

  const editedOf = (value: string) => {
    const all = readCapture(Buffer.from(JSON.stringify({ method: 'A', url: '/', headers: [['\x1bX', value]] })))
    return chooseEntry(all, {}).edited
  }
  const EDITED = ['a***', '[REDACTED]', 'a redacted b', 'a [Filtered] b', 'a=&quot;b', '\u201c', '\u201d']

  test.each([...EDITED, '\xe2\x80\x9c', '\xe2\x80\x9d'])('a value is taken for an edited one: %j', value =>
    expect(editedOf(value)).toEqual(['\\x1bX looks redacted or edited; copy it from a place that shows all of it'])
  )

  test.each(['**', '[filter]', 'filtered', 'redact', '&quot', '"', '\u2019', '\xe2\x80\x99'])(
    'a value is not taken for an edited one when it is only similar: %j',
    value => expect(editedOf(value)).toEqual([])
  )
})

describe('the event of a load balancer', () => {
  const event = (forwarded: string | undefined) => {
    const { method, target, headers } = service.sign({ target: '/hook' })
    const all = { ...Object.fromEntries(headers), 'x-forwarded-proto': forwarded }
    const requestContext = { elb: { targetGroupArn: 'arn' } }
    return JSON.stringify({ httpMethod: method, path: target, headers: all, requestContext, body: '' })
  }

  test('the event of a load balancer counts as HTTPS where its header says so, and a note says that', async () => {
    const stderr = 'note: X-Forwarded-Proto of the load balancer is https, so the request counts as HTTPS\n'
    expect(await explain(event('https'))).toMatchObject({ code: 0, stderr })
    expect((await explain(event('https'), '--http')).stdout).toMatch(/^rejected: https\n/)
  })

  test.each([undefined, 'http', 'https, http', 'HTTPS'])(
    'the event of a load balancer does not count as HTTPS where its header says %j',
    async forwarded => {
      const { code, stdout, stderr } = await explain(event(forwarded))
      expect([code, stderr]).toEqual([1, ''])
      expect(stdout).toMatch(/^rejected: https\n/)
    }
  )

  test('explain says that the load balancer itself says http, and does not advise to count it as HTTPS', async () => {
    const { text } = await explain(event('http'))
    expect(text).toContain('FAIL  https             not-https: the request did not arrive over HTTPS; header')
    const advice = text.slice(text.indexOf('not-https')).replace(/\s+/g, ' ')
    expect(advice).toContain('X-Forwarded-Proto says http: the sender used http, or a proxy in front of yours ends TLS')
    expect(advice).not.toContain('--https')
  })
})

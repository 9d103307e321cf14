import { describe, expect, test } from 'vitest'
import { assertWithin } from '../../../cli/captures/capture.ts'
import { chooseEntry, ENTRY_FLAG } from '../../../cli/captures/choose-entry.ts'
import { readCapture } from '../../../cli/captures/read-capture.ts'
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

  test('chooses the first that is signed, and says that there are more', async () => {
    expect(await explain(file)).toMatchObject({ code: 0, stderr: note(2, 3) })
  })

  test('chooses the one that is asked for', async () => {
    expect(await explain(file, '--entry', '3')).toMatchObject({ code: 0, stderr: '' })
    const first = await explain(file, '--entry', '1')
    expect(first).toMatchObject({ code: 1, stdout: expect.stringContaining('signature-missing') })
  })

  const ABSENT = ['0', '4', '1.5', '-1', 'x', '99999999999'].map(entry => `--entry=${entry}`)

  test.each([...ABSENT, '--vector=one'])('%s is not in the file', async flag => {
    const stderr = 'signed-requests: the file has no such request: it has requests 1 to 3\n'
    expect(await explain(file, flag)).toMatchObject({ code: 64, stdout: '', stderr })
  })

  test('chooses by the name of a vector, and names them all when there is no such vector', () => {
    const vectors = ['a', 'b'].map(name => ({
      name,
      request: { method: 'A', target: `/${name}`, headers: [], https: true }
    }))
    const all = readCapture(Buffer.from(JSON.stringify({ vectors })))
    expect(chooseEntry(all, { vector: 'b' })).toMatchObject({ chosen: { request: { target: '/b' } }, notes: [] })
    const says = /^the file has no such request: it has requests 1 to 2, the vectors a, b$/
    expect(() => chooseEntry(all, { vector: 'c' })).toThrow(says)
    expect(() => chooseEntry(all, { entry: '2', vector: 'b' })).toThrow(says)
    expect(chooseEntry(all, {}, '--x').notes).toEqual(['this is request 1 of 2 in the file: --x chooses another'])
    const signed = [
      ...all,
      { ...all[0]!, request: { ...all[0]!.request, headers: [['Signature-Input', 'a']] as const } }
    ]
    expect(chooseEntry(signed, {}).chosen).toBe(signed[2])
  })

  test('the flag that chooses is described', () =>
    expect(ENTRY_FLAG).toEqual({
      ...{ flag: 'entry', kind: 'text', value: 'N' },
      ...{ about: 'which request of the file, from 1', fallback: 'the first that is signed' }
    }))

  test('chooses the first when none is signed', async () => {
    const unsigned = `[${exportOf({}, UNSIGNED)},${exportOf({}, UNSIGNED)}]`
    expect(await explain(unsigned)).toMatchObject({ code: 1, stderr: note(1, 2) })
  })

  test('several heads of curl -v are several requests', async () => {
    const sent = (target: string) => {
      const head = headOf(service.sign({ target })).replace(/^(?=.)/gm, '> ')
      return head.replace(/\r\n$/, '>\r\n< HTTP/1.1 200 OK\r\n')
    }
    expect(await explain(sent('/a') + sent('/b'), '--entry=2')).toMatchObject({ code: 0, stderr: '' })
  })

  test('the second right behind the body of the first', async () => {
    const one = `${headOf(service.sign({ body: '{"id":1}' }))}{"id":1}`
    expect(await explain(one + one)).toMatchObject({ code: 0, stderr: note(1, 2) })
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
  ])('takes the target from %s, and never rebuilds it', async (_, target, members) => {
    expect(await explain(exportOf({ target }, members))).toMatchObject({ code: 0, stderr: '' })
  })

  test('takes Host from the URL when the headers do not have it', async () => {
    const { headers } = withHeaders(service.sign({ target: '/a' }), { Host: undefined })
    const file = (scheme: string) => exportOf({}, { url: `${scheme}://receiver.example/a`, headers })
    expect((await explain(file('https'))).code).toBe(0)
    expect((await explain(file('http'))).stdout).toMatch(/^rejected: https\n/)
    const [entry] = readCapture(Buffer.from(file('HTTP').replace('receiver.example/a', 'a@b:c@receiver.example/a')))
    expect(entry!.request).toMatchObject({ https: false, target: '/a' })
    expect([...entry!.request.headers][0]).toEqual(['Host', 'receiver.example'])
  })

  const read = (members: object, given: object = { method: 'A', url: '/', headers: [] }) => {
    const [entry] = readCapture(Buffer.from(JSON.stringify({ ...given, ...members })))
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
      { missingBody: 'the capture has the body parsed, and its bytes as sent are lost' }
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
      expect(all(other)).toContain('this is not a request in a supported format')
    for (const headers of ['a', 1]) expect(all({ ...one, headers })).toContain('this is not a request')
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

  test('says that a parsed body has lost its bytes', async () => {
    const { code, text, stderr } = await explain(exportOf({ body: '{ "id": 1 }' }, { body: { id: 1 } }))
    expect([code, stderr]).toEqual([2, ''])
    expect(text).toMatch(/^unavailable: the body is not in the capture; all else passed\n/)
    expect(text).toContain('not run: the capture has the body parsed, and its bytes as sent are lost')
  })

  test.each(['{"id":1,"tags":["a","b"]}', '{"id": 1, "tags": ["a", "b"]}', '{"id":1,"tags":["a","b"]}\n'])(
    'finds the bytes of a parsed body when a serializer writes them: %j',
    async body => {
      const { code, stderr } = await explain(exportOf({ body }, { body: JSON.parse(body) }))
      expect([code, stderr]).toEqual([0, expect.stringContaining('these are the bytes that were signed')])
    }
  )

  test('restores the part of the path that a proxy stripped', async () => {
    const file = exportOf({ target: '/hooks/a?b' }, { url: '/a?b' })
    expect((await explain(file, '--prefix', '/hooks')).code).toBe(0)
    expect((await explain(file)).stdout).toMatch(/^rejected: signature\n/)
    expect((await explain(file, '--prefix', 'brand-')).code).toBe(64)
  })
})

describe('what copying does to a capture', () => {
  const file = `${headOf(service.sign({ target: '/hook', body: '{"id":1}' }))}{"id":1}`

  test.each(['    ', '\t'])('takes a capture that is indented by %j', async indent => {
    const indented = file.replaceAll('\r\n', '\n').replace(/^/gm, indent)
    expect((await explain(indented)).code).toBe(0)
  })

  test('says that a line was wrapped, and does not speak of an attack first', async () => {
    const { code, text } = await explain(file.replace(/(Signature: .{60})/, '$1\n'))
    expect(text).toContain('likely cause: a line of the capture was wrapped when it was copied')
    expect(code).toBe(1)
  })

  test('says that the capture has no body, where the signed request had one', async () => {
    const covered = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
    const signed = withHeaders(service.sign({ body: '{"id":1}', covered }), { 'Content-Length': '0' })
    const { code, text } = await explain(headOf(signed))
    expect(text).toContain('likely cause: the capture has no body, and the request had one')
    expect(code).toBe(1)
  })

  test.each([
    ['***', (value: string) => value.replace(/signature="[^"]*"/, 'signature="***"')],
    ['[REDACTED]', () => '[REDACTED]'],
    ['&quot;', (value: string) => value.replaceAll('"', '&quot;')],
    ['[filtered]', () => 'a [Filtered] b'],
    ['redacted', () => 'a redacted b'],
    ['a curly quote', (value: string) => value.replace('"', '\u201c')],
    ['a closing curly quote', (value: string) => value.replace('"', '\u201d')]
  ])('says that a signature with %s is not as it was sent', async (_, edit) => {
    const { stderr } = await explain(file.replace(/(?<=^Signature: ).*$/m, edit))
    expect(stderr).toBe('note: Signature looks redacted or edited; take it from where it is whole\n')
  })
})

test('a value is not taken for an edited one when it is only similar, and a curly quote is seen in JSON, too', () => {
  const edited = (value: string) => {
    const all = readCapture(Buffer.from(JSON.stringify({ method: 'A', url: '/', headers: [['\x1bX', value]] })))
    return chooseEntry(all, {}).edited
  }
  for (const value of ['**', '[filter]', 'filtered', 'redact', '&quot', '"', '\u2019', '\xe2\x80\x99'])
    expect(edited(value)).toEqual([])
  for (const value of ['a***', '\u201c', '\u201d', '\xe2\x80\x9c', '\xe2\x80\x9d', 'REDACTED'])
    expect(edited(value)).toEqual(['\\x1bX looks redacted or edited; take it from where it is whole'])
})

describe('a JSON log', () => {
  const body = '{ "id": 1 }'
  const log = (members: object = {}) => exportOf({ target: '/hook', body }, { body, ...members })

  test.each([
    ['has one value a line', `{"msg":"started"}\n${log()}\n`],
    ['has the request under req', `{"level":30,"req":${log()}}`],
    ['has the request under request', `{"level":30,"request":${log()}}`],
    ['has the body as a Buffer', log({ body: Buffer.from(body) })]
  ])('a JSON log is read that %s', async (_, file) =>
    expect(await explain(file)).toMatchObject({ code: 0, stderr: '' })
  )
})

describe('the event of a load balancer', () => {
  const event = (forwarded: string | undefined) => {
    const { method, target, headers } = service.sign({ target: '/hook' })
    const all = { ...Object.fromEntries(headers), 'x-forwarded-proto': forwarded }
    const requestContext = { elb: { targetGroupArn: 'arn' } }
    return JSON.stringify({ httpMethod: method, path: target, headers: all, requestContext, body: '' })
  }

  test('counts as HTTPS where its header says so, and a note says that', async () => {
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
    const advice = text.slice(text.indexOf('likely cause')).replace(/\s+/g, ' ')
    expect(advice).toContain('X-Forwarded-Proto says http: the sender used http, or a proxy in front of yours ends TLS')
    expect(advice).not.toContain('--https')
  })
})

import { describe, expect, test } from 'vitest'
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
    ['a mounted Express router', '/hook', { url: '/', originalUrl: '/hook' }]
  ])('takes the target from %s, and never rebuilds it', async (_, target, members) => {
    expect(await explain(exportOf({ target }, members))).toMatchObject({ code: 0, stderr: '' })
  })

  test('takes Host from the URL when the headers do not have it', async () => {
    const { headers } = withHeaders(service.sign({ target: '/a' }), { Host: undefined })
    const file = (scheme: string) => exportOf({}, { url: `${scheme}://receiver.example/a`, headers })
    expect((await explain(file('https'))).code).toBe(0)
    expect((await explain(file('http'))).stdout).toMatch(/^rejected: https\n/)
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
    ['a curly quote', (value: string) => value.replace('"', '\u201c')]
  ])('says that a signature with %s is not as it was sent', async (_, edit) => {
    const { stderr } = await explain(file.replace(/(?<=^Signature: ).*$/m, edit))
    expect(stderr).toBe('note: Signature looks redacted or edited; take it from where it is whole\n')
  })
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

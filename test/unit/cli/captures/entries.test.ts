import { describe, expect, test } from 'vitest'
import { runInside } from '../../../support/run-cli.ts'
import { service } from '../../../support/service.ts'

const [RECORD] = Object.values(service.records).map(([record]) => record!.join(''))
const FLAGS = ['--domain', 'service.example', '--host', 'receiver.example', '--account', '1234']
const ARGS = ['explain', ...FLAGS, '--key-record', RECORD!]

const exportOf = (target: string, { isSigned = true } = {}) => {
  const { method, headers } = service.sign({ target })
  return { method, url: target, headers: isSigned ? headers : [['Host', 'receiver.example']] }
}

describe('several requests in one file', () => {
  const file = JSON.stringify([exportOf('/one', { isSigned: false }), exportOf('/two'), exportOf('/three')])

  test('chooses the first that is signed, and says that there are more', async () => {
    const { code, stderr } = await runInside(ARGS, file)
    expect([code, stderr]).toEqual([0, 'note: this is request 2 of 3 in the file: --entry N chooses another\n'])
  })

  test('chooses the one that is asked for', async () => {
    expect(await runInside([...ARGS, '--entry', '3'], file)).toMatchObject({ code: 0, stderr: '' })
    const first = await runInside([...ARGS, '--entry', '1'], file)
    expect(first).toMatchObject({ code: 1, stdout: expect.stringContaining('signature-missing') })
  })

  test.each(['0', '4', '1.5', '-1', 'x', '99999999999'])('--entry %s is not in the file', async entry => {
    expect(await runInside([...ARGS, `--entry=${entry}`], file)).toEqual({
      code: 64,
      stdout: '',
      stderr: 'signed-requests: the file has no such request: it has requests 1 to 3\n'
    })
  })

  test('has no vectors', async () => {
    const { code, stderr } = await runInside([...ARGS, '--vector', 'one'], file)
    expect([code, stderr]).toEqual([64, 'signed-requests: the file has no such request: it has requests 1 to 3\n'])
  })

  test('chooses the first when none is signed', async () => {
    const unsigned = JSON.stringify([exportOf('/a', { isSigned: false }), exportOf('/b', { isSigned: false })])
    const { code, stderr } = await runInside(ARGS, unsigned)
    expect([code, stderr]).toEqual([1, 'note: this is request 1 of 2 in the file: --entry N chooses another\n'])
  })

  test('several heads of curl -v', async () => {
    const head = (target: string) => {
      const { headers } = service.sign({ target })
      return [
        `> GET ${target} HTTP/1.1`,
        ...headers.map(pair => `> ${pair.join(': ')}`),
        '>',
        '< HTTP/1.1 200 OK',
        ''
      ].join('\r\n')
    }
    const { code, stderr } = await runInside([...ARGS, '--entry', '2'], head('/a') + head('/b'))
    expect([code, stderr]).toEqual([0, ''])
  })
})

describe('what a JSON export does not say', () => {
  test('splits a URL where its path begins, and never rebuilds it', async () => {
    for (const [url, target] of [
      ['https://receiver.example/a%2Fb/../c?x=%20#part', '/a%2Fb/../c?x=%20'],
      ['https://receiver.example', '/'],
      ['https://receiver.example?x=1', '/?x=1'],
      ['HTTPS://user@receiver.example:443/a//b', '/a//b']
    ]) {
      const { method, headers } = service.sign({ target: target! })
      const file = JSON.stringify({ method, url, headers })
      expect([url, (await runInside(ARGS, file)).code]).toEqual([url, 0])
    }
  })

  test('takes Host from the URL when the headers do not have it', async () => {
    const { method, headers } = service.sign({ target: '/a' })
    const others = headers.filter(([name]) => name !== 'Host')
    const file = JSON.stringify({ method, url: 'https://receiver.example/a', headers: others })
    expect((await runInside(ARGS, file)).code).toBe(0)
    const plain = JSON.stringify({ method, url: 'http://receiver.example/a', headers: others })
    expect((await runInside(ARGS, plain)).stdout).toMatch(/^rejected: https\n/)
  })

  test('says that a parsed body has lost its bytes', async () => {
    const { method, headers } = service.sign({ target: '/a', body: '{ "id": 1 }' })
    const file = JSON.stringify({ method, url: '/a', headers, body: { id: 1 } })
    const { code, stdout, stderr } = await runInside(ARGS, file)
    expect([code, stderr]).toEqual([2, ''])
    expect(stdout).toMatch(/^unavailable: the body is not in the capture; all else passed\n/)
    expect(stdout.replace(/\n {24}/g, ' ')).toContain(
      'not run: the capture has the body parsed, and its bytes as sent are lost'
    )
  })

  test.each(['{"id":1,"tags":["a","b"]}', '{"id": 1, "tags": ["a", "b"]}', '{"id":1,"tags":["a","b"]}\n'])(
    'finds the bytes of a parsed body when a serializer writes them: %j',
    async body => {
      const { method, headers } = service.sign({ target: '/a', body })
      const file = JSON.stringify({ method, url: '/a', headers, body: JSON.parse(body) })
      const { code, stderr } = await runInside(ARGS, file)
      expect([code, stderr]).toEqual([0, expect.stringContaining('these are the bytes that were signed')])
    }
  )

  test.each(['id=42&b=2', '?id=42&b=2'])('takes the query from a field of its own: %s', async query => {
    const { method, headers } = service.sign({ target: '/a?id=42&b=2' })
    const file = JSON.stringify({ method, path: '/a', query, headers })
    expect((await runInside(ARGS, file)).code).toBe(0)
    const whole = JSON.stringify({ method, url: '/a?id=42&b=2', query, headers })
    expect((await runInside(ARGS, whole)).code).toBe(0)
  })

  test('restores the part of the path that a proxy stripped', async () => {
    const { method, headers } = service.sign({ target: '/hooks/a?b' })
    const file = JSON.stringify({ method, url: '/a?b', headers })
    expect((await runInside([...ARGS, '--prefix', '/hooks'], file)).code).toBe(0)
    expect((await runInside(ARGS, file)).stdout).toMatch(/^rejected: signature\n/)
    expect((await runInside([...ARGS, '--prefix', 'brand-'], file)).code).toBe(64)
  })
})

describe('what copying does to a capture', () => {
  const { method, target, headers, body } = service.sign({ target: '/hook', body: '{"id":1}' })
  const head = `${method} ${target} HTTP/1.1\r\n${headers.map(line => line.join(': ')).join('\r\n')}\r\n\r\n`
  const file = head + Buffer.from(body).toString()

  test('finds the second request right behind the body of the first', async () => {
    const { stderr } = await runInside(ARGS, file + file)
    expect(stderr).toBe('note: this is request 1 of 2 in the file: --entry N chooses another\n')
  })

  test.each(['    ', '\t'])('takes a capture that is indented by %j', async indent => {
    const indented = file.replaceAll('\r\n', '\n').replace(/^/gm, indent)
    expect((await runInside(ARGS, indented)).code).toBe(0)
  })

  test('says that a line was wrapped, and does not speak of an attack first', async () => {
    const { code, stdout } = await runInside(ARGS, file.replace(/(Signature: .{60})/, '$1\n'))
    expect(stdout.replace(/\n {16}/g, ' ')).toContain(
      'likely cause: a line of the capture was wrapped when it was copied'
    )
    expect(code).toBe(1)
  })

  test('says that the capture has no body, where the signed request had one', async () => {
    const covered = ['(request-target)', 'host', 'date', 'x-service-id', 'digest']
    const signed = service.sign({ target: '/hook', body: '{"id":1}', covered })
    const lines = signed.headers.filter(([name]) => name !== 'Content-Length').map(line => line.join(': '))
    const bodyless = `POST /hook HTTP/1.1\r\n${lines.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`
    const { code, stdout } = await runInside(ARGS, bodyless)
    expect(stdout.replace(/\s+/g, ' ')).toContain('likely cause: the capture has no body, and the request had one')
    expect(code).toBe(1)
  })

  test.each([
    ['***', (value: string) => value.replace(/signature="[^"]*"/, 'signature="***"')],
    ['[REDACTED]', () => '[REDACTED]'],
    ['&quot;', (value: string) => value.replaceAll('"', '&quot;')],
    ['a curly quote', (value: string) => value.replace('"', '\u201c')]
  ])('says that a signature with %s is not as it was sent', async (_, edit) => {
    const edited = file.replace(/(?<=^Signature: ).*$/m, edit)
    expect((await runInside(ARGS, edited)).stderr).toBe(
      'note: Signature looks redacted or edited; take it from where it is whole\n'
    )
  })

  test.each([
    ['', /^signed-requests: the file is empty; what is read: /],
    [Buffer.from('d4c3b2a102000400', 'hex'), /^signed-requests: this is a pcap file: save what tcpdump -A/],
    [
      Buffer.from('\xd4\xc3\xb2\xa1..\nPOST /hook HTTP/1.1\r\nSignature: a\r\n\r\n', 'latin1'),
      /^signed-requests: this is a pcap file/
    ]
  ])('names a file of another kind: %j', async (content, says) => {
    expect((await runInside(ARGS, content)).stderr).toMatch(says)
  })
})

describe('a JSON log', () => {
  const { method, headers, body } = service.sign({ target: '/hook', body: '{ "id": 1 }' })
  const exported = { method, url: '/hook', headers, body: Buffer.from(body).toString() }

  test.each([
    ['has one value a line', `{"msg":"started"}\n${JSON.stringify(exported)}\n`],
    ['has the request under req', JSON.stringify({ level: 30, req: exported })],
    [
      'has the request under request',
      JSON.stringify({ level: 30, request: { ...exported, headers: Object.fromEntries(headers) } })
    ],
    ['has the body as a Buffer', JSON.stringify({ ...exported, body: Buffer.from(body) })],
    ['is of a mounted Express router', JSON.stringify({ ...exported, url: '/', originalUrl: '/hook' })]
  ])('%s', async (_, file) => expect(await runInside(ARGS, file)).toMatchObject({ code: 0, stderr: '' }))
})

describe('the event of a load balancer', () => {
  const event = (forwarded: string | undefined) => {
    const { method, target, headers } = service.sign({ target: '/hook' })
    const proto = forwarded === undefined ? {} : { 'x-forwarded-proto': forwarded }
    return JSON.stringify({
      httpMethod: method,
      path: target,
      headers: { ...Object.fromEntries(headers), ...proto },
      requestContext: { elb: { targetGroupArn: 'arn' } },
      body: '',
      isBase64Encoded: false
    })
  }

  test('counts as HTTPS where its header says so, and a note says that', async () => {
    expect(await runInside(ARGS, event('https'))).toMatchObject({
      code: 0,
      stderr: 'note: X-Forwarded-Proto of the load balancer is https, so the request counts as HTTPS\n'
    })
  })

  test.each([undefined, 'http', 'https, http', 'HTTPS'])('does not where it says %j', async forwarded => {
    const { code, stdout, stderr } = await runInside(ARGS, event(forwarded))
    expect([code, stderr]).toEqual([1, ''])
    expect(stdout).toMatch(/^rejected: https\n/)
  })

  test('does not with --http', async () => {
    expect((await runInside([...ARGS, '--http'], event('https'))).stdout).toMatch(/^rejected: https\n/)
  })
})

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { draftCavage } from 'signed-requests'
import { rfc9421 } from 'signed-requests/rfc9421'
import { describe, expect, onTestFinished, test } from 'vitest'
import { service, withHeaders } from '../../test/support/service.ts'
import { exchangeBytes, statusesOf, wire } from '../../test/support/wire.ts'
import { open, receivedOn, start } from './for-one-test.ts'

/** White space between the parameters is not signed. */
function inTwoForms(signed: ReturnType<typeof service.sign>) {
  const signature = new Headers(signed.headers).get('Signature')!
  return [signed, withHeaders(signed, { Signature: signature.replaceAll('",', '" , ') })]
}

/** Covers as few components as possible: what they leave open must not reach the application. */
const COVERED = ['@method', '@authority', 'date', 'x-service-id', 'content-digest']
const REQUIRED = { verifier: { ...service.options, schemes: [rfc9421] } }

describe('by RFC 9421 the application gets the one form that was signed', () => {
  test.each([
    [['@path', '@query'], '/hook', '/hook?'],
    [['@path', '@query'], '/hook?id=1', 'https://receiver.example/hook?id=1'],
    [['@target-uri'], '/hook?id=1', 'https://receiver.example/hook?id=1']
  ])(
    'by RFC 9421 the application gets the target in the one form that was signed: %j, %s, also as %s',
    async (covered, target, other) => {
      const { statuses, seen } = await start({ ...REQUIRED, replay: { kind: 'none' } })
      const signed = service.sign({ scheme: 'rfc9421', target, covered: [...COVERED, ...covered] })
      for (const sent of [target, other]) expect(await statuses({ ...signed, target: sent })).toEqual([200])
      expect(seen.map(({ target }) => target)).toEqual([target, target])
    }
  )

  test.each([
    ['Receiver.EXAMPLE', 200],
    ['receiver.example:443', 200],
    ['RECEIVER.example:443', 200],
    ['other.example', 401],
    ['receiver.example:80', 401],
    ['receiver.example:', 401],
    ['receiver.example.', 401]
  ])(
    'by RFC 9421 the application gets Host as @authority signs it, and another Host is refused: %s, %d',
    async (host, status) => {
      const { statuses, seen } = await start(REQUIRED)
      const signed = service.sign({ scheme: 'rfc9421', covered: [...COVERED, '@request-target'] })
      expect(await statuses(withHeaders(signed, { Host: host }))).toEqual([status])
      expect(seen.map(({ headers }) => headers.host)).toEqual(status === 200 ? ['receiver.example'] : [])
    }
  )

  test('by RFC 9421 the application gets Host byte for byte, if Host was signed', async () => {
    const { statuses, seen } = await start(REQUIRED)
    const covered = ['@request-target', ...COVERED, 'host']
    expect(await statuses(service.sign({ scheme: 'rfc9421', covered, host: 'Receiver.Example:443' }))).toEqual([200])
    expect(seen[0]!.headers.host).toBe('Receiver.Example:443')
  })
})

const captured = { target: '/hook', body: Buffer.alloc(100_000, 'x') }
test.each([
  ['the draft', [service.sign(captured)]],
  ['RFC 9421', [service.sign({ ...captured, scheme: 'rfc9421' })]],
  // Another text has the same signature.
  ['the draft, in two forms', inTwoForms(service.sign(captured))]
])(
  '%s: of all copies of one captured signature one is verified, and nobody waits for their bodies',
  async (_, forms) => {
    const { address, statuses, seen } = await start({
      verifier: { ...service.options, schemes: [draftCavage, rfc9421] }
    })
    const copies = forms.map(signed => wire(signed, [['Connection', 'close']]))
    const sockets = Array.from({ length: 20 }, (_, i) => open(address, copies[i % copies.length]!.subarray(0, -1)))
    const answers = sockets.map(receivedOn)
    expect(await statuses(service.sign({ target: '/other' }))).toEqual([200])
    for (const socket of sockets) socket.write('x')
    expect((await Promise.all(answers)).flatMap(statusesOf).sort()).toEqual([200, ...Array(19).fill(401)])
    expect(seen.map(({ target }) => target)).toEqual(['/other', '/hook'])
  }
)

const CHUNKED = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
test.each([
  ['GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400, /^HPE_/],
  ['NONSENSE\r\n\r\n', 400, /^HPE_/],
  [`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, /^HPE_HEADER_OVERFLOW$/],
  ['GET / HTTP/1.1\r\nHost: a\r\nExpect: nothing\r\n\r\n', 417, /^expectation$/],
  [`${CHUNKED}1;${'x'.repeat(20_000)}\r\n`, 413, /^HPE_CHUNK_EXTENSIONS_OVERFLOW$/],
  [CHUNKED.replace('chunked', 'gzip, chunked'), 400, /^framing$/],
  [CHUNKED.replace(':', ': gzip\r\nTransfer-Encoding:'), 400, /^framing$/],
  ['GET / HTTP/2.0\r\nHost: a\r\n\r\n', 400, /^(?:HPE_|framing)/]
])('what is answered 400, 413, 417 or 431 is in the log: %j', async (text, status, reason) => {
  const { address, malformed } = await start()
  expect(statusesOf(await exchangeBytes(address, Buffer.from(text)))).toEqual([status])
  expect(malformed).toMatchObject([{ status, reason: expect.stringMatching(reason) }])
})

test('a sender of malformed bytes is disconnected, although it does not end its side', async () => {
  const { address } = await start()
  const accepted: Socket[] = []
  const note = (message: unknown) => accepted.push((message as { socket: Socket }).socket)
  subscribe('net.server.socket', note)
  onTestFinished(() => void unsubscribe('net.server.socket', note))
  const socket = connect({ port: Number(address.split(':')[1]), host: '127.0.0.1', allowHalfOpen: true }).resume()
  onTestFinished(() => void socket.destroy())
  socket.write('NONSENSE\r\n\r\n')
  await once(socket, 'end')
  expect(accepted.map(({ destroyed }) => destroyed)).toEqual([true])
})

test('a sender that disconnects in the middle of a body or of a head is one line of the log', async () => {
  const { address, malformed, over } = await start()
  open(address, wire(service.sign({ body: 'x'.repeat(100) })).subarray(0, -10)).end()
  expect((await over(1))[0]?.verdict.failures).toMatchObject([{ code: 'body-unreadable' }])
  expect(malformed).toEqual([])
  await receivedOn(open(address, Buffer.from('GET / HTTP/1.1\r\nHost')).end())
  expect(malformed).toMatchObject([{ status: 400, reason: 'HPE_INVALID_EOF_STATE' }])
})

test('what the proxy in front sets for the gateway ends there, and so does what reroutes', async () => {
  const { statuses, seen } = await start({ https: 'x-forwarded-proto', prefix: 'x-forwarded-prefix' })
  const lines = [
    ['X-Forwarded-Proto', 'https'],
    ['X-Forwarded-Prefix', '/hooks'],
    ['X-Forwarded-Host', 'evil.example'],
    ['Forwarded', 'host=evil.example'],
    ['X-HTTP-Method-Override', 'DELETE'],
    ['X-Original-URL', '/admin'],
    ['SCRIPT_NAME', '/hooks'],
    ['X-Forwarded-For', '192.0.2.1']
  ] as const
  expect(await statuses({ ...service.sign({ target: '/hooks/a?b', body: 'x' }), target: '/a?b' }, lines)).toEqual([200])
  expect(seen.map(({ target }) => target)).toEqual(['/hooks/a?b'])
  const names = Object.keys(seen[0]!.headers).filter(name => /^x-|forwarded|script/.test(name))
  expect(names.sort()).toEqual(['x-forwarded-for', 'x-nonce', 'x-service-id'])
})

test.each(['X-Script-Name', 'X-Forwarded-Path', 'X-VHM-Root'])(
  'an application that takes its path from %s acts on the path that was signed',
  async name => {
    const paths: string[] = []
    // As a WSGI middleware does that many copy: the header is cut off PATH_INFO.
    const { statuses } = await start({}, (res, { target, headers }) => {
      const script = String(headers[name.toLowerCase()] ?? '')
      paths.push(target.startsWith(script) ? target.slice(script.length) : target)
      res.end()
    })
    expect(await statuses(service.sign({ target: '/hook/delete' }), [[name, '/hook']])).toEqual([200])
    expect(paths).toEqual(['/hook/delete'])
  }
)

test('the id of the proxy in front is logged when it is a token', async () => {
  const { statuses, over } = await start({ requestId: 'x-request-id' })
  const long = 'y'.repeat(128)
  for (const ids of [['a1-b2'], ['two words'], [`${long}y`], [long], ['one', 'two']]) {
    const lines = ids.map(id => ['X-Request-ID', id] as const)
    await statuses(service.sign({ target: '/' }), lines)
  }
  expect((await over(5)).map(({ requestId }) => requestId)).toEqual(['a1-b2', undefined, undefined, long, undefined])
})

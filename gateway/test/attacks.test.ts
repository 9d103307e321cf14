import { once } from 'node:events'
import { connect } from 'node:net'
import { draftCavage } from 'signed-requests'
import { rfc9421 } from 'signed-requests/rfc9421'
import { afterEach, describe, expect, test } from 'vitest'
import { service } from '../../test/support/service.ts'
import { exchangeBytes, send, statusesOf, wire } from '../../test/support/wire.ts'
import { startApplication, startTestGateway } from './start.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

type Signed = ReturnType<typeof service.sign>

/** White space between the parameters is not signed. */
function inTwoForms(signed: Signed): Signed[] {
  const headers = signed.headers.map(([name, value]): [string, string] =>
    name === 'Signature' ? [name, value.replaceAll('",', '" , ')] : [name, value]
  )
  return [signed, { ...signed, headers }]
}

async function start(settings: Parameters<typeof startTestGateway>[1] = {}) {
  const application = await startApplication()
  undo.push(application.close)
  const gateway = await startTestGateway(application.url, settings)
  undo.push(gateway.close)
  return { ...gateway, seen: application.seen }
}

/** As few components as are asked for: what they leave open must not reach the application. */
const COVERED = ['@method', '@authority', 'date', 'x-service-id', 'content-digest']
const REQUIRED = { verifier: { ...service.options, schemes: [rfc9421] } }

describe('by RFC 9421 the application gets the one form that was signed', () => {
  test.each([
    [['@path', '@query'], '/hook', '/hook?'],
    [['@path', '@query'], '/hook?id=1', 'https://receiver.example/hook?id=1'],
    [['@target-uri'], '/hook?id=1', 'https://receiver.example/hook?id=1']
  ])('of the target: %j, %s, also as %s', async (covered, target, other) => {
    const { address, seen } = await start({ ...REQUIRED, replay: { kind: 'none' } })
    const signed = service.sign({ scheme: 'rfc9421', target, covered: [...COVERED, ...covered] })
    for (const sent of [target, other])
      expect(statusesOf(await send(address, { ...signed, target: sent }))).toEqual([200])
    expect(seen.map(({ target }) => target)).toEqual([target, target])
  })

  const withHost = (headers: readonly (readonly [string, string])[], host: string) =>
    headers.map(([name, value]) => [name, name === 'Host' ? host : value] as const)

  test.each(['Receiver.EXAMPLE', 'receiver.example:443', 'RECEIVER.example:443'])(
    'of Host, of which @authority has neither case nor default port: %s',
    async host => {
      const { address, seen } = await start(REQUIRED)
      const signed = service.sign({ scheme: 'rfc9421', covered: [...COVERED, '@request-target'] })
      const headers = withHost(signed.headers, host)
      expect(statusesOf(await send(address, { ...signed, headers }))).toEqual([200])
      expect(seen[0]!.headers.host).toBe('receiver.example')
    }
  )

  test.each(['other.example', 'receiver.example:80', 'receiver.example:', 'receiver.example.'])(
    'and no other Host: %s',
    async host => {
      const { address, seen } = await start(REQUIRED)
      const signed = service.sign({ scheme: 'rfc9421', covered: [...COVERED, '@request-target'] })
      const headers = withHost(signed.headers, host)
      expect(statusesOf(await send(address, { ...signed, headers }))).toEqual([401])
      expect(seen).toEqual([])
    }
  )

  test('of Host byte for byte where that was signed', async () => {
    const { address, seen } = await start(REQUIRED)
    const covered = ['@request-target', ...COVERED, 'host']
    const signed = service.sign({ scheme: 'rfc9421', covered, host: 'Receiver.Example:443' })
    expect(statusesOf(await send(address, signed))).toEqual([200])
    expect(seen[0]!.headers.host).toBe('Receiver.Example:443')
  })
})

const body = Buffer.alloc(100_000, 'x')
test.each([
  ['the draft', [service.sign({ target: '/hook', body })]],
  ['RFC 9421', [service.sign({ scheme: 'rfc9421', target: '/hook', body })]],
  // The signature is the same in other text.
  ['the draft, in two forms', inTwoForms(service.sign({ target: '/hook', body }))]
])(
  '%s: of all copies of one captured signature one is verified, and nobody waits for their bodies',
  async (_, forms) => {
    const { address, seen } = await start({ verifier: { ...service.options, schemes: [draftCavage, rfc9421] } })
    const copies = forms.map(signed => wire(signed, [['Connection', 'close']]))
    const port = Number(new URL(`http://${address}`).port)
    const answers: string[] = []
    const sockets = Array.from({ length: 20 }, (_, i) => {
      const bytes = copies[i % copies.length]!
      const socket = connect(port, '127.0.0.1')
      let answer = ''
      socket.on('data', chunk => {
        answer += chunk
      })
      socket.on('error', () => {})
      socket.on('close', () => answers.push(answer))
      socket.write(bytes.subarray(0, -1))
      return socket
    })
    const other = service.sign({ target: '/other' })
    expect(statusesOf(await send(address, other))).toEqual([200])
    for (const socket of sockets) socket.write('x')
    await Promise.all(sockets.map(socket => once(socket, 'close')))
    const statuses = answers.flatMap(statusesOf).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 401)])
    expect(seen.map(({ target }) => target)).toEqual(['/other', '/hook'])
  }
)

test('what is answered 400, 408, 417 or 431 is in the log', async () => {
  const { address, malformed } = await start()
  const bytes = (text: string) => exchangeBytes(address, Buffer.from(text))
  expect(
    statusesOf(await bytes('GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'))
  ).toEqual([400])
  expect(statusesOf(await bytes('NONSENSE\r\n\r\n'))).toEqual([400])
  expect(statusesOf(await bytes(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`))).toEqual([431])
  expect(statusesOf(await bytes('GET / HTTP/1.1\r\nHost: a\r\nExpect: nothing\r\n\r\n'))).toEqual([417])
  expect(statusesOf(await bytes('GET / HTTP/2.0\r\nHost: a\r\n\r\n'))).toEqual([400])
  expect(malformed.map(({ status, reason }) => [status, reason])).toEqual([
    [400, expect.stringMatching(/^HPE_/)],
    [400, expect.stringMatching(/^HPE_/)],
    [431, 'HPE_HEADER_OVERFLOW'],
    [417, 'expectation'],
    [400, expect.stringMatching(/^(?:HPE_|framing)/)]
  ])
})

test('a sender that disconnects in the middle of a body is one line of the log', async () => {
  const { address, malformed, over } = await start()
  const bytes = wire(service.sign({ method: 'POST', body: 'x'.repeat(100) }))
  connect(Number(address.split(':')[1]), '127.0.0.1').end(bytes.subarray(0, -10))
  const [exchange] = await over(1)
  expect(exchange?.verdict.failures).toMatchObject([{ code: 'body-unreadable' }])
  expect(malformed).toEqual([])
})

test('what the proxy in front sets for the gateway ends there, and so does what reroutes', async () => {
  const { address, seen } = await start({ https: 'x-forwarded-proto', prefix: 'x-forwarded-prefix' })
  const signed = service.sign({ target: '/hooks/a?b', body: 'x' })
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
  expect(statusesOf(await send(address, { ...signed, target: '/a?b' }, lines))).toEqual([200])
  const [{ target, headers }] = seen as [(typeof seen)[number]]
  expect(target).toBe('/hooks/a?b')
  expect(
    Object.keys(headers)
      .filter(name => /^x-|forwarded|script/.test(name))
      .sort()
  ).toEqual(['x-forwarded-for', 'x-nonce', 'x-service-id'])
})

test('the id of the proxy in front is logged when it is a token', async () => {
  const { address, over } = await start({ requestId: 'x-request-id' })
  const ids = ['a1-b2', 'two words', 'x'.repeat(129), 'y'.repeat(128)]
  for (const id of ids) await send(address, service.sign({ target: '/' }), [['X-Request-ID', id]])
  await send(address, service.sign({ target: '/' }), [
    ['X-Request-ID', 'one'],
    ['X-Request-ID', 'two']
  ])
  expect((await over(5)).map(({ requestId }) => requestId)).toEqual(['a1-b2', undefined, undefined, ids[3], undefined])
})

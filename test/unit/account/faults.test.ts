import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AccountClientOptions } from '../../../src/account/index.ts'
import { listen } from '../../support/listen.ts'
import { client, failureOf, type Handler, service, startOtherServer, startServiceForEach } from './service.ts'

startServiceForEach()

let otherServer: Awaited<ReturnType<typeof startOtherServer>>
beforeEach(async () => {
  otherServer = await startOtherServer()
})
afterEach(() => {
  expect(otherServer.requests).toEqual([])
  otherServer.close()
})

/** Returns everything that the client sent, to be sent back to it. */
const echo = (req: Parameters<Handler>[0], body: string) =>
  `${req.headers.authorization} ${body} ${service.accessToken} ${service.issued}`
/** Echoes it as a header value, and in a status line. */
const status =
  (code: number, headers: Record<string, string> = {}): Handler =>
  (req, res, body) => {
    const all = echo(req, body)
    res.writeHead(code, all, { 'x-echo': all, 'www-authenticate': `Bearer error="${all}"`, ...headers }).end(all)
  }

/** Answers with a good status and a body of this type. */
const body =
  (text: string | Buffer, headers: Record<string, string> = {}): Handler =>
  (_, res) =>
    void res.writeHead(200, headers).end(text)
const typed = (type: string, text: string) => body(text, { 'content-type': type })

const closing = (req: IncomingMessage) => new Promise(resolve => req.socket.once('close', resolve))

const page = '<!doctype html><html><head><title>Maintenance</title></head><body>Back soon</body></html>'

const NETWORK = { code: 'account-network', retryable: true }
const RESPONSE = { code: 'account-response', retryable: false }
const REJECTED = { code: 'account-token-rejected', retryable: false }
const FAILED = { code: 'account-server-error', retryable: true }

const cutBody: Handler = (_, res) => {
  res.writeHead(200, { 'content-length': '100' })
  res.write('{"token":"abc"', () => res.destroy())
}
const brokenEcho: Handler = (req, res, text) => void res.writeHead(200).end(`{"${echo(req, text)}"`)

/** Both servers have each fault; the client must report this. */
const faults: [name: string, fault: Handler, expected: object][] = [
  ['500', status(500), { ...FAILED, status: 500 }],
  ['502', status(502), { ...FAILED, status: 502 }],
  ['503', status(503), { ...FAILED, status: 503 }],
  ['401', status(401), { ...REJECTED, status: 401 }],
  ['403', status(403), { ...REJECTED, status: 403 }],
  ['an HTML page', typed('text/html', page), RESPONSE],
  ['an HTML page said to be JSON', typed('application/json', page), RESPONSE],
  ['another content type', typed('image/png', '{"token":"abc","id":1}'), RESPONSE],
  ['no body', (_, res) => void res.writeHead(204).end(), RESPONSE],
  ['an empty body', body(''), RESPONSE],
  ['not UTF-8', body(Buffer.from([0x22, 0xff, 0xfe, 0x22])), RESPONSE],
  ['broken JSON with the secrets in it', brokenEcho, RESPONSE],
  ['304', status(304), { ...RESPONSE, status: 304 }],
  ['closed before an answer', req => void req.socket.destroy(), NETWORK],
  ['closed in mid-head', req => void req.socket.end('HTTP/1.1 200 OK\r\nContent-'), NETWORK],
  ['closed in mid-body', cutBody, NETWORK],
  ['not HTTP', req => void req.socket.end('220 mail.service.example ESMTP\r\n'), NETWORK],
  ['gzip that is not gzip', body('"abc"', { 'content-encoding': 'gzip' }), NETWORK]
]

describe('the authorization server', () => {
  test.each(faults)('a fault of the authorization server is reported by its code: %s', async (_, fault, expected) => {
    const account = client()
    service.authFault = fault
    expect(await failureOf(account.authorization())).toMatchObject(expected)
    expect(await failureOf(account.identity())).toMatchObject(expected)
    service.authFault = undefined
    expect(await account.authorization()).toBe(`Bearer ${service.issued[0]}`)
  })

  test.each([
    [400, false],
    [403, false],
    [408, true],
    [425, true],
    [429, true]
  ])('%i means a rejected token, retryable: %s', async (code, retryable) => {
    service.authFault = status(code)
    const expected = { code: 'account-token-rejected', retryable, status: code }
    expect(await failureOf(client().authorization())).toMatchObject(expected)
  })

  test.each([404, 405, 410])('%i means a wrong authUrl, whatever the token', async code => {
    service.authFault = status(code)
    const message = expect.stringContaining('is authUrl right?')
    expect(await failureOf(client().authorization())).toMatchObject({ ...RESPONSE, message, status: code })
  })

  test.each([
    ['as it is', (token: string) => token],
    ['as JSON', (token: string) => JSON.stringify({ access_token: token })],
    ['in a sentence', (token: string) => JSON.stringify({ token: `${token} is not valid` })],
    ['as a field', (token: string) => JSON.stringify({ [token]: token })]
  ])('the access token sent back %s is not accepted as an authorization token', async (_, write) => {
    service.authFault = body(write(service.accessToken))
    expect(await failureOf(client().authorization())).toMatchObject(RESPONSE)
  })
})

describe('the API, asked for the identity', () => {
  test.each(faults)('a fault of the API is reported by its code: %s', async (_, fault, expected) => {
    const account = client()
    service.apiFault = fault
    expect(await failureOf(account.identity())).toMatchObject(expected)
    service.apiFault = undefined
    expect((await account.identity()).accountId).toBe('4711')
  })

  test.each([
    [400, false],
    [404, false],
    [429, true]
  ])('%i says nothing about the token, retryable: %s', async (code, retryable) => {
    service.apiFault = status(code)
    expect(await failureOf(client().identity())).toMatchObject({ code: 'account-response', retryable, status: code })
  })
})

describe.each(['authFault', 'apiFault'] as const)('%s', which => {
  const call = (options?: Partial<AccountClientOptions>) =>
    which === 'authFault' ? client(options).authorization() : client(options).identity()

  test.each([301, 302, 303, 307, 308])('a redirect to another origin is not followed: %i', async code => {
    service[which] = status(code, { location: `${otherServer.origin}/steal` })
    expect(await failureOf(call())).toMatchObject({ ...RESPONSE, status: code })
  })

  test.each<[string, Handler]>([
    ['no answer comes', () => {}],
    ['the body does not end', (_, res) => void res.writeHead(200).write('"abc')]
  ])('closes the connection when %s in time', async (_, fault) => {
    let closed: Promise<unknown> | undefined
    service[which] = (req, ...more) => {
      closed = closing(req)
      fault(req, ...more)
    }
    const error = await failureOf(call({ timeout: 100 }))
    expect(error).toMatchObject({ code: 'account-timeout', retryable: true })
    expect(error.status).toBeUndefined()
    expect(error.message).toContain('100 ms')
    await closed
  })

  test('keeps the deadline when fetch ignores its signal', async () => {
    const deaf: typeof fetch = (url, init) =>
      which === 'apiFault' && String(url).startsWith(service.authUrl) ? fetch(url, init) : new Promise(() => {})
    expect(await failureOf(call({ timeout: 100, fetch: deaf }))).toMatchObject({ code: 'account-timeout' })
  })

  test('stops reading an endless response at 64 KiB', async () => {
    let sent = 0
    let closed: Promise<unknown> | undefined
    service[which] = (req, res) => {
      closed = closing(req)
      res.writeHead(200, { 'content-type': 'application/json' })
      const chunk = 'a'.repeat(16_384)
      const more = () => {
        while (!res.destroyed && res.write(chunk)) sent += chunk.length
      }
      res.on('drain', more)
      more()
    }
    expect(await failureOf(call())).toMatchObject(RESPONSE)
    await closed
    // Socket buffers count here, too; the client itself held 64 KiB.
    expect(sent).toBeLessThan(16 * 1024 * 1024)
  })

  test('stops reading a compressed response at 64 KiB of decompressed bytes', async () => {
    service[which] = body(gzipSync(`"${'a'.repeat(10_000_000)}"`), { 'content-encoding': 'gzip' })
    expect(await failureOf(call())).toMatchObject({ code: 'account-response' })
  })

  test('reads a response of exactly 64 KiB', async () => {
    const json = JSON.stringify({ token: 'abc', id: 1 }).padEnd(65_536)
    service[which] = body(json)
    await call()
    service[which] = body(`${json} `)
    expect(await failureOf(call())).toMatchObject({ code: 'account-response' })
  })

  const throwing = (all: string) => ({
    get cause() {
      throw new Error(all)
    }
  })
  test.each<[string, (all: string) => unknown]>([
    ['a string', all => all],
    ['an error', all => new Error(all, { cause: new Error(all) })],
    ['an error whose code is a token', () => new Error('x', { cause: { code: service.accessToken } })],
    [
      'an error with the request in it',
      all => Object.assign(new TypeError('failed'), { request: { all }, stack: all })
    ],
    ['an error whose getters throw', throwing],
    ['nothing', () => undefined],
    ['null', () => null]
  ])('fetch throws %s', async (_, makeThrown) => {
    const thrower: typeof fetch = async (url, init) => {
      if (which === 'apiFault' && String(url).startsWith(service.authUrl)) return fetch(url, init)
      throw makeThrown(`${init?.body} ${service.accessToken} ${JSON.stringify(init?.headers)} ${service.issued}`)
    }
    const error = await failureOf(call({ fetch: thrower }))
    expect(error).toMatchObject(NETWORK)
    expect('cause' in error).toBe(false)
  })
})

test('puts the system error code into the message when nothing listens', async () => {
  const server = createServer()
  const port = await listen(server)
  server.close()
  await once(server, 'close')
  const error = await failureOf(client({ authUrl: `http://127.0.0.1:${port}` }).authorization())
  expect(error.message).toBe('The connection to the authorization server failed (ECONNREFUSED).')
})

test('gives an error its code, status and message, and no secret', async () => {
  service.authFault = status(503)
  const error = await failureOf(client().authorization())
  expect(error.name).toBe('AccountError')
  expect(error.stack).toMatch(/^AccountError: The authorization server failed \(HTTP 503\)\./)
  expect(JSON.parse(JSON.stringify(error))).toEqual({ code: 'account-server-error', retryable: true, status: 503 })
  expect(Reflect.ownKeys(error).sort()).toEqual(['code', 'message', 'retryable', 'stack', 'status'])
})

import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type AccountClientOptions, AccountError, createAccountClient } from '../../../src/account/index.ts'
import { listen } from '../../support/listen.ts'
import { expectNoSecret } from './leaks.ts'
import { type Handler, type Service, startService, startStranger } from './service.ts'

let service: Service
let stranger: Awaited<ReturnType<typeof startStranger>>

beforeEach(async () => {
  service = await startService()
  stranger = await startStranger()
})
afterEach(async () => {
  expect(service.violations).toEqual([])
  expect(stranger.requests).toEqual([])
  stranger.close()
  await service.close()
})

const client = (options: Partial<AccountClientOptions> = {}) => {
  const { authUrl, baseUrl, accessToken } = service
  return createAccountClient({ authUrl, baseUrl, accessToken, ...options })
}
const failure = async (promise: Promise<unknown>): Promise<AccountError> => {
  const error = await promise.then(
    () => expect.fail('it should have failed'),
    (error: unknown) => error
  )
  expect(error).toBeInstanceOf(AccountError)
  expectNoSecret(error, [service.accessToken, ...service.issued])
  return error as AccountError
}
/** Everything the client sent, to be thrown back at it. */
const echo = (req: Parameters<Handler>[0], body: string) =>
  `${req.headers.authorization} ${body} ${service.accessToken} ${service.issued}`
/** As a header value, and in a status line. */
const status =
  (code: number, headers: Record<string, string> = {}): Handler =>
  (req, res, body) => {
    const all = echo(req, body)
    res.writeHead(code, all, { 'x-echo': all, 'www-authenticate': `Bearer error="${all}"`, ...headers }).end(all)
  }

const closing = (req: IncomingMessage) => new Promise(resolve => req.socket.once('close', resolve))

const page = '<!doctype html><html><head><title>Maintenance</title></head><body>Back soon</body></html>'

/** For both servers: what it does, what the client must say. */
const faults: [name: string, fault: Handler, expected: object][] = [
  ['500', status(500), { code: 'account-server-error', retryable: true, status: 500 }],
  ['502', status(502), { code: 'account-server-error', retryable: true, status: 502 }],
  ['503', status(503), { code: 'account-server-error', retryable: true, status: 503 }],
  ['401', status(401), { code: 'account-token-rejected', retryable: false, status: 401 }],
  ['403', status(403), { code: 'account-token-rejected', retryable: false, status: 403 }],
  [
    'an HTML page',
    (_, res) => void res.writeHead(200, { 'content-type': 'text/html' }).end(page),
    { code: 'account-response', retryable: false }
  ],
  [
    'an HTML page said to be JSON',
    (_, res) => void res.writeHead(200, { 'content-type': 'application/json' }).end(page),
    { code: 'account-response' }
  ],
  [
    'another content type',
    (_, res) => void res.writeHead(200, { 'content-type': 'image/png' }).end('{"token":"abc","id":1}'),
    { code: 'account-response' }
  ],
  ['no body', (_, res) => void res.writeHead(204).end(), { code: 'account-response' }],
  ['an empty body', (_, res) => void res.writeHead(200).end(), { code: 'account-response' }],
  [
    'not UTF-8',
    (_, res) => void res.writeHead(200).end(Buffer.from([0x22, 0xff, 0xfe, 0x22])),
    { code: 'account-response' }
  ],
  [
    'broken JSON with the secrets in it',
    (req, res, body) => void res.writeHead(200).end(`{"${echo(req, body)}"`),
    { code: 'account-response' }
  ],
  ['304', status(304), { code: 'account-response', retryable: false, status: 304 }],
  ['closed before an answer', req => void req.socket.destroy(), { code: 'account-network', retryable: true }],
  [
    'closed in mid-head',
    req => void req.socket.end('HTTP/1.1 200 OK\r\nContent-'),
    { code: 'account-network', retryable: true }
  ],
  [
    'closed in mid-body',
    (_, res) => {
      res.writeHead(200, { 'content-length': '100' })
      res.write('{"token":"abc"', () => res.destroy())
    },
    { code: 'account-network', retryable: true }
  ],
  [
    'not HTTP',
    req => void req.socket.end('220 mail.service.example ESMTP\r\n'),
    { code: 'account-network', retryable: true }
  ],
  [
    'gzip that is not gzip',
    (_, res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end('"abc"'),
    { code: 'account-network', retryable: true }
  ]
]

describe('the authorization server', () => {
  test.each(faults)('%s', async (_, fault, expected) => {
    const account = client()
    service.authFault = fault
    expect(await failure(account.authorization())).toMatchObject(expected)
    expect(await failure(account.identity())).toMatchObject(expected)
    service.authFault = undefined
    expect(await account.authorization()).toBe(`Bearer ${service.issued[0]}`)
  })

  test.each([
    [400, false],
    [403, false],
    [408, true],
    [429, true]
  ])('%i means a rejected token, retryable: %s', async (code, retryable) => {
    service.authFault = status(code)
    expect(await failure(client().authorization())).toMatchObject({
      code: 'account-token-rejected',
      retryable,
      status: code
    })
  })

  test.each([404, 405, 410])('%i means a wrong authUrl, whatever the token', async code => {
    service.authFault = status(code)
    expect(await failure(client().authorization())).toMatchObject({
      code: 'account-response',
      message: expect.stringContaining('is authUrl right?'),
      retryable: false,
      status: code
    })
  })

  test.each([
    ['as it is', (token: string) => token],
    ['as JSON', (token: string) => JSON.stringify({ access_token: token })],
    ['in a sentence', (token: string) => JSON.stringify({ token: `${token} is not valid` })],
    ['as a field', (token: string) => JSON.stringify({ [token]: token })]
  ])('the access token sent back %s is not accepted as an authorization token', async (_, write) => {
    service.authFault = (_req, res) => void res.writeHead(200).end(write(service.accessToken))
    expect(await failure(client().authorization())).toMatchObject({ code: 'account-response', retryable: false })
  })
})

describe('the API, asked for the identity', () => {
  test.each(faults)('%s', async (_, fault, expected) => {
    const account = client()
    service.apiFault = fault
    expect(await failure(account.identity())).toMatchObject(expected)
    service.apiFault = undefined
    expect((await account.identity()).accountId).toBe('4711')
  })

  test.each([
    [400, false],
    [404, false],
    [429, true]
  ])('%i says nothing about the token, retryable: %s', async (code, retryable) => {
    service.apiFault = status(code)
    expect(await failure(client().identity())).toMatchObject({ code: 'account-response', retryable, status: code })
  })
})

describe.each(['authFault', 'apiFault'] as const)('%s', which => {
  const call = (options?: Partial<AccountClientOptions>) =>
    which === 'authFault' ? client(options).authorization() : client(options).identity()

  test.each([301, 302, 303, 307, 308])('does not follow a redirect to another origin: %i', async code => {
    service[which] = status(code, { location: `${stranger.origin}/steal` })
    expect(await failure(call())).toMatchObject({ code: 'account-response', retryable: false, status: code })
  })

  test('closes the connection when no answer comes in time', async () => {
    let closed: Promise<unknown> | undefined
    service[which] = req => {
      closed = closing(req)
    }
    const error = await failure(call({ timeout: 100 }))
    expect(error).toMatchObject({ code: 'account-timeout', retryable: true })
    expect(error.status).toBeUndefined()
    expect(error.message).toContain('100 ms')
    await closed
  })

  test('applies the deadline to the body too', async () => {
    let closed: Promise<unknown> | undefined
    service[which] = (req, res) => {
      closed = closing(req)
      res.writeHead(200).write('"abc')
    }
    expect(await failure(call({ timeout: 100 }))).toMatchObject({ code: 'account-timeout', retryable: true })
    await closed
  })

  test('keeps the deadline when fetch ignores its signal', async () => {
    const deaf: typeof fetch = (url, init) =>
      which === 'apiFault' && String(url).startsWith(service.authUrl) ? fetch(url, init) : new Promise(() => {})
    expect(await failure(call({ timeout: 100, fetch: deaf }))).toMatchObject({ code: 'account-timeout' })
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
    expect(await failure(call())).toMatchObject({ code: 'account-response', retryable: false })
    await closed
    // What lies in socket buffers counts here; the client itself held 64 KiB.
    expect(sent).toBeLessThan(16 * 1024 * 1024)
  })

  test('stops reading a compressed response at 64 KiB of decompressed bytes', async () => {
    const bomb = gzipSync(`"${'a'.repeat(10_000_000)}"`)
    service[which] = (_, res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
    expect(await failure(call())).toMatchObject({ code: 'account-response' })
  })

  test('reads a response of exactly 64 KiB', async () => {
    const json = JSON.stringify({ token: 'abc', id: 1 }).padEnd(65_536)
    service[which] = (_, res) => void res.writeHead(200).end(json)
    await (which === 'authFault' ? client().authorization() : client().identity())
    service[which] = (_, res) => void res.writeHead(200).end(`${json} `)
    expect(await failure(call())).toMatchObject({ code: 'account-response' })
  })

  test.each<[string, (all: string) => unknown]>([
    ['a string', all => all],
    ['an error', all => new Error(all, { cause: new Error(all) })],
    ['an error whose code is a token', () => Object.assign(new Error('x'), { code: service.accessToken })],
    [
      'an error with the request in it',
      all => Object.assign(new TypeError('fetch failed'), { request: { all }, stack: all })
    ],
    [
      'an error whose getters throw',
      all => ({
        get code() {
          throw new Error(all)
        }
      })
    ],
    ['nothing', () => undefined],
    ['null', () => null]
  ])('fetch throws %s', async (_, makeThrown) => {
    const thrower: typeof fetch = async (url, init) => {
      if (which === 'apiFault' && String(url).startsWith(service.authUrl)) return fetch(url, init)
      throw makeThrown(`${init?.body} ${service.accessToken} ${JSON.stringify(init?.headers)} ${service.issued}`)
    }
    const error = await failure(call({ fetch: thrower }))
    expect(error).toMatchObject({ code: 'account-network', retryable: true })
    expect('cause' in error).toBe(false)
  })
})

test('puts the system error code into the message when nothing listens', async () => {
  const server = createServer()
  const port = await listen(server)
  server.close()
  await once(server, 'close')
  const error = await failure(client({ authUrl: `http://127.0.0.1:${port}` }).authorization())
  expect(error.message).toBe('The connection to the authorization server failed (ECONNREFUSED).')
})

test('gives an error its code, status and message, and no secret', async () => {
  service.authFault = status(503)
  const error = await failure(client().authorization())
  expect(error.name).toBe('AccountError')
  expect(error.stack).toMatch(/^AccountError: The authorization server failed \(HTTP 503\)\./)
  expect(JSON.parse(JSON.stringify(error))).toEqual({ code: 'account-server-error', retryable: true, status: 503 })
  expect(Reflect.ownKeys(error).sort()).toEqual(['code', 'message', 'retryable', 'stack', 'status'])
})

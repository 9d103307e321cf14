import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { afterEach, beforeEach, expect } from 'vitest'
import { type AccountClientOptions, AccountError, createAccountClient } from '../../../src/account/index.ts'
import { listen as listenOn } from '../../support/listen.ts'
import { expectNoSecret } from './leaks.ts'

export type Handler = (req: IncomingMessage, res: ServerResponse, body: string) => void

const DAY = 24 * 60 * 60 * 1000

/** An authorization server and an API on loopback, two origins, that accept exactly what the specification allows. */
export interface Service {
  authUrl: string
  baseUrl: string
  accessToken: string
  /** Successful exchanges and their tokens, oldest first. */
  issued: string[]
  /** Requests the authorization server has seen. */
  posts: number
  /** Requests the API has seen, as `GET /v4/identity`. */
  calls: string[]
  /** Violations of the specification by the client. A test that expects none checks that this is empty. */
  violations: string[]
  /** The service's own clock. */
  now: () => number
  /** Makes a token's text. Default: an opaque random one. */
  mint: (n: number) => string
  /** Answers an exchange. Default: the token as plain text. */
  answer: (res: ServerResponse, token: string) => void
  /** The answer of `/identity`. */
  identity: unknown
  /** Replace the normal answers of the servers by a fault. */
  authFault: Handler | undefined
  apiFault: Handler | undefined
  accepts(authorization: string | undefined): boolean
  revoke(token: string): void
  close(): Promise<void>
}

export interface Tls {
  key: string
  cert: string
}

export async function startService(tls?: Tls): Promise<Service> {
  const issuedAt = new Map<string, number>()
  const auth = await listen(tls, (req, res) => readBody(req, body => onExchange(req, res, body)))
  const api = await listen(tls, (req, res) => readBody(req, body => onCall(req, res, body)))

  const service: Service = {
    authUrl: `${auth.origin}/oauth/`,
    baseUrl: `${api.origin}/v4`,
    accessToken: `access-${randomUUID()}`,
    issued: [],
    posts: 0,
    calls: [],
    violations: [],
    now: Date.now,
    mint: n => `authorization-${n}-${randomUUID()}`,
    answer: (res, token) => res.writeHead(200, { 'content-type': 'text/plain' }).end(token),
    identity: { ID: 4711, name: 'Example' },
    authFault: undefined,
    apiFault: undefined,
    accepts(authorization) {
      const token = /^Bearer ([A-Za-z0-9\-._~+/]+=*)$/.exec(authorization ?? '')?.[1]
      const since = token === undefined ? undefined : issuedAt.get(token)
      return since !== undefined && service.now() < since + DAY
    },
    revoke: token => void issuedAt.delete(token),
    close: async () => {
      for (const { server } of [auth, api]) {
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      }
    }
  }

  const refuse = (res: ServerResponse, status: number, why: string) => {
    service.violations.push(why)
    res.writeHead(status).end(why)
  }

  const onExchange: Handler = (req, res, body) => {
    service.posts++
    const form = new URLSearchParams(body)
    if (req.url !== '/oauth/') return refuse(res, 404, `path ${req.url}`)
    if (req.method !== 'POST') return refuse(res, 405, `method ${req.method}`)
    if (req.headers['content-type'] !== 'application/x-www-form-urlencoded') {
      return refuse(res, 415, `content-type ${req.headers['content-type']}`)
    }
    if (req.headers.authorization !== undefined) return refuse(res, 400, 'authorization header at the exchange')
    if ([...form.keys()].join() !== 'access_token') return refuse(res, 400, `form ${[...form.keys()]}`)
    if (service.authFault) return service.authFault(req, res, body)
    if (form.get('access_token') !== service.accessToken) return void res.writeHead(401).end()
    const token = service.mint(service.issued.length + 1)
    issuedAt.set(token, service.now())
    service.issued.push(token)
    service.answer(res, token)
  }

  const onCall: Handler = (req, res, body) => {
    service.calls.push(`${req.method} ${req.url}`)
    if (!req.url?.startsWith('/v4/')) return refuse(res, 404, `path ${req.url}`)
    if (`${req.headers.authorization}${req.url}${body}`.includes(service.accessToken)) {
      return refuse(res, 400, 'access token shown to the API')
    }
    if (service.apiFault) return service.apiFault(req, res, body)
    if (!service.accepts(req.headers.authorization)) return void res.writeHead(401).end()
    if (req.url === '/v4/identity') {
      if (req.method !== 'GET') return refuse(res, 405, `method ${req.method}`)
      return void res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(service.identity))
    }
    res.writeHead(200, { 'content-type': 'application/json' })
    res.end(JSON.stringify({ method: req.method, url: req.url, headers: req.headers, body }))
  }

  return service
}

/** The service of the current test. */
export let service: Service

/** Starts a service for each test of a file. No test may make the client violate the specification. */
export function startServiceForEach(): void {
  beforeEach(async () => {
    service = await startService()
  })
  afterEach(async () => {
    expect(service.violations).toEqual([])
    await service.close()
  })
}

export const client = (options: Partial<AccountClientOptions> = {}) => {
  const { authUrl, baseUrl, accessToken } = service
  return createAccountClient({ authUrl, baseUrl, accessToken, ...options })
}

/** Returns the error of a call that must fail, which shows no secret. */
export async function failureOf(call: Promise<unknown>): Promise<AccountError> {
  const error = await call.then(
    () => expect.fail('it should have failed'),
    (error: unknown) => error
  )
  expect(error).toBeInstanceOf(AccountError)
  expectNoSecret(error, [service.accessToken, ...service.issued])
  return error as AccountError
}

/** Starts a server that must never be asked: the target of redirects. */
export async function startOtherServer(): Promise<{ origin: string; requests: string[]; close(): void }> {
  const requests: string[] = []
  const { server, origin } = await listen(undefined, (req, res) => {
    requests.push(`${req.method} ${req.url} ${req.headers.authorization}`)
    res.end('"token-of-another-server"')
  })
  return { origin, requests, close: () => void server.close() }
}

async function listen(tls: Tls | undefined, onRequest: RequestListener): Promise<{ server: Server; origin: string }> {
  const server = tls ? createTlsServer(tls, onRequest) : createServer(onRequest)
  return { server, origin: `http${tls ? 's' : ''}://127.0.0.1:${await listenOn(server)}` }
}

function readBody(req: IncomingMessage, done: (body: string) => void): void {
  const chunks: Buffer[] = []
  req.on('data', chunk => chunks.push(chunk))
  req.on('end', () => done(Buffer.concat(chunks).toString()))
}

import { once } from 'node:events'
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse
} from 'node:http'
import { Logger, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import connect from 'connect'
import express from 'express'
// @ts-expect-error it has the types of Express 5 nearly, but not under this name
import express4 from 'express4'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  createVerifier,
  type NodeMiddlewareOptions,
  nodeMiddleware,
  type ReceivedRequest,
  type VerifiedRequest
} from '../../src/index.ts'
import { memoryReplayStore } from '../../src/replay/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import { pairs } from '../../test/meta/examples/kinds.ts'
import { listen } from '../../test/support/listen.ts'

const service = createTestService({ rsaBits: 1024 })

type Next = (error?: unknown) => void
type Handle = (req: IncomingMessage, res: ServerResponse, next: Next) => unknown
/** What each framework makes of the middleware, then every body parser, then the handler. */
type Start = (...layers: Handle[]) => Server | Promise<Server>

const parsersOf = (of: typeof express): Handle[] => [
  of.json(),
  of.urlencoded({ extended: false }),
  of.text({ type: '*/*' }),
  of.raw({ type: '*/*' })
]

const expressApp = (of: typeof express, layers: Handle[]): Server =>
  createServer(
    of()
      .set('env', 'test')
      .use('/hook', ...(layers as []))
  )

const APPS: Readonly<Record<string, [of: typeof express, Start]>> = {
  'Express 4': [express4 as never, (...layers) => expressApp(express4 as never, layers)],
  'Express 5': [express, (...layers) => expressApp(express, layers)],
  Connect: [
    express4 as never,
    (...layers) => {
      const app = connect()
      for (const layer of layers) app.use('/hook', layer as never)
      // Its own answer to an error tells the console.
      app.use((_error: unknown, _req: unknown, res: ServerResponse, _next: Next) => res.writeHead(500).end())
      return createServer(app as RequestListener)
    }
  ],
  Nest: [
    express,
    async (...layers) => {
      Logger.overrideLogger(false)
      class App {}
      Module({})(App)
      const app = await NestFactory.create(App)
      for (const layer of layers) app.use('/hook', layer)
      await app.init()
      return app.getHttpServer()
    }
  ]
}

describe.each(Object.entries(APPS))('nodeMiddleware in %s', (_, [of, start]) => {
  let verify: ReturnType<typeof createVerifier>
  beforeEach(() => {
    verify = createVerifier({ ...service.options, requireHttps: false, replayStore: memoryReplayStore() })
  })
  afterEach(() => void vi.restoreAllMocks())

  async function serve(handle: Handle, before: Handle[] = [], options?: NodeMiddlewareOptions) {
    const server = await start(...before, nodeMiddleware(verify, options), ...parsersOf(of), handle)
    onTestFinished(() => void server.close())
    const port = await listen(server)
    return async ({ method, target, headers, body }: ReceivedRequest) => {
      const lines = pairs({ headers } as ReceivedRequest).flat()
      const to = { host: '127.0.0.1', port, agent: false, method, path: target, headers: lines }
      const outgoing = httpRequest(to)
      outgoing.end(body)
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
      return { status: response.statusCode, text: Buffer.concat(await response.toArray()).toString() }
    }
  }
  const JSON_TYPE = { 'Content-Type': 'application/json' }
  const sign = (body: string | Buffer = '{"id":1}', headers: Record<string, string> = JSON_TYPE) =>
    service.sign({ target: '/hook/1?a=b', headers, body })
  const echo: Handle = (req, res) => {
    const { verified, body } = req as VerifiedRequest
    res.end(`${verified.accountId} ${body}`)
  }

  test.each([
    ['JSON', 'application/json'],
    ['a form', 'application/x-www-form-urlencoded'],
    ['text', 'text/plain']
  ])('%s: no parser behind it waits, or takes the verified bytes away', async (_, type) => {
    const send = await serve(echo)
    expect(await send(sign('{"id":1}', { 'Content-Type': type }))).toEqual({
      status: 200,
      text: '1234 {"id":1}'
    })
  })

  test.each([
    ['empty', ''],
    ['of 3 MB', Buffer.alloc(3_000_000, 'a')]
  ])('a body that is %s goes on', async (_, body) => {
    const send = await serve((req, res) => res.end(String((req as VerifiedRequest).body.length)))
    expect(await send(sign(body))).toEqual({ status: 200, text: String(body.length) })
  })

  test('a GET without a body goes on', async () => {
    const send = await serve(echo)
    const request = service.sign({ method: 'GET', target: '/hook' })
    expect(await send(request)).toEqual({ status: 200, text: '1234 ' })
  })

  test('a refused request goes no further, and onRefused sees it', async () => {
    const [handle, onRefused] = [vi.fn(), vi.fn()]
    const send = await serve(handle, [], { onRefused })
    expect(await send({ ...sign(), body: '{"id":2}' })).toEqual({ status: 401, text: '' })
    expect([handle.mock.calls.length, onRefused.mock.calls.length]).toEqual([0, 1])
  })

  test('a parser above it is a mistake, which goes to the error handler of the framework', async () => {
    const handle = vi.fn()
    const errors: unknown[] = []
    const spy: Handle = (_req, _res, next) => next()
    const send = await serve(handle, [of.json() as Handle, spy], {
      body: req => {
        errors.push((req as { body?: unknown }).body)
        return (req as { body?: never }).body
      }
    })
    expect((await send(sign())).status).toBe(500)
    expect([handle.mock.calls, errors]).toEqual([[], [{ id: 1 }]])
  })

  test('bytes that a parser above it has kept are verified, and are the body', async () => {
    const keep = (req: IncomingMessage & { rawBody?: Buffer }, _res: unknown, bytes: Buffer) => {
      req.rawBody = bytes
    }
    const send = await serve(echo, [of.json({ verify: keep }) as Handle], {
      body: req => (req as { rawBody?: Buffer }).rawBody
    })
    expect(await send(sign())).toEqual({ status: 200, text: '1234 {"id":1}' })
  })
})

test('in Express the request of a handler has the type of its verdict', () => {
  const verify = createVerifier(service.options)
  express().post('/hook', nodeMiddleware(verify), (req, res) => {
    const account: string = req.verified.accountId
    res.json({ account })
  })
})

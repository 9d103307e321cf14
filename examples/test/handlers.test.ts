import { once } from 'node:events'
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse
} from 'node:http'
import { Readable } from 'node:stream'
import { serve } from '@hono/node-server'
import { Logger, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import express from 'express'
// @ts-expect-error it has the types of Express 5 nearly, but not under this name
import express4 from 'express4'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createVerifier,
  fetchHandler,
  nodeHandler,
  type ReceivedRequest,
  type Verified
} from '../../src/index.ts'
import { memoryReplayStore } from '../../src/replay/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import { pairs } from '../../test/meta/examples/kinds.ts'
import { listen } from '../../test/support/listen.ts'

const service = createTestService({ rsaBits: 1024 })
const verify = createVerifier({ ...service.options, requireHttps: false, replayStore: memoryReplayStore() })

/** The handler does this for the next request. */
let next: 'nothing' | 'stream' | 'throw' | 'status' = 'nothing'
const bodies: string[] = []
const onError = vi.fn()

beforeEach(() => {
  next = 'nothing'
  bodies.length = 0
  onError.mockClear()
})

const pieces = () => Readable.from(['one ', 'two ', 'three'])

function handleNode(verified: Verified, _req: IncomingMessage, res: ServerResponse): unknown {
  bodies.push(Buffer.from(verified.body).toString())
  if (next === 'throw') throw new Error('ours')
  if (next === 'stream') return pieces().pipe(res)
  if (next === 'status') res.statusCode = 202
  return undefined
}

function handleFetch(verified: Verified): Response | undefined {
  bodies.push(Buffer.from(verified.body).toString())
  if (next === 'throw') throw new Error('ours')
  if (next === 'stream') return new Response(Readable.toWeb(pieces()) as ReadableStream)
  return next === 'status' ? new Response(null, { status: 202 }) : undefined
}

const receive = nodeHandler(verify, handleNode, { onError })

/** Express's own error page says what was thrown on the console, unless it is told that this is a test. */
const expressApp = (create: typeof express) => {
  const app = create().set('env', 'test')
  return createServer(app.use('/hook', receive).use(create.json()))
}

const apps: Readonly<Record<string, () => Server | Promise<Server>>> = {
  'node:http': () => createServer(receive),
  'Express 4': () => expressApp(express4 as never),
  'Express 5': () => expressApp(express),
  Koa: () =>
    createServer(
      new Koa()
        .use(ctx => {
          ctx.respond = false
          return receive(ctx.req, ctx.res)
        })
        .callback()
    ),
  Fastify: async () => {
    const app = fastify().register(async scope => {
      scope.addHook('onRequest', (request, reply) => receive(request.raw, reply.hijack().raw))
      scope.all('/hook*', () => {})
    })
    app.post('/other', request => request.body)
    await app.ready()
    return app.server
  },
  Nest: async () => {
    Logger.overrideLogger(false)
    class App {}
    Module({})(App)
    const app = (await NestFactory.create(App)).use('/hook', receive)
    await app.init()
    return app.getHttpServer()
  },
  Hono: () => {
    const hono = new Hono().all('/hook', c => fetchHandler(verify, handleFetch)(c.req.raw))
    hono.onError((error, c) => {
      onError(error)
      return c.body(null, 500)
    })
    return serve({ fetch: hono.fetch, port: 0, hostname: '127.0.0.1' }) as Server
  }
}

describe.each(Object.entries(apps))('%s', (name, start) => {
  let server: Server
  let port: number
  beforeAll(async () => {
    server = await start()
    port = await listen(server)
  })
  afterAll(() => server.close())

  async function exchange({ method, target, headers, body }: ReceivedRequest) {
    const lines = pairs({ headers } as ReceivedRequest).flat()
    const outgoing = httpRequest({
      host: '127.0.0.1',
      port,
      agent: false,
      method,
      path: target,
      headers: lines
    })
    outgoing.end(body)
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    return { status: response.statusCode, text: Buffer.concat(await response.toArray()).toString() }
  }
  const sign = () => service.sign({ target: '/hook', body: '{"id":1}' })

  test('answers nothing: 204', async () => {
    expect(await exchange(sign())).toEqual({ status: 204, text: '' })
    expect(bodies).toEqual(['{"id":1}'])
  })

  test('answers with a status that the handler set', async () => {
    next = 'status'
    expect(await exchange(sign())).toEqual({ status: 202, text: '' })
  })

  test('streams its answer', async () => {
    next = 'stream'
    expect(await exchange(sign())).toEqual({ status: 200, text: 'one two three' })
  })

  test('refuses a forged request, and never calls the handler', async () => {
    expect(await exchange({ ...sign(), body: '{"id":2}' })).toEqual({ status: 401, text: '' })
    expect(bodies).toEqual([])
  })

  test('refuses a forged upload of 3 MB that nobody reads', async () => {
    const upload = service.sign({ target: '/hook', body: Buffer.alloc(3_000_000), date: new Date(0) })
    expect(await exchange(upload)).toEqual({ status: 401, text: '' })
  })

  test('throws: the claim is released, and a retry accepted once', async () => {
    const request = sign()
    next = 'throw'
    expect((await exchange(request)).status).toBe(500)
    next = 'nothing'
    expect((await exchange(request)).status).toBe(204)
    expect((await exchange(request)).status).toBe(401)
    expect(bodies).toHaveLength(2)
    // Express has its own way with errors
    if (!/Express|Nest/.test(name)) expect(onError.mock.calls[0]?.[0]).toEqual(new Error('ours'))
  })
})

test('Fastify: other routes keep their parsers', async () => {
  const server = await apps['Fastify']!()
  const port = await listen(server)
  const headers = { 'Content-Type': 'application/json', Connection: 'close' }
  const response = await fetch(`http://127.0.0.1:${port}/other`, { method: 'POST', body: '{"a":1}', headers })
  expect(await response.json()).toEqual({ a: 1 })
  server.close()
})

test('Fastify: inject() gets the same answers', async () => {
  const app = fastify()
  app.all('/hook', { onRequest: (request, reply) => receive(request.raw, reply.hijack().raw) }, () => {})
  const inject = async ({ method, target, headers, body }: ReceivedRequest) => {
    const fields = Object.fromEntries(pairs({ headers } as ReceivedRequest))
    const payload = Buffer.from(body as string)
    const answer = await app.inject({ method: method as 'POST', url: target, headers: fields, payload })
    return { status: answer.statusCode, text: answer.body }
  }
  const request = service.sign({ target: '/hook', body: '{"id":1}' })
  expect(await inject({ ...request, target: '/hook?forged' })).toEqual({ status: 401, text: '' })
  expect(await inject({ ...request, body: '{"id":2}' })).toEqual({ status: 401, text: '' })
  expect(await inject(request)).toEqual({ status: 204, text: '' })
})

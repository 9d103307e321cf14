import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect as connectSocket, type Socket } from 'node:net'
import { serve } from '@hono/node-server'
import { All, Controller, Logger, Module, Req, Res } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import connect from 'connect'
import express from 'express'
// @ts-expect-error it has the types of Express 5 nearly, but not under this name
import express4 from 'express4'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  createVerifier,
  fetchHandler,
  lambdaHandler,
  nodeHandler,
  nodeMiddleware,
  type ReceivedRequest
} from '../../src/index.ts'
import { memoryReplayStore } from '../../src/replay/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import { pairs } from '../../test/meta/examples/kinds.ts'
import { listen } from '../../test/support/listen.ts'
import { exchangeBytes, statusesOf, wire } from '../../test/support/wire.ts'

// The table of docs/replay-and-retries.md: after which outcome the same bytes are accepted again, in each framework.

const service = createTestService({ rsaBits: 1024 })
let verify: ReturnType<typeof createVerifier>
afterEach(() => void vi.restoreAllMocks())
beforeEach(() => {
  // Hono's server tells it what has broken off.
  vi.spyOn(console, 'error').mockReturnValue()
  verify = createVerifier({ ...service.options, requireHttps: false, replayStore: memoryReplayStore() })
})

const OUTCOMES = [
  'answers 200',
  'answers 500',
  'throws',
  'rejects',
  'destroys the response',
  'hangs up'
] as const
type Outcome = (typeof OUTCOMES)[number]

/** What the handler does with the next request. */
let next: Outcome
let sender: Socket | undefined
const later = () => new Promise(resolve => setTimeout(resolve, 50))

function work(_req: unknown, res: ServerResponse): unknown {
  if (next === 'throws') throw new Error('ours')
  if (next === 'rejects') return Promise.reject(new Error('ours'))
  if (next === 'destroys the response') res.destroy()
  else if (next === 'hangs up') {
    sender?.destroy()
    return later().then(() => res.end())
  } else res.writeHead(next === 'answers 500' ? 500 : 200).end()
  return undefined
}

function* broken() {
  yield new TextEncoder().encode('one')
  throw new Error('ours')
}

async function workOfFetch(): Promise<Response> {
  if (next === 'throws' || next === 'rejects') throw new Error('ours')
  if (next === 'hangs up') {
    sender?.destroy()
    await later()
  }
  if (next === 'destroys the response') return new Response(ReadableStream.from(broken()))
  return new Response(null, { status: next === 'answers 500' ? 500 : 200 })
}

const nodeWork = () => nodeHandler(verify, (_, req, res) => work(req, res), { onError: () => {} })
const expressApp = (of: typeof express, ...layers: unknown[]) =>
  createServer(
    of()
      .set('env', 'test')
      .use('/hook', ...(layers as []))
  )

async function startNest(): Promise<Server> {
  Logger.overrideLogger(false)
  class HookController {
    receive(req: IncomingMessage, res: ServerResponse) {
      return work(req, res)
    }
  }
  Req()(HookController.prototype, 'receive', 0)
  Res()(HookController.prototype, 'receive', 1)
  const receive = { value: HookController.prototype.receive } as TypedPropertyDescriptor<unknown>
  All('hook')(HookController.prototype, 'receive', receive)
  Controller()(HookController)
  class App {}
  Module({ controllers: [HookController] })(App)
  const app = (await NestFactory.create(App)).use('/hook', nodeMiddleware(verify))
  await app.init()
  return app.getHttpServer()
}

async function startFastify(): Promise<Server> {
  const receive = nodeWork()
  const app = fastify()
  app.addHook('onRequest', (request, reply) => receive(request.raw, reply.hijack().raw))
  app.all('/hook', () => {})
  await app.ready()
  return app.server
}

function startConnect(): Server {
  const app = connect()
  app.use('/hook', nodeMiddleware(verify))
  app.use('/hook', work as never)
  // Its own answer to an error tells the console.
  app.use((_error: unknown, _req: unknown, res: ServerResponse, _next: unknown) => res.writeHead(500).end())
  return createServer(app as never)
}

function startKoa(): Server {
  const receive = nodeWork()
  return createServer(
    new Koa()
      .use(ctx => {
        ctx.respond = false
        return receive(ctx.req, ctx.res)
      })
      .callback()
  )
}

function startHono(): Server {
  const receive = fetchHandler(verify, workOfFetch)
  const hono = new Hono().all('/hook', c => receive(c.req.raw))
  hono.onError((_, c) => c.body(null, 500))
  return serve({ fetch: hono.fetch, port: 0, hostname: '127.0.0.1' }) as Server
}

type Again = 'accepted' | 'refused'
type Row = Readonly<Partial<Record<Outcome, Again>>>

/** Each handler and middleware: it sees every outcome. */
const ALL: Row = {
  'answers 200': 'refused',
  'answers 500': 'accepted',
  throws: 'accepted',
  rejects: 'accepted',
  'destroys the response': 'accepted',
  'hangs up': 'refused'
}
/** Neither framework sees a promise that rejects: it ends the process. */
const { rejects: _, ...WITHOUT_REJECTS } = ALL

const APPS: Readonly<Record<string, [start: () => Server | Promise<Server>, Row]>> = {
  'node:http, nodeHandler': [() => createServer(nodeWork()), ALL],
  'Express 4, nodeHandler': [() => expressApp(express4 as never, nodeWork()), ALL],
  'Express 4, nodeMiddleware': [
    () => expressApp(express4 as never, nodeMiddleware(verify), work),
    WITHOUT_REJECTS
  ],
  'Express 5, nodeHandler': [() => expressApp(express, nodeWork()), ALL],
  'Express 5, nodeMiddleware': [() => expressApp(express, nodeMiddleware(verify), work), ALL],
  'Connect, nodeMiddleware': [startConnect, WITHOUT_REJECTS],
  'Nest, nodeMiddleware': [startNest, ALL],
  'Fastify, nodeHandler': [startFastify, ALL],
  'Koa, nodeHandler': [startKoa, ALL],
  // The result has left when its body breaks off.
  'Hono, fetchHandler': [startHono, { ...ALL, 'destroys the response': 'refused' }]
}

const cases = (row: Row) => Object.entries(row) as [Outcome, Again][]

describe.each(Object.entries(APPS))('%s', (_, [start, row]) => {
  test.each(cases(row))('when the handler %s, the same bytes are %s', async (outcome, again) => {
    const server = await start()
    onTestFinished(() => void server.close())
    const port = await listen(server)
    const request = service.sign({ target: '/hook', body: '{"id":1}' })
    const bytes = wire(request, [['Connection', 'close']])

    next = outcome
    sender = connectSocket(port, '127.0.0.1').on('error', () => {})
    const closed = new Promise(resolve => sender?.once('close', resolve))
    sender.resume().write(bytes)
    await closed
    await later()

    next = 'answers 200'
    expect(statusesOf(await exchangeBytes(port, bytes))).toEqual([again === 'accepted' ? 200 : 401])
  })
})

describe('Lambda, lambdaHandler', () => {
  const LAMBDA: Row = {
    'answers 200': 'refused',
    'answers 500': 'accepted',
    throws: 'accepted',
    rejects: 'accepted'
  }
  const eventOf = (request: ReceivedRequest) => ({
    httpMethod: request.method,
    path: request.target,
    requestContext: {},
    headers: Object.fromEntries(pairs(request)),
    body: String(request.body)
  })
  test.each(cases(LAMBDA))('when the handler %s, the same bytes are %s', async (outcome, again) => {
    const handle = async () => {
      if (next === 'rejects') throw new Error('ours')
      return { statusCode: next === 'answers 500' ? 500 : 200 }
    }
    const receive = lambdaHandler(verify, () => {
      if (next === 'throws') throw new Error('ours')
      return handle()
    })
    const event = eventOf({ ...service.sign({ target: '/hook', body: '{"id":1}' }), body: '{"id":1}' })
    next = outcome
    await receive(event, {}).catch(() => {})
    next = 'answers 200'
    expect((await receive(event, {})).statusCode).toBe(again === 'accepted' ? 200 : 401)
  })
})

import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import { getRequestListener } from '@hono/node-server'
import { Controller, Logger, Module, Post, Req } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { afterEach, describe, expect, test } from 'vitest'
import { fromFetchRequest, fromNodeRequest, type ReceivedRequest } from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import { sendOverHttp } from '../../test/meta/examples/senders.ts'
import { listen } from '../../test/support/listen.ts'

const service = createTestService({ rsaBits: 1024 })
const order = service.sign({ target: '/prefix/hook?id=1', body: '{"amount": 100}' })

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function send(listener: RequestListener | Server, request: ReceivedRequest = order): Promise<number> {
  const server = typeof listener === 'function' ? createServer(listener) : listener
  servers.push(server)
  return sendOverHttp(request, await listen(server))
}

/** What was thrown, for the frameworks that make a 500 of it. */
const thrown: unknown[] = []
function noting<T>(step: () => T): T {
  try {
    return step()
  } catch (error) {
    thrown.push(error)
    throw error
  }
}

async function errorOf(listener: RequestListener | Server): Promise<string> {
  thrown.length = 0
  expect(await send(listener)).toBe(500)
  expect(thrown).toEqual([expect.any(TypeError)])
  return (thrown[0] as TypeError).message
}

describe('a body that a parser has read names the fix', () => {
  test('Express behind express.json()', async () => {
    const app = express().set('env', 'test').use(express.json())
    app.post('/prefix/hook', req => noting(() => fromNodeRequest(req)))
    const message = await errorOf(app)
    expect(message).toMatch(/^the request body was already read, probably by a body parser/)
    expect(message).toContain(
      'Express: express.raw({ type: "*/*" }) on this route and { body: req.body }, or express.json({ verify:'
    )
  })

  test('Express with the parsed body as options.body', async () => {
    const app = express().set('env', 'test').use(express.json())
    app.post('/prefix/hook', req => noting(() => fromNodeRequest(req, { body: req.body })))
    const message = await errorOf(app)
    expect(message).toMatch(/^options\.body is not raw bytes but a parsed body/)
    expect(message).toContain('express.raw({ type: "*/*" })')
  })

  test('Fastify with its own parser', async () => {
    const app = fastify()
    app.post('/prefix/hook', async request => noting(() => fromNodeRequest(request.raw)))
    await app.ready()
    expect(await errorOf(app.server)).toContain('Fastify: addContentTypeParser("*",')
    await app.close()
  })

  test('Koa behind a body parser', async () => {
    const app = new Koa()
    app.silent = true
    app.use(async (ctx, next) => {
      Object.assign(ctx.request, { body: JSON.parse(await text(ctx.req)) })
      await next()
    })
    app.use(ctx => noting(() => fromNodeRequest(ctx.req)) && undefined)
    expect(await errorOf(app.callback())).toContain('Koa: this route before the body parser')
  })

  test('Nest without rawBody: true', async () => {
    Logger.overrideLogger(false)
    class Hooks {
      receive(req: IncomingMessage & { rawBody?: Buffer }) {
        return noting(() => fromNodeRequest(req, { body: req.rawBody }))
      }
    }
    Post('*path')(Hooks.prototype, 'receive', Object.getOwnPropertyDescriptor(Hooks.prototype, 'receive')!)
    Req()(Hooks.prototype, 'receive', 0)
    Controller('prefix')(Hooks)
    class App {}
    Module({ controllers: [Hooks] })(App)
    const app = await NestFactory.create(App)
    await app.init()
    expect(await errorOf(app.getHttpServer())).toContain(
      'Nest: NestFactory.create(AppModule, { rawBody: true })'
    )
    await app.close()
  })

  test('Hono after c.req.json()', async () => {
    const app = new Hono()
    app.onError((_, c) => c.body(null, 500))
    app.post('/prefix/hook', async c => {
      await c.req.json()
      noting(() => fromFetchRequest(c.req.raw))
      return c.body(null)
    })
    const message = await errorOf(getRequestListener(app.fetch, { overrideGlobalObjects: false }))
    expect(message).toMatch(/^the request body was already read.*call verify\(\) first and use verdict\.body/)
  })
})

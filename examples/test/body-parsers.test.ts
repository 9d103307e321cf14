import { readFileSync } from 'node:fs'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse
} from 'node:http'
import { text } from 'node:stream/consumers'
import { getRequestListener } from '@hono/node-server'
import { All, Controller, Logger, Module, Post, Req, Res } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { afterEach, describe, expect, test } from 'vitest'
import {
  createVerifier,
  fromFetchRequest,
  fromNodeRequest,
  httpStatus,
  nodeHandler,
  type ReceivedRequest
} from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import { sendOverHttp } from '../../test/meta/examples/senders.ts'
import { listen } from '../../test/support/listen.ts'
import { parsedBodyMessage } from '../../test/support/parsed-body.ts'

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

/** Collects the errors that a framework turns into a 500. */
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
    expect(message).toMatch(/the request body was already read, probably by a body parser/)
    expect(message).toContain('Express: this route above app.use(express.json()), or ')
  })

  test('Express with the parsed body as options.body', async () => {
    const app = express().set('env', 'test').use(express.json())
    app.post('/prefix/hook', req => noting(() => fromNodeRequest(req, { body: req.body })))
    const message = await errorOf(app)
    expect(message).toMatch(/^options\.body is not raw bytes but a parsed body/)
    expect(message).toContain('{ body: req.rawBody } to fromNodeRequest()')
  })

  test('Fastify with its own parser', async () => {
    const app = fastify()
    app.post('/prefix/hook', async request => noting(() => fromNodeRequest(request.raw)))
    await app.ready()
    expect(await errorOf(app.server)).toContain('Fastify: in a plugin with this route, ')
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
    expect(await errorOf(app.callback())).toContain('Koa: this route above the body parser')
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
    expect(message).toMatch(/the request body was already read.*call verify\(\) first and use verdict\.body/)
  })
})

describe('what the message and docs/troubleshooting.md advise lets the request in, in the place that they name', () => {
  const message = parsedBodyMessage()
  const page = readFileSync('docs/troubleshooting.md', 'utf8')
  const verify = createVerifier({ ...service.options, requireHttps: false })

  /** Runs a piece of code from the message as it is written there, with these names. */
  function advised(code: string, names: Readonly<Record<string, unknown>> = {}): unknown {
    expect(message).toContain(code)
    return new Function(...Object.keys(names), `return (${code})`)(...Object.values(names))
  }

  /** Returns an option that both the message and the page have. */
  function optionOf(code: string, names = {}): { body: never } {
    expect(page).toContain(`\`${code}\``)
    return advised(code, names) as { body: never }
  }
  const KEEP = 'app.use(express.json({ verify: (req, _res, bytes) => { req.rawBody = bytes } }))'
  const receive = nodeHandler(verify, () => {})

  test('Express: the route above app.use(express.json())', async () => {
    const app = express()
    app.use('/prefix', receive)
    advised('app.use(express.json())', { app, express })
    expect(await send(app)).toBe(204)
    expect(page).toContain('above `app.use(express.json())`')
  })

  test('Express: express.raw() below app.use(express.json()) is not advised, and does not help', async () => {
    const app = express().set('env', 'test').use(express.json())
    const raw = nodeHandler<express.Request, express.Response>(verify, () => {}, { body: req => req.body })
    app.use('/prefix', express.raw({ type: '*/*' }), raw)
    expect(await send(app)).toBe(500)
    expect(message).not.toContain('express.raw')
    expect(page).toContain('`express.raw()` below it is too late')
  })

  test('Express: the bytes that express.json() keeps, for nodeHandler and for fromNodeRequest', async () => {
    expect(page).toContain(`\`${KEEP}\``)
    const handled = express()
    advised(KEEP, { app: handled, express })
    handled.use(
      '/prefix',
      nodeHandler(verify, () => {}, optionOf('{ body: req => req.rawBody }'))
    )
    expect(await send(handled)).toBe(204)

    const adapted = express()
    advised(KEEP, { app: adapted, express })
    adapted.use('/prefix', async (req, res) => {
      const verdict = await verify(fromNodeRequest(req, optionOf('{ body: req.rawBody }', { req })))
      res.status(httpStatus(verdict)).end()
    })
    expect(await send(adapted)).toBe(200)
  })

  test('Nest: rawBody: true', async () => {
    class Hooks {
      async receive(req: IncomingMessage, res: ServerResponse) {
        await nodeHandler(verify, () => {}, optionOf('{ body: req => req.rawBody }'))(req, res)
      }
    }
    All('*path')(Hooks.prototype, 'receive', Object.getOwnPropertyDescriptor(Hooks.prototype, 'receive')!)
    Req()(Hooks.prototype, 'receive', 0)
    Res()(Hooks.prototype, 'receive', 1)
    Controller('prefix')(Hooks)
    class AppModule {}
    Module({ controllers: [Hooks] })(AppModule)
    const code = 'NestFactory.create(AppModule, { rawBody: true })'
    expect(page).toContain(`\`${code}\``)
    const app = await (advised(code, { NestFactory, AppModule }) as ReturnType<typeof NestFactory.create>)
    await app.init()
    expect(await send(app.getHttpServer())).toBe(204)
    await app.close()
  })

  test('Fastify: no parser in the plugin with the route', async () => {
    const app = fastify()
    app.register(async scope => {
      advised('scope.removeAllContentTypeParsers()', { scope })
      advised('scope.addContentTypeParser("*", (_request, _payload, done) => done(null))', { scope })
      scope.post('/prefix/hook', (request, reply) => receive(request.raw, reply.hijack().raw))
    })
    await app.ready()
    expect(await send(app.server)).toBe(204)
    await app.close()
  })

  test('Koa: the route above the body parser', async () => {
    const app = new Koa()
    app.use(ctx => {
      ctx.respond = false
      return receive(ctx.req, ctx.res)
    })
    app.use(async ctx => Object.assign(ctx.request, { body: JSON.parse(await text(ctx.req)) }))
    expect(await send(app.callback())).toBe(204)
  })
})

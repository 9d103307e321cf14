import { createServer, type Server } from 'node:http'
import { All, Controller, Get, Logger, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
// @ts-expect-error it has the types of Express 5 nearly, but not under this name
import express4 from 'express4'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createVerifier, nodeHandler } from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import { listen } from '../../test/support/listen.ts'
import { exchange } from '../../test/support/node-server.ts'

// nodeHandler says once that what after it never runs.

const service = createTestService({ rsaBits: 1024 })
const verify = createVerifier({ ...service.options, requireHttps: false })

afterEach(() => void vi.restoreAllMocks())

/** Sends two signed requests; returns how often the console was warned. */
async function warnings(server: Server): Promise<number> {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  onTestFinished(() => void server.close())
  const port = await listen(server)
  for (const target of ['/hook?id=1', '/hook?id=2'])
    expect((await exchange(service.sign({ target, body: '{}' }), port)).status).toBe(204)
  expect(warn.mock.calls.flat().filter(text => !String(text).includes('nodeMiddleware(verify'))).toEqual([])
  return warn.mock.calls.length
}

const other: RequestHandler = (_req, res) => void res.sendStatus(418)
const onError: ErrorRequestHandler = (_error, _req, res, _next) => void res.sendStatus(418)
type Mount = (app: Express, receive: RequestHandler, of: typeof express) => unknown

const MISTAKES: Readonly<Record<string, Mount>> = {
  'a handler of the same route': (app, receive) => app.post('/hook', receive, other),
  'a handler of app.all()': (app, receive) => app.all('/hook', receive, other),
  'another route of the same path': (app, receive) => app.post('/hook', receive).post('/hook', other),
  'a route below its path': (app, receive) => app.use('/hook', receive).post('/hook', other),
  'middleware of the same path': (app, receive) => app.use('/hook', receive, other),
  'a route in its router': (app, receive, of) => app.use('/hook', of.Router().use(receive).post('/', other)),
  'a route of the same router': (app, receive, of) =>
    app.use(of.Router().post('/hook', receive).post('/hook', other))
}

const RIGHT: Readonly<Record<string, Mount>> = {
  'a parser for every path': (app, receive, of) => app.use('/hook', receive).use(of.json()),
  'an answer 404 for every path': (app, receive) => app.use('/hook', receive).use(other),
  'a route for every path': (app, receive) => app.use('/hook', receive).all(/.*/, other),
  'a route for another method': (app, receive) => app.post('/hook', receive).get('/hook', other),
  'a route for another path': (app, receive) => app.use('/hook', receive).post('/hooks', other),
  'a handler of errors': (app, receive) => app.post('/hook', receive, onError),
  'a handler in front': (app, receive) => app.post('/hook', (_req, _res, next) => next(), receive)
}

describe.each([
  ['Express 4', express4 as typeof express],
  ['Express 5', express]
])('%s', (_, of) => {
  const start = (mount: Mount) => {
    const app = of().set('env', 'test')
    mount(
      app,
      nodeHandler(verify, () => {}),
      of
    )
    return createServer(app)
  }
  test.each(Object.entries(MISTAKES))('%s behind nodeHandler: a warning, once', async (_, mount) => {
    expect(await warnings(start(mount))).toBe(1)
  })
  test.each(Object.entries(RIGHT))('%s: no warning', async (_, mount) => {
    expect(await warnings(start(mount))).toBe(0)
  })
})

test.each([
  ['All', All, 1],
  ['Get', Get, 0]
])('Nest: a controller with @%s behind nodeHandler', async (_, on, expected) => {
  Logger.overrideLogger(false)
  class HookController {
    receive() {}
  }
  on('hook')(HookController.prototype, 'receive', {
    value: HookController.prototype.receive
  } as TypedPropertyDescriptor<unknown>)
  Controller()(HookController)
  class App {}
  Module({ controllers: [HookController] })(App)
  const app = (await NestFactory.create(App)).use(
    '/hook',
    nodeHandler(verify, () => {})
  )
  await app.init()
  expect(await warnings(app.getHttpServer())).toBe(expected)
})

import { createServer, type RequestListener, type Server } from 'node:http'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import { afterEach, describe, expect, test } from 'vitest'
import { assertVerified, createVerifier, fromNodeRequest, type ReceivedRequest } from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import { sendOverHttp } from '../../test/meta/examples/senders.ts'
import { listen } from '../../test/support/listen.ts'

const service = createTestService({ rsaBits: 1024 })
const options = { ...service.options, requireHttps: false, maxBodyBytes: 20 }
const verify = createVerifier(options)
const verifyWithoutDns = createVerifier({ ...options, lookupTxt: () => Promise.reject(new Error('down')) })

const good = service.sign({ method: 'POST', target: '/hook', body: '{}' })
const forged = service.sign({ method: 'POST', target: '/hook', body: '{}', host: 'evil-sender.example' })
const large = service.sign({ method: 'POST', target: '/hook', body: 'x'.repeat(21) })

describe('an error that reaches the framework is answered with its status', () => {
  const servers: Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })
  async function send(listener: RequestListener | Server, request: ReceivedRequest): Promise<number> {
    const server = typeof listener === 'function' ? createServer(listener) : listener
    servers.push(server)
    return sendOverHttp(request, await listen(server))
  }

  const CASES = [
    ['a good request', verify, good, 204],
    ['a forged one', verify, forged, 401],
    ['one that is too large', verify, large, 413],
    ['one that cannot be decided', verifyWithoutDns, good, 503]
  ] as const

  test.each(CASES)('Express: %s', async (_, judge, request, status) => {
    const app = express().set('env', 'test')
    app.post('/hook', async (req, res) => {
      assertVerified(await judge(fromNodeRequest(req)))
      res.status(204).end()
    })
    expect(await send(app, request)).toBe(status)
  })

  test.each(CASES)('Koa: %s', async (_, judge, request, status) => {
    const app = new Koa()
    app.silent = true
    app.use(async ctx => {
      assertVerified(await judge(fromNodeRequest(ctx.req)))
      ctx.status = 204
    })
    expect(await send(app.callback(), request)).toBe(status)
  })

  test.each(CASES)('Fastify: %s', async (_, judge, request, status) => {
    const app = fastify()
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, done) => done(null))
    app.post('/hook', async (req, reply) => {
      assertVerified(await judge(fromNodeRequest(req.raw)))
      return reply.code(204).send()
    })
    await app.ready()
    expect(await send(app.server, request)).toBe(status)
    await app.close()
  })
})

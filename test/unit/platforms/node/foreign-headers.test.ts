import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server, type Http2ServerResponse } from 'node:http2'
import { connect, type Server } from 'node:net'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createVerifier,
  fetchHandler,
  lambdaHandler,
  nodeHandler,
  type ReceivedRequest,
  sendRefusal,
  type Verified
} from '../../../../src/index.ts'
import { createTestService } from '../../../../src/testing/index.ts'
import { pairs } from '../../../meta/examples/kinds.ts'
import { listen } from '../../../support/listen.ts'

// What middleware and handlers set on a response before an answer of ours. Seen from outside, as bytes of a connection:
// the answer has only headers of ours, and nothing ends the process or leaves a promise that rejects.

const service = createTestService({ rsaBits: 1024 })
const verify = createVerifier({ ...service.options, requireHttps: false })

type Change = (res: ServerResponse) => void

const setHeaders =
  (headers: Record<string, string | string[]>): Change =>
  res => {
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  }

/** As the package on-headers does, and with it express-session, cookie-session and compression. */
const beforeHead =
  (change: Change): Change =>
  res => {
    const { writeHead } = res
    res.writeHead = ((...given: [number]) => {
      change(res)
      return writeHead.apply(res, given)
    }) as never
  }

const CHANGES: Readonly<Record<string, Change>> = {
  Trailer: setHeaders({ Trailer: 'X-Checksum' }),
  'Trailer and trailers': res => {
    res.setHeader('Trailer', 'X-Checksum')
    res.addTrailers({ 'X-Checksum': '1' })
  },
  'Transfer-Encoding': setHeaders({ 'Transfer-Encoding': 'chunked' }),
  'Transfer-Encoding and Trailer': setHeaders({ 'Transfer-Encoding': 'gzip, chunked', Trailer: 'X' }),
  'Content-Length': setHeaders({ 'Content-Length': '100' }),
  'two of Content-Length': setHeaders({ 'Content-Length': ['5', '6'] }),
  'Content-Encoding and Content-Type': setHeaders({
    'Content-Encoding': 'gzip',
    'Content-Type': 'text/html'
  }),
  'ETag, Set-Cookie, Location': setHeaders({ ETag: '"1"', 'Set-Cookie': ['a=1', 'b=2'], Location: '/' }),
  'Connection and Keep-Alive': setHeaders({ Connection: 'keep-alive', 'Keep-Alive': 'timeout=9' }),
  Upgrade: setHeaders({ Connection: 'upgrade', Upgrade: 'websocket' }),
  Date: setHeaders({ Date: 'yesterday' }),
  'WWW-Authenticate and Retry-After': setHeaders({ 'WWW-Authenticate': 'Basic', 'Retry-After': '0' }),
  'a reason that cannot be sent': res => {
    res.statusMessage = 'a\r\nX-Injected: 1'
  },
  'what is set as the head is written': beforeHead(setHeaders({ Trailer: 'X', 'Set-Cookie': 'a=1' })),
  'a method that throws as the head is written': beforeHead(() => {
    throw new Error('of a middleware')
  }),
  'a method that ends with a body': res => {
    const { end } = res
    res.end = (() => end.call(res, 'a body', 'utf8')) as never
  }
}

let change: Change = () => {}
let isAfter = false
const settled: string[] = []
const rejections: unknown[] = []
const noteRejection = (error: unknown) => rejections.push(error)
const servers: Server[] = []

beforeEach(() => {
  settled.length = 0
  rejections.length = 0
  process.on('unhandledRejection', noteRejection).on('uncaughtException', noteRejection)
})
afterEach(() => {
  process.off('unhandledRejection', noteRejection).off('uncaughtException', noteRejection)
  for (const server of servers.splice(0)) server.close()
})

function handle(_: Verified, _req: IncomingMessage, res: ServerResponse): void {
  if (isAfter) change(res)
  throw new Error('ours')
}
const receive = nodeHandler(verify, handle, { onError: () => {} })

const note = (promise: Promise<unknown>) =>
  promise.then(
    () => settled.push('resolved'),
    () => settled.push('rejected')
  )

/** A middleware that changes the response, and then the handler. */
const app = (req: IncomingMessage, res: ServerResponse) => {
  if (!isAfter) change(res)
  return note(receive(req, res))
}

const SERVERS: Readonly<Record<string, () => Server | Promise<Server>>> = {
  'node:http': () => createServer(app),
  Express: () => createServer(express().use((req, res) => void app(req, res))),
  Koa: () =>
    createServer(
      new Koa()
        .use(ctx => {
          ctx.respond = false
          return app(ctx.req, ctx.res)
        })
        .callback()
    ),
  Fastify: async () => {
    const instance = fastify()
    instance.addHook('onRequest', (request, reply) => void app(request.raw, reply.hijack().raw))
    instance.all('/hook', () => {})
    await instance.ready()
    return instance.server
  },
  'sendRefusal()': () =>
    createServer(async (req, res) => {
      change(res)
      await note(verify(requestOf(req)).then(verdict => sendRefusal(res, verdict as never)))
    })
}

const requestOf = (req: IncomingMessage): ReceivedRequest => ({
  method: 'GET',
  target: req.url!,
  headers: [],
  body: null,
  https: false
})

/** All bytes that a server sends for one request. */
async function talk(server: Server, bytes: Buffer): Promise<string> {
  servers.push(server)
  const socket = connect(await listen(server), '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', chunk => chunks.push(chunk)).on('error', () => {})
  socket.write(bytes)
  // A connection that stays open is a failure, which the comparison shows.
  const timer = setTimeout(() => socket.destroy(), 1500)
  await new Promise(resolve => socket.once('close', resolve))
  clearTimeout(timer)
  await new Promise(resolve => setImmediate(resolve))
  return Buffer.concat(chunks).toString()
}

function wire({ method, target, headers, body }: ReceivedRequest): Buffer {
  const lines = pairs({ headers } as ReceivedRequest).map(([name, value]) => `${name}: ${value}`)
  const head = [`${method} ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head), Buffer.from((body ?? '') as string)])
}

const DATE = 'Date: (now)'
const REFUSED = ['HTTP/1.1 401 Unauthorized', 'WWW-Authenticate: Signature', 'Content-Length: 0', 'Connection: close']
const FAILED = ['HTTP/1.1 500 Internal Server Error', 'Content-Length: 0', 'Connection: close']

function sorted(answer: string): string[] {
  const [head = '', ...body] = answer.split('\r\n\r\n')
  const [status = '', ...lines] = head.replace(/^Date: \w{3}, .* GMT$/m, DATE).split('\r\n')
  return [status, ...lines.sort(), ...body.filter(text => text !== '')]
}
const lines = ([status = '', ...headers]: string[]) => [status, ...[...headers, DATE].sort()]

describe.each(Object.entries(SERVERS))('%s', (_, start) => {
  test.each(Object.entries(CHANGES))('a refusal has only headers of ours: %s', async (_, by) => {
    change = by
    isAfter = false
    const answer = await talk(await start(), Buffer.from('GET /hook HTTP/1.1\r\nHost: a\r\n\r\n'))
    expect(sorted(answer)).toEqual(lines(REFUSED))
    expect(settled).toEqual(['resolved'])
    expect(rejections).toEqual([])
  })
})

const { 'sendRefusal()': _, ...handlers } = SERVERS

describe.each(Object.entries(handlers))('%s', (_, start) => {
  test.each(Object.entries(CHANGES))('a handler that throws after it: %s', async (_, by) => {
    change = by
    isAfter = true
    const answer = await talk(await start(), wire(service.sign({ target: '/hook', body: '{}' })))
    expect(sorted(answer)).toEqual(lines(FAILED))
    expect(settled).toEqual(['resolved'])
    expect(rejections).toEqual([])
  })
})

describe('after the head was sent by the handler', () => {
  test.each([
    ['a part', (res: ServerResponse) => void res.writeHead(200, { 'Content-Length': 9 }).write('1234')],
    ['all', (res: ServerResponse) => void res.writeHead(200, { 'Content-Length': 2 }).end('12')],
    ['a Trailer', (res: ServerResponse) => void res.writeHead(200, { Trailer: 'X' }).write('1234')],
    ['nothing more', (res: ServerResponse) => void res.destroy()]
  ])('%s: it has one status line, and ends', async (_, by) => {
    change = by
    isAfter = true
    const server = createServer((req, res) => {
      res.shouldKeepAlive = false
      return app(req, res)
    })
    const answer = await talk(server, wire(service.sign({ target: '/hook', body: '{}' })))
    expect(answer.match(/HTTP\/1\.1 \d+/g) ?? []).toEqual(by.name === '' && answer === '' ? [] : ['HTTP/1.1 200'])
    expect(settled).toEqual(['resolved'])
    expect(rejections).toEqual([])
  })
})

describe('an answer without content, which the handler leaves to us', () => {
  test.each([
    ['Trailer', 204],
    ['Transfer-Encoding', 204],
    ['Transfer-Encoding and Trailer', 204],
    ['Content-Length', 204],
    ['Content-Length', 202],
    ['Transfer-Encoding', 202]
  ])('has no framing but ours, and the handler’s other headers: %s, %i', async (name, status) => {
    const receive = nodeHandler(verify, (_, _req, res) => {
      CHANGES[name]!(res)
      res.setHeader('X-Own', '1')
      res.shouldKeepAlive = false
      if (status !== 204) res.statusCode = status
    })
    const answer = await talk(createServer(receive), wire(service.sign({ target: '/hook', body: '{}' })))
    const length = status === 204 ? [] : ['Content-Length: 0']
    const [, ...headers] = sorted(answer)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(headers).toEqual([...length, 'Connection: close', 'X-Own: 1', DATE].sort())
  })
})

describe('HTTP/2', () => {
  const changes: Readonly<Record<string, (res: Http2ServerResponse) => void>> = {
    headers: res => {
      for (const name of ['trailer', 'content-length', 'content-encoding', 'etag', 'set-cookie', 'upgrade'])
        res.setHeader(name, '5')
    },
    trailers: res => res.addTrailers({ 'x-checksum': '1' }),
    'what is set as the head is written': res => beforeHead(setHeaders({ 'Set-Cookie': 'a=1' }))(res as never)
  }

  test.each(Object.entries(changes).flatMap(([name, by]) => [[name, by, 401] as const, [name, by, 500] as const]))(
    'an answer has only headers of ours: %s (%#)',
    async (_, by, status) => {
      const receive = nodeHandler<never, never>(
        verify,
        (_, _req, res) => {
          by(res)
          throw new Error('ours')
        },
        { onError: () => {} }
      )
      const server = createHttp2Server((req, res) => {
        if (status === 401) by(res)
        note(receive(req as never, res as never))
      })
      servers.push(server)
      const session = connectHttp2(`http://127.0.0.1:${await listen(server)}`)
      const signed = service.sign({ target: '/hook' })
      const fields = pairs(signed).map(([name, value]) => [name === 'Host' ? ':authority' : name, value])
      const stream = session.request(
        status === 401 ? { ':path': '/hook' } : { ':path': '/hook', ...Object.fromEntries(fields) }
      )
      let head: Record<string, unknown> = {}
      const trailers = vi.fn()
      stream.on('response', headers => {
        // Without the symbol that Node.js adds.
        head = Object.fromEntries(Object.entries(headers))
      })
      stream.on('trailers', trailers).on('error', () => {})
      await new Promise(resolve => stream.resume().once('close', resolve))
      session.close()
      const challenge = status === 401 ? { 'www-authenticate': 'Signature' } : {}
      expect(head).toEqual({ ':status': status, date: expect.any(String), ...challenge })
      expect(trailers).not.toHaveBeenCalled()
      expect(settled).toEqual(['resolved'])
      expect(rejections).toEqual([])
    }
  )
})

describe('fetch and Lambda', () => {
  const unsigned = 'https://receiver.example/hook'

  test('a refusal has only headers of ours, whatever onRefused does', async () => {
    const receive = fetchHandler(verify, () => undefined, {
      onRefused: (_, request) => request.headers.set('Trailer', 'X')
    })
    expect([...(await receive(new Request(unsigned))).headers]).toEqual([['www-authenticate', 'Signature']])
  })

  test('a result has only headers of ours, and changing it changes no other', async () => {
    const receive = lambdaHandler(verify, () => undefined)
    const event = { httpMethod: 'GET', path: '/hook', headers: {}, requestContext: {} }
    const result = await receive(event, undefined)
    const expected = { statusCode: 401, headers: { 'WWW-Authenticate': 'Signature' }, body: '' }
    expect(result).toEqual(expected)
    Object.assign(result.headers!, { Trailer: 'X' })
    expect(await receive(event, undefined)).toEqual(expected)
  })
})

test('a `next` that throws or rejects leaves no promise that rejects', async () => {
  const reported = vi.spyOn(console, 'error').mockReturnValue()
  for (const next of [() => Promise.reject(new Error('of next')), () => Promise.resolve().then(nothing)]) {
    const receive = nodeHandler(verify, nothing, { body: () => ({ parsed: true }) as never })
    const server = createServer((req, res) => void note(receive(req, res, next as never)))
    const answer = await talk(server, Buffer.from('GET /hook HTTP/1.1\r\nHost: a\r\n\r\n'))
    expect(sorted(answer)).toEqual(lines(FAILED))
  }
  expect(settled).toEqual(['resolved', 'resolved'])
  expect(reported.mock.calls).toEqual([[new Error('of next')], [new Error('thrown')]])
  reported.mockRestore()
})

function nothing(): never {
  throw new Error('thrown')
}

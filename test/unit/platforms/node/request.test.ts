import { type EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import {
  connect as connectHttp2,
  createServer as createHttp2Server,
  createSecureServer,
  type Http2ServerRequest
} from 'node:http2'
import { connect, type Server, type Socket } from 'node:net'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createVerifier, fromNodeRequest, httpStatus, type ReceivedRequest } from '../../../../src/index.ts'
import { KINDS, pairs } from '../../../meta/examples/kinds.ts'
import { sendOverHttp, sendOverHttp2 } from '../../../meta/examples/senders.ts'
import { type Certificate, makeCertificate } from '../../../support/https.ts'
import { listen as listenOn } from '../../../support/listen.ts'
import { service } from '../../../support/service.ts'
import { failuresOf } from '../../../support/verdicts.ts'

const verify = createVerifier({ ...service.options, requireHttps: false })

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function listen(server: Server): Promise<number> {
  closing.push(() => server.close())
  return listenOn(server)
}

/** The bytes of a head, sent as they are. The socket stays open. */
async function sendHead(port: number, ...lines: string[]): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  closing.push(() => socket.destroy())
  socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return socket
}

/** What the server is given for one request whose head is these lines. */
async function receive(...lines: string[]): Promise<{ req: IncomingMessage; socket: Socket }> {
  const server = createServer()
  const requested = once(server, 'request')
  const socket = await sendHead(await listen(server), ...lines)
  const [req] = await requested
  return { req, socket }
}

/** `once()` would reject for the error of an aborted request. */
const closeOf = (req: EventEmitter) => new Promise(resolve => req.once('close', resolve))

const linesOf = (request: ReceivedRequest) => pairs(request).map(([name, value]) => `${name}: ${value}`)

describe('the head', () => {
  test('is as received: names in their case, repeats in their order, the target byte for byte', async () => {
    const { req } = await receive(
      'POST //a%2Fb/../%e2%82%ac?x=/y?z&%zz HTTP/1.1',
      'Host: receiver.example',
      'X-Twice: one',
      'Date: a',
      'x-twice: two',
      'DATE: b',
      'Content-Length: 2'
    )
    const request = fromNodeRequest(req)
    expect(request.method).toBe('POST')
    expect(request.target).toBe('//a%2Fb/../%e2%82%ac?x=/y?z&%zz')
    expect(request.https).toBe(false)
    expect(linesOf(request)).toEqual([
      'Host: receiver.example',
      'X-Twice: one',
      'Date: a',
      'x-twice: two',
      'DATE: b',
      'Content-Length: 2'
    ])
  })

  test('of a router that is mounted under a prefix has the target that was received', async () => {
    const { req } = await receive('GET /prefix/hook HTTP/1.1', 'Host: receiver.example')
    Object.assign(req, { originalUrl: '/prefix/hook', url: '/hook' })
    expect(fromNodeRequest(req).target).toBe('/prefix/hook')
  })

  test('takes originalUrl only from the request itself, not from a prototype', async () => {
    const { req } = await receive('GET /hook HTTP/1.1', 'Host: receiver.example')
    const polluted = Object.prototype as Record<string, unknown>
    try {
      polluted['originalUrl'] = '/signed'
      expect(fromNodeRequest(req).target).toBe('/hook')
    } finally {
      delete polluted['originalUrl']
    }
  })

  test('passes on a second Host and an absolute URL unchanged', async () => {
    const { req } = await receive(
      'GET https://receiver.example/hook HTTP/1.1',
      'Host: receiver.example',
      'Host: other.example'
    )
    const request = fromNodeRequest(req)
    expect(request).toMatchObject({ target: 'https://receiver.example/hook', https: false })
    expect(linesOf(request)).toEqual(['Host: receiver.example', 'Host: other.example'])
  })
})

describe('HTTP/2', () => {
  let certificate: Certificate
  beforeAll(async () => {
    certificate = await makeCertificate('receiver.example')
  })

  /** What the server is given for one request with these header fields. */
  async function receiveHttp2(headers: Record<string, string>): Promise<Http2ServerRequest> {
    const server = createHttp2Server()
    const requested = once(server, 'request')
    const session = connectHttp2(`http://127.0.0.1:${await listen(server)}`)
    closing.push(() => session.destroy())
    session.request({ ':method': 'POST', ':path': '//a%2Fb?x', ...headers }).on('error', () => {})
    const [req] = await requested
    return req
  }

  test('takes Host from :authority, drops pseudo-headers and does not trust :scheme', async () => {
    const req = await receiveHttp2({ ':authority': 'receiver.example', ':scheme': 'https', 'x-a': '1' })
    const request = fromNodeRequest(req)
    expect(request).toMatchObject({ method: 'POST', target: '//a%2Fb?x', https: false })
    expect(linesOf(request)).toEqual(['x-a: 1', 'Host: receiver.example'])
  })

  test.each([
    ['the same Host beside it is one', 'receiver.example', ['host: receiver.example']],
    ['another Host beside it is two', 'other.example', ['host: other.example', 'Host: receiver.example']]
  ])('%s', async (_, host, expected) => {
    const req = await receiveHttp2({ ':authority': 'receiver.example', host })
    expect(linesOf(fromNodeRequest(req))).toEqual(expected)
  })

  test('is HTTPS with TLS, with a body and without', async () => {
    const verifyHttps = createVerifier(service.options)
    const server = createSecureServer(certificate, async (req, res) => {
      res.writeHead(httpStatus(await verifyHttps(fromNodeRequest(req)))).end()
    })
    const port = await listen(server)
    for (const { request } of KINDS) {
      expect(await sendOverHttp2(service.sign(request), port, certificate.cert)).toBe(200)
    }
  })

  test('is not HTTPS once the session is gone, and does not throw', async () => {
    const req = await receiveHttp2({ ':authority': 'receiver.example' })
    const closed = closeOf(req)
    req.stream.session?.destroy()
    await closed
    expect(fromNodeRequest(req).https).toBe(false)
  })
})

describe('a body that was read already', () => {
  const head = ['POST / HTTP/1.1', 'Host: receiver.example', 'Content-Length: 2', '', '{}']

  test('is options.body', async () => {
    const { req } = await receive(...head)
    req.resume()
    await once(req, 'end')
    const bytes = Buffer.from('{}')
    expect(fromNodeRequest(req, { body: bytes }).body).toBe(bytes)
    expect(fromNodeRequest(req, { body: '{}' }).body).toBe('{}')
  })

  test.each([
    ['undefined (Express 5)', undefined],
    ['an empty object (Express 4)', {}],
    ['null', null]
  ])('the stream is the body when a parser had nothing to parse and leaves %s', async (_, body) => {
    const { req } = await receive(...head)
    const verdict = await verify({
      ...service.sign({ body: '{}' }),
      body: fromNodeRequest(req, { body: body as never }).body
    })
    expect(verdict.status).toBe('verified')
  })

  test('that was empty is null', async () => {
    const { req } = await receive('POST / HTTP/1.1', 'Host: receiver.example', 'Content-Length: 0')
    req.resume()
    await once(req, 'end')
    expect(fromNodeRequest(req).body).toBeNull()
    expect(fromNodeRequest(req, { body: {} as never }).body).toBeNull()
  })
})

describe('a sender that disconnects', () => {
  const signed = service.sign({ body: '0123456789' })
  const head = ['POST / HTTP/1.1', ...linesOf(signed), '', '01234']

  test('while the body is read', async () => {
    const { req, socket } = await receive(...head)
    const judging = verify(fromNodeRequest(req))
    socket.destroy()
    expect(failuresOf(await judging)).toEqual(['digest: body-unreadable'])
  })

  test('before the body is read', async () => {
    const { req, socket } = await receive(...head)
    const closed = closeOf(req)
    socket.destroy()
    await closed
    expect(failuresOf(await verify(fromNodeRequest(req)))).toEqual(['digest: body-unreadable'])
  })

  test('while a parser reads the body', async () => {
    const { req, socket } = await receive(...head)
    const closed = closeOf(req)
    req.resume()
    socket.destroy()
    await closed
    expect(failuresOf(await verify(fromNodeRequest(req)))).toEqual(['digest: body-unreadable'])
  })

  test.each([
    ['before', 8],
    ['while', 8],
    // a reset without an error: Node.js ends the stream as if it were complete
    ['before', 0],
    ['while', 0]
  ])('over HTTP/2, %s the body is read, with code %i', async (when, code) => {
    const server = createHttp2Server()
    const requested = once(server, 'request')
    const session = connectHttp2(`http://127.0.0.1:${await listen(server)}`)
    closing.push(() => session.destroy())
    const fields = pairs(signed).map(([name, value]) => [name === 'Host' ? ':authority' : name.toLowerCase(), value])
    const stream = session.request({ ':method': 'POST', ':path': '/', ...Object.fromEntries(fields) })
    stream.on('error', () => {})
    stream.write('01234')
    const [req] = (await requested) as [Http2ServerRequest]
    const judging = when === 'while' ? verify(fromNodeRequest(req)) : undefined
    const closed = closeOf(req)
    stream.close(code)
    await closed
    expect(failuresOf(await (judging ?? verify(fromNodeRequest(req))))).toEqual(['digest: body-unreadable'])
  })
})

describe('the body as a stream', () => {
  const head = ['POST / HTTP/1.1', 'Host: receiver.example', 'Content-Length: 1000', '', '01234']
  const chunksOf = (req: IncomingMessage) =>
    (fromNodeRequest(req).body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()

  test('return() stops at once, also while a chunk is awaited', async () => {
    const { req, socket } = await receive(...head)
    const before = req.listenerCount('data')
    const chunks = chunksOf(req)
    expect((await chunks.next()).value).toHaveLength(9)
    const waiting = chunks.next()
    expect(await chunks.return?.()).toMatchObject({ done: true })
    expect(await waiting).toMatchObject({ done: true })
    expect(await chunks.next()).toMatchObject({ done: true })
    expect(req.listenerCount('data')).toBe(before)
    expect(req.destroyed).toBe(false)
    // and what comes then can be read by somebody else
    const dropped = once(req, 'data')
    socket.write('56789')
    expect(String((await dropped)[0])).toBe('56789')
  })

  test('return() before the first chunk leaves the request untouched', async () => {
    const { req } = await receive(...head)
    await chunksOf(req).return?.()
    expect(req.readableDidRead).toBe(false)
  })

  test('a sender that disconnects after return() does not crash the process', async () => {
    const { req, socket } = await receive(...head)
    const chunks = chunksOf(req)
    await chunks.next()
    await chunks.return?.()
    const closed = closeOf(req)
    socket.destroy()
    await closed
  })

  test('reads nothing before it is asked for', async () => {
    const server = createServer()
    const requested = once(server, 'request')
    const socket = await sendHead(await listen(server), ...head.slice(0, 2), 'Content-Length: 50000000')
    const connected = once(server, 'connection').catch(() => [])
    void connected
    const [req] = (await requested) as [IncomingMessage]
    const chunks = chunksOf(req)
    await Promise.all([chunks.next(), new Promise(resolve => socket.write(Buffer.alloc(100_000), resolve))])
    socket.write(Buffer.alloc(40_000_000))
    await new Promise(resolve => setTimeout(resolve, 50))
    expect(req.socket.bytesRead).toBeLessThan(1_000_000)
    await chunks.return?.()
  })
})

test('answers a body over the limit while the sender is still sending', async () => {
  const strict = createVerifier({ ...service.options, requireHttps: false, maxBodyBytes: 1000 })
  const answer: RequestListener = async (req, res) => {
    res.writeHead(httpStatus(await strict(fromNodeRequest(req)))).end()
  }
  const port = await listen(createServer(answer))
  expect(await sendOverHttp(service.sign({ body: Buffer.alloc(20_000_000) }), port)).toBe(413)
})

describe('instead of a request', () => {
  test.each([
    ['nothing', undefined],
    ["Fastify's request", { raw: { rawHeaders: [] }, url: '/', headers: {} }],
    ["Koa's context", { req: { rawHeaders: [] }, url: '/', headers: {} }],
    ['a Request', new Request('https://receiver.example/')]
  ])('%s', (_, req) => {
    expect(() => fromNodeRequest(req as never)).toThrow(/request\.raw in Fastify, ctx\.req in Koa.*fromFetchRequest/s)
  })

  test('the body in the place of the options', async () => {
    const { req } = await receive('GET / HTTP/1.1', 'Host: receiver.example')
    expect(() => fromNodeRequest(req, Buffer.from('{}') as never)).toThrow('for its options: pass an object with body')
    expect(() => fromNodeRequest(req, { rawBody: '' } as never)).toThrow('fromNodeRequest() has no option "rawBody"')
  })
})

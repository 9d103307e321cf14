import { type EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server, createSecureServer } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createVerifier, fromNodeRequest, httpStatus, type ReceivedRequest } from '../../../../src/index.ts'
import { KINDS } from '../../../meta/examples/kinds.ts'
import { sendOverHttp, sendOverHttp2 } from '../../../meta/examples/senders.ts'
import { type Certificate, makeCertificate } from '../../../support/https.ts'
import { http2Fields, listenInTest } from '../../../support/node-server.ts'
import { linesOf, service } from '../../../support/service.ts'
import { failuresOf } from '../../../support/verdicts.ts'

const verify = createVerifier({ ...service.options, requireHttps: false })

/** Sends a head of exactly these lines; returns the server's request. The socket stays open. */
async function receive(...lines: string[]): Promise<{ req: IncomingMessage; socket: Socket }> {
  const server = createServer()
  const requested = once(server, 'request')
  const socket = connect(await listenInTest(server), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  const [req] = await requested
  return { req, socket }
}

/** Does the same over HTTP/2. The body stays open. */
async function receiveHttp2(fields: Record<string, string>, start?: string) {
  const server = createHttp2Server()
  const requested = once(server, 'request')
  const session = connectHttp2(`http://127.0.0.1:${await listenInTest(server)}`)
  onTestFinished(() => session.destroy())
  const stream = session.request(fields, { endStream: false }).on('error', () => {})
  if (start !== undefined) stream.write(start)
  const [req] = await requested
  return { req, stream }
}

/** `once()` would reject for the error of an aborted request. */
const closeOf = (req: EventEmitter) => new Promise(resolve => req.once('close', resolve))

const textOf = (request: ReceivedRequest) => linesOf(request).map(([name, value]) => `${name}: ${value}`)
const HEAD = ['POST / HTTP/1.1', 'Host: receiver.example']

describe('the head', () => {
  test('the head is as received: names in their case, repeats in their order, the target byte for byte', async () => {
    const headers = 'Host: receiver.example|X-Twice: one|Date: a|x-twice: two|DATE: b|Content-Length: 2'.split('|')
    const { req } = await receive('POST //a%2Fb/../%e2%82%ac?x=/y?z&%zz HTTP/1.1', ...headers)
    const request = fromNodeRequest(req)
    expect(request).toMatchObject({ method: 'POST', target: '//a%2Fb/../%e2%82%ac?x=/y?z&%zz', https: false })
    expect(textOf(request)).toEqual(headers)
  })

  test('the head of a router that is mounted under a prefix has the target that was received', async () => {
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
    const hosts = ['Host: receiver.example', 'Host: other.example']
    const { req } = await receive('GET https://receiver.example/hook HTTP/1.1', ...hosts)
    expect(fromNodeRequest(req)).toMatchObject({ target: 'https://receiver.example/hook', https: false })
    expect(textOf(fromNodeRequest(req))).toEqual(hosts)
  })
})

describe('HTTP/2', () => {
  let certificate: Certificate
  beforeAll(async () => {
    certificate = await makeCertificate('receiver.example')
  })
  const FIELDS = { ':method': 'POST', ':path': '//a%2Fb?x', ':authority': 'receiver.example' }

  test('takes Host from :authority, drops pseudo-headers and does not trust :scheme', async () => {
    const { req } = await receiveHttp2({ ...FIELDS, ':scheme': 'https', 'x-a': 'receiver.example' })
    const request = fromNodeRequest(req)
    expect(request).toMatchObject({ method: 'POST', target: '//a%2Fb?x', https: false })
    expect(textOf(request)).toEqual(['x-a: receiver.example', 'Host: receiver.example'])
  })

  test.each([
    ['the same Host beside it is one', 'receiver.example', ['host: receiver.example']],
    ['another Host beside it is two', 'other.example', ['host: other.example', 'Host: receiver.example']]
  ])('over HTTP/2, %s', async (_, host, expected) => {
    const { req } = await receiveHttp2({ ...FIELDS, host })
    expect(textOf(fromNodeRequest(req))).toEqual(expected)
  })

  test('a request of HTTP/2 is HTTPS with TLS, with a body and without', async () => {
    const verifyHttps = createVerifier(service.options)
    const server = createSecureServer(certificate, async (req, res) => {
      res.writeHead(httpStatus(await verifyHttps(fromNodeRequest(req)))).end()
    })
    const port = await listenInTest(server)
    for (const { request } of KINDS) {
      expect(await sendOverHttp2(service.sign(request), port, certificate.cert)).toBe(200)
    }
  })

  test('a request of HTTP/2 is not HTTPS once the session is gone, and does not throw', async () => {
    const { req } = await receiveHttp2(FIELDS)
    const closed = closeOf(req)
    req.stream.session?.destroy()
    await closed
    expect(fromNodeRequest(req).https).toBe(false)
  })
})

describe('a body that was read already', () => {
  const head = [...HEAD, 'Content-Length: 2', '', '{}']

  test('a body that was read already is options.body', async () => {
    const { req } = await receive(...head)
    req.resume()
    await once(req, 'end')
    const bytes = Buffer.from('{}')
    expect(fromNodeRequest(req, { body: bytes }).body).toBe(bytes)
    expect(fromNodeRequest(req, { body: '{}' }).body).toBe('{}')
  })

  // Express 5 leaves undefined, Express 4 an empty object.
  test.each([undefined, {}, null])('the stream is the body when a parser leaves %j', async left => {
    const { req } = await receive(...head)
    const { body } = fromNodeRequest(req, { body: left as never })
    expect(failuresOf(await verify({ ...service.sign({ body: '{}' }), body }))).toEqual([])
  })

  test('an empty body that was already read becomes null', async () => {
    const { req } = await receive(...HEAD, 'Content-Length: 0')
    req.resume()
    await once(req, 'end')
    expect(fromNodeRequest(req).body).toBeNull()
    expect(fromNodeRequest(req, { body: {} as never }).body).toBeNull()
  })
})

describe('a sender that disconnects', () => {
  const signed = service.sign({ body: '0123456789' })
  const head = ['POST / HTTP/1.1', ...textOf(signed), '', '01234']

  async function receiveAndCut(when: 'while' | 'before' | 'parsed', code: number | undefined) {
    const { req, cut } = await (code === undefined ? overHttp1() : overHttp2(code))
    const judging = when === 'while' ? verify(fromNodeRequest(req)) : undefined
    if (when === 'parsed') req.resume()
    const closed = closeOf(req)
    cut()
    await closed
    return judging ?? verify(fromNodeRequest(req))
  }
  async function overHttp1() {
    const { req, socket } = await receive(...head)
    return { req, cut: () => void socket.destroy() }
  }
  async function overHttp2(code: number) {
    const { req, stream } = await receiveHttp2(http2Fields(signed), '01234')
    return { req, cut: () => stream.close(code) }
  }

  test.each([
    ['while the body is read', 'while', undefined],
    ['before the body is read', 'before', undefined],
    ['while a parser reads the body', 'parsed', undefined],
    ['while the body is read, over HTTP/2', 'while', 8],
    ['before the body is read, over HTTP/2', 'before', 8],
    // a reset without an error: Node.js ends the stream as if it were complete
    ['while the body is read, over HTTP/2 without an error', 'while', 0],
    ['before the body is read, over HTTP/2 without an error', 'before', 0]
  ] as const)('a sender that disconnects makes the body unreadable: %s', async (_, when, code) => {
    expect(failuresOf(await receiveAndCut(when, code))).toEqual(['digest: body-unreadable'])
  })
})

describe('the body as a stream', () => {
  const head = [...HEAD, 'Content-Length: 1000', '', '01234']
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
    // and other code can read the rest
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
    const { req, socket } = await receive(...HEAD, 'Content-Length: 50000000')
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
  const port = await listenInTest(createServer(answer))
  expect(await sendOverHttp(service.sign({ body: Buffer.alloc(20_000_000) }), port)).toBe(413)
})

describe('instead of a request', () => {
  test.each([
    ['nothing', undefined],
    ["Fastify's request", { raw: { rawHeaders: [] }, url: '/', headers: {} }],
    ["Koa's context", { req: { rawHeaders: [] }, url: '/', headers: {} }],
    ['a Request', new Request('https://receiver.example/')]
  ])('fromNodeRequest throws a TypeError instead of reading %s', (_, req) => {
    expect(() => fromNodeRequest(req as never)).toThrow(/request\.raw in Fastify, ctx\.req in Koa.*fromFetchRequest/s)
  })

  test('the body in the place of the options', async () => {
    const { req } = await receive('GET / HTTP/1.1', 'Host: receiver.example')
    expect(() => fromNodeRequest(req, Buffer.from('{}') as never)).toThrow('for its options: pass an object with body')
  })
})

test('a body over HTTP/2 that is shorter than its Content-Length is unreadable, also when it is answered already', async () => {
  const signed = service.sign({ body: '0123456789' })
  const { req, stream } = await receiveHttp2(http2Fields(signed), '01234')
  const answered = once(req.stream, 'finish')
  req.stream.respond({ ':status': 202 }, { endStream: true })
  await answered
  const verdict = verify(fromNodeRequest(req))
  stream.close(0)
  expect((await verdict).failures).toMatchObject([{ code: 'body-unreadable', evidence: { error: 'ECONNRESET' } }])
  expect(req.aborted).toBe(false)
})

test('a request without a method and a target, as a mock may be, is refused as malformed', async () => {
  const { req } = await receive('GET / HTTP/1.1', 'Host: receiver.example')
  const request = fromNodeRequest(Object.assign(req, { method: undefined, url: undefined }) as never)
  expect([request.method, request.target]).toEqual(['', ''])
  expect(failuresOf(await verify(request))).toEqual(['request: request-malformed'])
})

test('a parser that leaves an object without a prototype and without properties has read nothing', async () => {
  const { req } = await receive(...HEAD, 'Content-Length: 2', '', '{}')
  const { body } = fromNodeRequest(req, { body: Object.create(null) })
  expect(failuresOf(await verify({ ...service.sign({ body: '{}' }), body }))).toEqual([])
  const parsed = Object.assign(Object.create(null), { a: 1 })
  expect(() => fromNodeRequest(req, { body: parsed })).toThrow('options.body is not raw bytes but a parsed body')
})

test('the mistake of a body that was read names each framework and its way to the bytes', async () => {
  const { req } = await receive(...HEAD, 'Content-Length: 2', '', '{}')
  const frameworks = ['Express', 'Nest', 'Fastify', 'Koa', 'Next.js']
  expect(() => fromNodeRequest(req, { body: { a: 1 } as never })).toThrow(
    new RegExp(`^options.body is not raw bytes.*: .*req.rawBody.*${frameworks.join('.*')}`)
  )
})

import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestService } from '../../src/testing/index.ts'
import { exchangeBytes, startTestGateway, type TestGateway, wire } from './start.ts'

/** What the upstream answers, by the path of the request. */
const ANSWERS: Readonly<Record<string, string>> = {
  '/plain': 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplain',
  '/two-lengths': 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nplain!!',
  '/length-and-chunked':
    'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nplain\r\n0\r\n\r\n',
  '/bare-line-feed': 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: 1\nX-B: 2\r\n\r\nplain',
  '/nul': 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: 1\x002\r\n\r\nplain',
  '/not-http': 'SSH-2.0-OpenSSH_9.2\r\n',
  '/a-second-answer':
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplainHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison',
  '/octets-too-many': 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplainpoison',
  '/informational':
    'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplain',
  '/hop-by-hop':
    'HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=9\r\nProxy-Authenticate: Basic\r\n' +
    'Upgrade: h2c\r\nSet-Cookie: a=1\r\nX-Kept: 2\r\nset-cookie: b=2\r\nContent-Length: 5\r\n\r\nplain',
  '/trailers':
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-After\r\n\r\n5\r\nplain\r\n0\r\nX-After: 1\r\n\r\n',
  '/switching':
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x05hello',
  '/no-content': 'HTTP/1.1 204 No Content\r\n\r\n',
  '/not-modified': 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n'
}

const service = createTestService()
let upstream: Server
let gateway: TestGateway
beforeAll(async () => {
  upstream = createServer(socket => {
    socket.on('error', () => {})
    socket.on('data', chunk => {
      const path = chunk.toString('latin1').split(' ')[1] ?? ''
      socket.write(Buffer.from(ANSWERS[path] ?? '', 'latin1'))
    })
  })
  await once(upstream.listen(0, '127.0.0.1'), 'listening')
  const { port } = upstream.address() as AddressInfo
  gateway = await startTestGateway(new URL(`http://127.0.0.1:${port}`), {}, service)
})
afterAll(async () => {
  await gateway.close()
  upstream.close()
})

/** The whole answer to a verified request for this path. */
const ask = (target: string): Promise<string> =>
  exchangeBytes(gateway.address, wire(service.sign({ target }), [['Connection', 'close']]))

const PLAIN = /^HTTP\/1\.1 200 OK\r\n(?:[\w-]+: [^\r\n]*\r\n)+\r\nplain$/
const CHUNKED = /^HTTP\/1\.1 200 OK\r\n(?:[\w-]+: [^\r\n]*\r\n)+\r\n5\r\nplain\r\n0\r\n\r\n$/

describe('an answer that is not HTTP is a 502, and nothing of it is forwarded', () => {
  test.each(['/two-lengths', '/length-and-chunked', '/bare-line-feed', '/nul', '/not-http', '/switching'])(
    '%s',
    async target => {
      const answer = await ask(target)
      expect(answer).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/)
      expect(answer).not.toContain('plain')
      expect(await ask('/plain')).toMatch(PLAIN)
    }
  )
})

describe('what follows an answer is nobody else’s answer', () => {
  test.each(['/a-second-answer', '/octets-too-many'])('%s', async target => {
    await ask(target)
    for (let i = 0; i < 5; i++) expect(await ask('/plain')).toMatch(PLAIN)
  })
})

test('only the final answer is forwarded', async () => {
  expect(await ask('/informational')).toMatch(PLAIN)
})

test('drops hop-by-hop headers of the upstream, and keeps the rest in order', async () => {
  const answer = await ask('/hop-by-hop')
  expect(answer).toMatch(PLAIN)
  expect(answer).not.toMatch(/X-Hop|timeout=9|Proxy-Authenticate|Upgrade/i)
  expect(answer).toMatch(/Set-Cookie: a=1\r\nX-Kept: 2\r\nset-cookie: b=2\r\n/)
})

test('trailers are dropped', async () => {
  const answer = await ask('/trailers')
  expect(answer).toMatch(CHUNKED)
  expect(answer).not.toContain('X-After')
})

test.each([
  ['/no-content', /^HTTP\/1\.1 204 No Content\r\n(?:[\w-]+: [^\r\n]*\r\n)*\r\n$/],
  ['/not-modified', /^HTTP\/1\.1 304 Not Modified\r\n(?:[\w-]+: [^\r\n]*\r\n)*\r\n$/]
])('%s has no body', async (target, pattern) => {
  expect(await ask(target)).toMatch(pattern)
})

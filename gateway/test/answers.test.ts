import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen } from '../../test/support/listen.ts'
import { service } from '../../test/support/service.ts'
import { exchangeBytes, wire } from '../../test/support/wire.ts'
import { startApplication, startTestGateway, type TestGateway } from './start.ts'

/** What the upstream answers, by the path of the request. */
const ANSWERS: Readonly<Record<string, string>> = {
  '/plain': 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplain',
  '/two-lengths': 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nplain!!',
  '/length-and-chunked':
    'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nplain\r\n0\r\n\r\n',
  '/gzip-chunked': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nplain\r\n0\r\n\r\n',
  '/gzip-and-chunked':
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nplain\r\n0\r\n\r\n',
  '/gzip': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nConnection: close\r\n\r\nplain',
  '/bare-line-feed': 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: 1\nX-B: 2\r\n\r\nplain',
  '/nul': 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: 1\x002\r\n\r\nplain',
  '/http-2': 'HTTP/2.0 200 OK\r\nContent-Length: 5\r\n\r\nplain',
  '/http-0.9': 'HTTP/0.9 200 OK\r\nContent-Length: 5\r\n\r\nplain',
  '/a-final-199': 'HTTP/1.1 199 Done\r\nContent-Length: 5\r\n\r\nplain',
  '/a-final-100': 'HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\nplain',
  '/status-000': 'HTTP/1.1 000 OK\r\nContent-Length: 5\r\n\r\nplain',
  '/status-042-first': 'HTTP/1.1 042 X\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplain',
  '/too-many-lines': `HTTP/1.1 200 OK\r\n${'X-Line: abc\r\n'.repeat(3000)}Content-Length: 5\r\n\r\nplain`,
  '/reason': 'HTTP/1.1 422 cannot handle \x1b[31m\x00\xff\r\nContent-Length: 5\r\n\r\nplain',
  '/reason-of-500': 'HTTP/1.1 500 cannot handle \x1b[31m\xff\r\nContent-Length: 5\r\n\r\nplain',
  '/many-lines': `HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(2500)}Content-Length: 5\r\n\r\nplain`,
  '/above-127': 'HTTP/1.1 200 OK\r\nX-A: caf\xc3\xa9 \xe9\xff\r\nContent-Length: 5\r\n\r\nplain',
  '/not-http': 'SSH-2.0-OpenSSH_9.2\r\n',
  '/a-second-answer':
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplainHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison',
  '/octets-too-many': 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplainpoison',
  '/informational':
    'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplain',
  '/hop-by-hop':
    'HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=9\r\nProxy-Authenticate: Basic\r\n' +
    'Upgrade: h2c\r\nSet-Cookie: a=1\r\nX-Kept: 2\r\nset-cookie: b=2\r\nContent-Length: 5\r\n\r\nplain',
  '/CHUNKED': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nplain\r\n0\r\n\r\n',
  '/trailers':
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-After\r\n\r\n5\r\nplain\r\n0\r\nX-After: 1\r\n\r\n',
  '/switching': 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x05hello',
  '/no-content': 'HTTP/1.1 204 No Content\r\n\r\n',
  '/no-content-of-a-length': 'HTTP/1.1 204 No Content\r\nContent-Length: 6\r\n\r\npoison',
  '/not-modified': 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n'
}

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
  const port = await listen(upstream)
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
  test.each([
    ...['/two-lengths', '/length-and-chunked', '/bare-line-feed', '/nul', '/not-http', '/switching'],
    ...['/gzip-chunked', '/gzip-and-chunked', '/gzip'],
    ...['/http-2', '/http-0.9', '/a-final-199', '/a-final-100', '/status-000', '/status-042-first', '/too-many-lines']
  ])('%s', async target => {
    const answer = await ask(target)
    expect(answer).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/)
    expect(answer).not.toContain('plain')
    expect(await ask('/plain')).toMatch(PLAIN)
  })
})

describe('what follows an answer is nobody else’s answer', () => {
  test.each(['/a-second-answer', '/octets-too-many'])('%s', async target => {
    await ask(target)
    for (let i = 0; i < 5; i++) expect(await ask('/plain')).toMatch(PLAIN)
  })
})

test.each([
  ['/reason', 422],
  ['/reason-of-500', 500]
])('a reason phrase with control characters is dropped: %s', async (target, status) => {
  const answer = await ask(target)
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 (?:${status}|502) [A-Z][a-z]+`))
  expect(answer).not.toContain('cannot')
  expect(await ask('/plain')).toMatch(PLAIN)
})

test('every header line arrives, and every byte of a value', async () => {
  expect((await ask('/many-lines')).match(/^A: b$/gm)).toHaveLength(2500)
  expect(await ask('/above-127')).toContain('\r\nX-A: caf\xc3\xa9 \xe9\xff\r\n')
  // A head that is sent before its body.
  const slow = await startApplication(res =>
    res.writeHead(200, ['X-A', '\xc3\xa9', 'Content-Length', '5']).write(Buffer.alloc(0))
  )
  const { address, close } = await startTestGateway(slow.url, {}, service)
  const bytes = wire(service.sign({ target: '/' }))
  expect(await exchangeBytes(address, bytes, /\r\n\r\n/)).toContain('\r\nX-A: \xc3\xa9\r\n')
  await Promise.all([slow.close(), close()])
})

test('only the final answer is forwarded', async () => expect(await ask('/informational')).toMatch(PLAIN))

test('drops hop-by-hop headers of the upstream, and keeps the rest in order', async () => {
  const answer = await ask('/hop-by-hop')
  expect(answer).toMatch(PLAIN)
  expect(answer).not.toMatch(/X-Hop|timeout=9|Proxy-Authenticate|Upgrade/i)
  expect(answer).toMatch(/Set-Cookie: a=1\r\nX-Kept: 2\r\nset-cookie: b=2\r\n/)
})

test('a coding has no case', async () => expect(await ask('/CHUNKED')).toMatch(CHUNKED))

test('trailers are dropped', async () => {
  const answer = await ask('/trailers')
  expect(answer).toMatch(CHUNKED)
  expect(answer).not.toContain('X-After')
})

test.each([
  // RFC 9110 section 8.6: a sender that believed the length would wait for it, and take it from the next answer.
  ['/no-content-of-a-length', /^HTTP\/1\.1 204 No Content\r\n(?:(?!content-length)[\w-]+: [^\r\n]*\r\n)*\r\n$/i],
  ['/no-content', /^HTTP\/1\.1 204 No Content\r\n(?:[\w-]+: [^\r\n]*\r\n)*\r\n$/],
  ['/not-modified', /^HTTP\/1\.1 304 Not Modified\r\n(?:[\w-]+: [^\r\n]*\r\n)*\r\n$/]
])('%s has no body', async (target, pattern) => expect(await ask(target)).toMatch(pattern))

describe('bytes behind an answer without a body are nobody else’s answer', () => {
  const POISON = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison'

  test.each([
    ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n', 'poison'],
    ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 45\r\n\r\n', POISON],
    ['GET', 'HTTP/1.1 204 No Content\r\n\r\n', POISON],
    ['GET', 'HTTP/1.1 304 Not Modified\r\n\r\n', POISON],
    ['GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 45\r\n\r\n', POISON]
  ])('%s %j %j, also when they come later', async (method, head, rest) => {
    let connections = 0
    const faulty = createServer(socket => {
      connections += 1
      socket.on('error', () => {})
      socket.on('data', async chunk => {
        if (chunk.toString('latin1').includes(' /plain ')) return socket.write(ANSWERS['/plain']!)
        socket.write(head)
        await new Promise(setImmediate)
        socket.write(rest)
      })
    })
    const port = await listen(faulty)
    const { address, close } = await startTestGateway(new URL(`http://127.0.0.1:${port}`), {}, service)
    for (let i = 0; i < 10; i++) {
      const close = ['Connection', 'close'] as const
      expect(await exchangeBytes(address, wire(service.sign({ method, target: '/' }), [close]))).not.toContain('poison')
      expect(await exchangeBytes(address, wire(service.sign({ target: '/plain' }), [close]))).toMatch(PLAIN)
    }
    expect(connections).toBeGreaterThanOrEqual(11)
    await close()
    faulty.close()
  })
})

test.each([
  ['', 200],
  ['Connection: close\r\n', 200]
])('an answer without a length that ends in a reset is cut off, and the claim released (%j)', async (line, status) => {
  let count = 0
  const cut = createServer(socket => {
    socket.on('error', () => {})
    socket.on('data', () => {
      count += 1
      if (count % 2 === 0) return socket.write(ANSWERS['/plain']!)
      socket.write(`HTTP/1.1 200 OK\r\n${line}\r\nhalf an ans`, () =>
        // Right behind the data, and later.
        count % 4 === 1 ? socket.resetAndDestroy() : setTimeout(() => socket.resetAndDestroy(), 20)
      )
    })
  })
  const port = await listen(cut)
  const running = await startTestGateway(new URL(`http://127.0.0.1:${port}`), {}, service)
  for (let i = 0; i < 6; i++) {
    const signed = service.sign({ target: '/' })
    const bytes = wire(signed, [['Connection', 'close']])
    const answer = await exchangeBytes(running.address, bytes)
    expect(answer).not.toMatch(/\r\n0\r\n\r\n$/)
    expect((await running.over(2 * i + 1)).at(-1)).toMatchObject({ status, upstream: 'broken-off' })
    expect(await exchangeBytes(running.address, bytes)).toMatch(PLAIN)
  }
  await running.close()
  cut.close()
})

test('an answer without a length that ends is complete', async () => {
  const closing = createServer(socket => {
    socket.on('error', () => {})
    socket.on('data', () => socket.end('HTTP/1.0 200 OK\r\n\r\nplain'))
  })
  const port = await listen(closing)
  const running = await startTestGateway(new URL(`http://127.0.0.1:${port}`), {}, service)
  for (let i = 0; i < 20; i++) {
    const bytes = wire(service.sign({ target: '/' }), [['Connection', 'close']])
    expect(await exchangeBytes(running.address, bytes)).toMatch(CHUNKED)
    expect((await running.over(i + 1)).at(-1)).toMatchObject({ upstream: 'answered' })
  }
  await running.close()
  closing.close()
})

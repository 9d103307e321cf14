import type { Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { service } from '../../test/support/service.ts'
import { exchangeBytes, send, wire } from '../../test/support/wire.ts'
import { start, startInFront, startRaw } from './for-one-test.ts'

/** Writes the octets of a head: its lines, and an empty one. */
const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`
const OK = 'HTTP/1.1 200 OK'
const LENGTH = 'Content-Length: 5'
const CODING = 'Transfer-Encoding: chunked'
const IN_CHUNKS = '5\r\nplain\r\n0\r\n\r\n'
const PLAIN = `${head(OK, LENGTH)}plain`

let answer: string
const write = (socket: Socket, octets: string) => socket.write(Buffer.from(octets, 'latin1'))
const upstream = await startRaw(socket => write(socket, answer), afterAll)
const gateway = await startInFront(upstream, {}, afterAll)

/** Returns the response to a verified request when the upstream answers with these octets. */
function pass(octets: string): Promise<string> {
  answer = octets
  return send(gateway.address, service.sign({ target: '/' }))
}

const EARLY = 'HTTP/1.1 103 Early Hints'
const IS_PLAIN = /^HTTP\/1\.1 200 OK\r\n(?:[\w-]+: [^\r\n]*\r\n)+\r\nplain$/
const IS_CHUNKED = /^HTTP\/1\.1 200 OK\r\n(?:[\w-]+: [^\r\n]*\r\n)+\r\n5\r\nplain\r\n0\r\n\r\n$/

test.each([
  ['two lengths', `${head(OK, LENGTH, 'Content-Length: 7')}plain!!`],
  ['a length and chunked', head(OK, 'Content-Length: 3', CODING) + IN_CHUNKS],
  ['gzip, chunked', head(OK, 'Transfer-Encoding: gzip, chunked') + IN_CHUNKS],
  ['gzip and chunked', head(OK, 'Transfer-Encoding: gzip', CODING) + IN_CHUNKS],
  ['gzip', `${head(OK, 'Transfer-Encoding: gzip', 'Connection: close')}plain`],
  ['a bare line feed', `${head(OK, LENGTH, 'X-A: 1\nX-B: 2')}plain`],
  ['NUL', `${head(OK, LENGTH, 'X-A: 1\x002')}plain`],
  ['HTTP/2.0', `${head('HTTP/2.0 200 OK', LENGTH)}plain`],
  ['HTTP/2.0 behind an interim answer', `${head(EARLY, 'Link: </a>') + head('HTTP/2.0 200 OK', LENGTH)}plain`],
  ['HTTP/0.9', `${head('HTTP/0.9 200 OK', LENGTH)}plain`],
  ['a final 199', `${head('HTTP/1.1 199 Done', LENGTH)}plain`],
  ['a final 100', `${head('HTTP/1.1 100 Continue', LENGTH)}plain`],
  ['the status 000', `${head('HTTP/1.1 000 OK', LENGTH)}plain`],
  ['the status 042 first', head('HTTP/1.1 042 X') + PLAIN],
  ['too many lines', `${head(OK, ...Array(3000).fill('X-Line: abc'), LENGTH)}plain`],
  ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ['a switch', `${head('HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket')}\x81\x05hello`]
])('an answer that is not HTTP is a 502, and nothing of it is forwarded: %s', async (_, octets) => {
  const received = await pass(octets)
  expect(received).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/)
  expect(received).not.toContain('plain')
  expect(await pass(PLAIN)).toMatch(IS_PLAIN)
})

test.each(['HTTP/2.0 200 OK', 'HTTP/0.9 200 OK', 'HTTPS/1.1 200 OK'])(
  'an answer that is not HTTP/1 is a 502, also on a connection that is used again, and in any pieces: %s',
  async line => {
    const octets = `${head(line, LENGTH)}plain`
    for (let cut = 0; cut < 9; cut++) {
      const url = await startRaw(async (socket, count) => {
        socket.setNoDelay()
        if (count === 1) return socket.write(PLAIN)
        socket.write(octets.slice(0, cut))
        // The gateway runs in this process: it reads the first piece on the next turn of the event loop.
        for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
        return socket.write(octets.slice(cut))
      })
      const { address } = await startInFront(url)
      expect(await send(address, service.sign({ target: '/' }))).toMatch(IS_PLAIN)
      expect(await send(address, service.sign({ target: '/' }))).toMatch(/^HTTP\/1\.1 502 /)
    }
  }
)

test.each([
  ['a second answer', `${head(OK, 'Content-Length: 6')}poison`],
  ['octets', 'poison']
])('what follows an answer is nobody else’s answer: %s', async (_, rest) => {
  await pass(PLAIN + rest)
  for (let i = 0; i < 5; i++) expect(await pass(PLAIN)).toMatch(IS_PLAIN)
})

test.each([
  [422, '422 cannot handle \x1b[31m\x00\xff'],
  [500, '500 cannot handle \x1b[31m\xff']
])('a reason phrase with control characters is dropped: %d', async (status, line) => {
  const received = await pass(`${head(`HTTP/1.1 ${line}`, LENGTH)}plain`)
  expect(received).toMatch(new RegExp(`^HTTP/1\\.1 (?:${status}|502) [A-Z][a-z]+`))
  expect(received).not.toContain('cannot')
  expect(await pass(PLAIN)).toMatch(IS_PLAIN)
})

test('every header line arrives, and every byte of a value', async () => {
  expect((await pass(`${head(OK, ...Array(2500).fill('A: b'), LENGTH)}plain`)).match(/^A: b$/gm)).toHaveLength(2500)
  const bytes = 'X-A: caf\xc3\xa9 \xe9\xff'
  expect(await pass(`${head(OK, bytes, LENGTH)}plain`)).toContain(`\r\n${bytes}\r\n`)
})

test('every byte of a value arrives in a head that is sent before its body', async () => {
  const { address } = await start({ drain: 0 }, res =>
    res.writeHead(200, ['X-A', '\xc3\xa9', 'Content-Length', '5']).write(Buffer.alloc(0))
  )
  const received = await exchangeBytes(address, wire(service.sign({ target: '/' })), /\r\n\r\n/)
  expect(received).toContain('\r\nX-A: \xc3\xa9\r\n')
})

test('an answer behind interim ones is checked, also on a connection that is used again, and in any pieces', async () => {
  const hints = head(EARLY, 'Link: </a>') + head('HTTP/1.1 102 Processing')
  const octets = `${hints}${head('HTTP/2.0 200 OK', LENGTH)}plain`
  for (let cut = 0; cut < hints.length + 9; cut++) {
    const url = await startRaw(async (socket, count) => {
      socket.setNoDelay()
      if (count === 1) return socket.write(hints + PLAIN)
      socket.write(octets.slice(0, cut))
      // The gateway runs in this process: it reads the first piece on the next turn of the event loop.
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
      return socket.write(octets.slice(cut))
    })
    const { address } = await startInFront(url)
    expect(await send(address, service.sign({ target: '/' }))).toMatch(IS_PLAIN)
    expect(await send(address, service.sign({ target: '/' }))).toMatch(/^HTTP\/1\.1 502 /)
  }
})

test('only the final answer is forwarded', async () => {
  const early = head(EARLY, 'Link: </a>') + head('HTTP/1.1 102 Processing')
  expect(await pass(early + PLAIN)).toMatch(IS_PLAIN)
})

test('drops hop-by-hop headers of the upstream, and keeps the rest in order', async () => {
  const dropped = ['X-Hop: 1', 'Keep-Alive: timeout=9', 'Proxy-Authenticate: Basic', 'Upgrade: h2c']
  const kept = ['Set-Cookie: a=1', 'X-Kept: 2', 'set-cookie: b=2']
  const received = await pass(
    `${head(OK, 'Connection: keep-alive, X-Hop, Content-Length', ...dropped, ...kept, LENGTH)}plain`
  )
  expect(received).toMatch(IS_PLAIN)
  expect(received).not.toMatch(/X-Hop|timeout=9|Proxy-Authenticate|Upgrade/i)
  expect(received).toContain(`${kept.join('\r\n')}\r\n`)
})

test('the name of a transfer coding is compared without case', async () => {
  expect(await pass(head(OK, 'Transfer-Encoding: Chunked') + IN_CHUNKS)).toMatch(IS_CHUNKED)
})

test('trailers of a response are dropped', async () => {
  const received = await pass(`${head(OK, CODING, 'Trailer: X-After')}5\r\nplain\r\n0\r\nX-After: 1\r\n\r\n`)
  expect(received).toMatch(IS_CHUNKED)
  expect(received).not.toContain('X-After')
})

test.each([['204 No Content'], ['304 Not Modified', LENGTH]])('%s has no body', async (status, ...lines) => {
  const pattern = new RegExp(`^HTTP/1\\.1 ${status}\\r\\n(?:[\\w-]+: [^\\r\\n]*\\r\\n)*\\r\\n$`)
  expect(await pass(head(`HTTP/1.1 ${status}`, ...lines))).toMatch(pattern)
})

test('a 204 has no length: its sender would take so much from the next answer (RFC 9110 section 8.6)', async () => {
  expect(await pass(`${head('HTTP/1.1 204 No Content', 'Content-Length: 6')}poison`)).toMatch(
    /^HTTP\/1\.1 204 No Content\r\n(?:(?!content-length)[\w-]+: [^\r\n]*\r\n)*\r\n$/i
  )
})

const POISON = `${head(OK, 'Content-Length: 6')}poison`
test.each([
  ['HEAD', head(OK, 'Content-Length: 6'), 'poison'],
  ['HEAD', head(OK, 'Content-Length: 45'), POISON],
  ['GET', head('HTTP/1.1 204 No Content'), POISON],
  ['GET', head('HTTP/1.1 304 Not Modified'), POISON],
  ['GET', head('HTTP/1.1 304 Not Modified', 'Content-Length: 45'), POISON]
])('what follows an answer without a body is nobody else’s, also later: %s %j %j', async (method, first, rest) => {
  const connections = new Set<Socket>()
  const url = await startRaw(async (socket, _, asked) => {
    connections.add(socket)
    if (asked.includes(' /plain ')) return socket.write(PLAIN)
    socket.write(first)
    await new Promise(setImmediate)
    return socket.write(rest)
  })
  const { address } = await startInFront(url)
  for (let i = 0; i < 10; i++) {
    expect(await send(address, service.sign({ method, target: '/' }))).not.toContain('poison')
    expect(await send(address, service.sign({ target: '/plain' }))).toMatch(IS_PLAIN)
  }
  expect(connections.size).toBeGreaterThanOrEqual(11)
})

test.each([[OK], [OK, 'Connection: close']])(
  'an answer without a length that ends in a reset is cut off, and the claim released: %s %s',
  async (...lines) => {
    const url = await startRaw((socket, count) => {
      if (count % 2 === 0) return socket.write(PLAIN)
      return socket.write(`${head(...lines)}half an ans`, () =>
        // The extra octets come right behind the data, and later.
        count % 4 === 1 ? socket.resetAndDestroy() : setTimeout(() => socket.resetAndDestroy(), 20)
      )
    })
    const { address, over } = await startInFront(url)
    for (let i = 0; i < 6; i++) {
      const signed = service.sign({ target: '/' })
      expect(await send(address, signed)).not.toMatch(/\r\n0\r\n\r\n$/)
      expect((await over(2 * i + 1)).at(-1)).toMatchObject({ status: 200, upstream: 'broken-off' })
      expect(await send(address, signed)).toMatch(IS_PLAIN)
    }
  }
)

test('an answer without a length that ends is complete', async () => {
  const { address, over } = await startInFront(await startRaw(socket => socket.end('HTTP/1.0 200 OK\r\n\r\nplain')))
  for (let i = 0; i < 20; i++) {
    expect(await send(address, service.sign({ target: '/' }))).toMatch(IS_CHUNKED)
    expect((await over(i + 1)).at(-1)).toMatchObject({ upstream: 'answered' })
  }
})

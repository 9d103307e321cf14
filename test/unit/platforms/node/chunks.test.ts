import { createServer, IncomingMessage, type RequestListener } from 'node:http'
import { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createVerifier, nodeHandler } from '../../../../src/index.ts'
import { hasTinyChunks, mergeSmallChunks } from '../../../../src/platforms/node/chunks.ts'
import { listen } from '../../../support/listen.ts'
import { service } from '../../../support/service.ts'
import { exchangeBytes, statusesOf, wire } from '../../../support/wire.ts'

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return listen(server)
}

const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'
const chunked = (chunks: readonly string[]) =>
  [...chunks, ''].map(chunk => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')

test('small chunks behind the first 16 that arrive at once become one chunk, and large ones stay as they are', async () => {
  const sizes: unknown[] = []
  const bodies: string[] = []
  const port = await serve(async (req, res) => {
    const push = req.push.bind(req)
    req.push = chunk => {
      sizes.push(chunk?.length)
      return push(chunk)
    }
    mergeSmallChunks(req)
    mergeSmallChunks(req)
    bodies.push((await buffer(req)).toString())
    res.end()
  })
  const [small, large] = [Array.from('abcdefghijklmnopqrst'), 'L'.repeat(2000)]
  const answer = await exchangeBytes(port, Buffer.from(HEAD + chunked([...small, large, ...small])))
  expect(statusesOf(answer)).toEqual([200])
  expect(bodies).toEqual([`${small.join('')}${large}${small.join('')}`])
  expect(sizes).toEqual([...Array(16).fill(1), 4, 2000, 20, undefined])
})

test('another copy of the module joins nothing again, and knows of tiny chunks', async () => {
  const path = '../../../../src/platforms/node/chunks.ts?copy'
  const copy: typeof import('../../../../src/platforms/node/chunks.ts') = await import(path)
  expect(copy.mergeSmallChunks).not.toBe(mergeSmallChunks)
  const req = new IncomingMessage(new Socket())
  mergeSmallChunks(req)
  const { push } = req
  copy.mergeSmallChunks(req)
  expect(req.push).toBe(push)
  for (let i = 0; i < 9000; i++) req.push(Buffer.of())
  expect(hasTinyChunks(req)).toBe(false)
  for (let i = 0; i < 9000; i++) req.push(Buffer.of(0))
  expect([hasTinyChunks(req), copy.hasTinyChunks(req)]).toEqual([true, true])
})

test('a chunk is not kept until the next one comes', async () => {
  const port = await serve((req, res) => {
    mergeSmallChunks(req)
    req.once('data', chunk => res.end(chunk))
  })
  const answer = await exchangeBytes(port, Buffer.from(`${HEAD}2\r\nab\r\n`), /ab/)
  expect(statusesOf(answer)).toEqual([200])
})

test('an unread body in small chunks makes the sender wait at the limit of the stream', async () => {
  const req = new IncomingMessage(new Socket())
  mergeSmallChunks(req)
  let accepted = 0
  // Chunks of 100 bytes come in many packets: between packets, the joined chunks are passed on.
  for (; accepted < 10_000 && req.push(Buffer.alloc(100)); accepted++)
    if (accepted % 10 === 0) await new Promise(setImmediate)
  expect(accepted * 100).toBeGreaterThan(req.readableHighWaterMark - 1100)
  expect(accepted * 100).toBeLessThanOrEqual(req.readableHighWaterMark)
})

const letters = (length: number) => Buffer.from(HEAD + chunked(Array.from('x'.repeat(length))))

test('a body of 8,192 chunks of one byte is read, and another reader than this library reads one of more whole', async () => {
  const bodies: unknown[] = []
  const port = await serve(async (req, res) => {
    mergeSmallChunks(req)
    bodies.push((await buffer(req)).length, hasTinyChunks(req))
    res.end()
  })
  for (const length of [8192, 30_000]) expect(statusesOf(await exchangeBytes(port, letters(length)))).toEqual([200])
  expect(bodies).toEqual([8192, false, 30_000, true])
})

/**
 * Returns the answers of a nodeHandler to a genuine chunked body in such chunks, or to a captured head with another
 * body.
 */
async function answersOf(body: string, size: number, sent = body) {
  const refused: unknown[] = []
  let read = 0
  const verify = createVerifier({ ...service.options, requireHttps: false })
  const onRefused = ({ failures }: { failures: readonly object[] }) => void refused.push(failures[0])
  const handle = nodeHandler(verify, () => {}, { onRefused })
  const port = await serve((req, res) => {
    res.once('close', () => {
      read = req.socket.bytesRead
    })
    return handle(req, res)
  })
  const signed = service.sign({ body, headers: { 'Content-Length': undefined, Connection: 'close' } })
  const head = wire({ ...signed, body: '' })
    .toString('latin1')
    .replace('Content-Length: 0', 'Transfer-Encoding: chunked')
  const chunks = sent.match(new RegExp(`.{1,${size}}`, 'gs')) ?? []
  const answer = await exchangeBytes(port, Buffer.from(head + chunked(chunks), 'latin1'))
  return { answer, refused, read }
}

test('a genuine body of 200 KB in chunks of 40 bytes is verified', async () => {
  const { answer, refused } = await answersOf('x'.repeat(200_000), 40)
  expect([statusesOf(answer), refused]).toEqual([[204], []])
})

test('nodeHandler answers a body in tiny chunks, and does not read the rest of it', async () => {
  const { answer, refused, read } = await answersOf('x', 1, 'x'.repeat(300_000))
  expect(answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After/)
  expect(refused).toMatchObject([{ code: 'body-unreadable', evidence: { error: 'TINY_PIECES' } }])
  // Node.js reads one packet, or two.
  expect(read).toBeLessThanOrEqual(131_072)
})

test('a head that is refused is answered without reading the rest of its tiny chunks', async () => {
  const verify = createVerifier({ ...service.options, requireHttps: false })
  const port = await serve(nodeHandler(verify, () => {}))
  expect(statusesOf(await exchangeBytes(port, letters(300_000)))).toEqual([401])
})

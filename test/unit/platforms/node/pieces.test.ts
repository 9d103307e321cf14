import { createServer, IncomingMessage, type RequestListener } from 'node:http'
import { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createVerifier, nodeHandler } from '../../../../src/index.ts'
import { joinPieces } from '../../../../src/platforms/node/pieces.ts'
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
const chunked = (...pieces: readonly string[]) =>
  [...pieces, ''].map(piece => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')

test('small pieces that arrive at once become one piece, and large pieces stay as they are', async () => {
  const sizes: unknown[] = []
  const bodies: string[] = []
  const port = await serve(async (req, res) => {
    const push = req.push.bind(req)
    req.push = piece => {
      sizes.push(piece?.length)
      return push(piece)
    }
    joinPieces(req)
    joinPieces(req)
    bodies.push((await buffer(req)).toString())
    res.end()
  })
  const [small, large] = [Array.from('abcdefgh'), 'L'.repeat(2000)]
  const answer = await exchangeBytes(port, Buffer.from(HEAD + chunked(...small, large, ...small)))
  expect(statusesOf(answer)).toEqual([200])
  expect(bodies).toEqual([`abcdefgh${large}abcdefgh`])
  expect(sizes).toEqual([8, 2000, 8, undefined])
})

test('a piece is not kept until the next one comes', async () => {
  const port = await serve((req, res) => {
    joinPieces(req)
    req.once('data', piece => res.end(piece))
  })
  const answer = await exchangeBytes(port, Buffer.from(`${HEAD}2\r\nab\r\n`), /ab/)
  expect(statusesOf(answer)).toEqual([200])
})

test('an unread body in small pieces makes the sender wait at the limit of the stream', async () => {
  const req = new IncomingMessage(new Socket())
  joinPieces(req)
  let accepted = 0
  // Pieces of 100 bytes, as they come in many packets: between them what was joined is passed on.
  for (; accepted < 10_000 && req.push(Buffer.alloc(100)); accepted++)
    if (accepted % 10 === 0) await new Promise(setImmediate)
  expect(accepted * 100).toBeGreaterThan(req.readableHighWaterMark - 1100)
  expect(accepted * 100).toBeLessThanOrEqual(req.readableHighWaterMark)
})

test('4,096 pieces of one byte are read, and a body in more of them ends its connection', async () => {
  let count = 0
  const port = await serve(async (req, res) => {
    joinPieces(req)
    const body = await buffer(req).catch((error: NodeJS.ErrnoException) => error.code)
    if (typeof body === 'object') count = body.length
    res.end(String(body))
  })
  const letters = (length: number) => Buffer.from(HEAD + chunked(...Array.from('x'.repeat(length))))
  expect(statusesOf(await exchangeBytes(port, letters(4096)))).toEqual([200])
  expect(count).toBe(4096)
  expect(await exchangeBytes(port, letters(4097))).toBe('')
})

test('nodeHandler refuses a captured head with a body in tiny pieces, and ends its connection', async () => {
  const refused: unknown[] = []
  const verify = createVerifier({ ...service.options, requireHttps: false })
  const onRefused = ({ failures }: { failures: readonly object[] }) => void refused.push(failures[0])
  const port = await serve(nodeHandler(verify, () => {}, { onRefused }))
  const signed = service.sign({ body: 'x', headers: { 'Content-Length': undefined } })
  const head = wire({ ...signed, body: '' })
    .toString('latin1')
    .replace('Content-Length: 0', 'Transfer-Encoding: chunked')
  const closed = exchangeBytes(port, Buffer.from(head + '1\r\nx\r\n'.repeat(20_000), 'latin1'))
  expect(await closed).toBe('')
  expect(refused).toMatchObject([{ code: 'body-unreadable', evidence: { error: 'TINY_PIECES' } }])
})

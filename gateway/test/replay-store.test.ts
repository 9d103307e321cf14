import { expect, it } from 'vitest'
import { guardedSocket } from '../src/replay-store.ts'

const message = (type: string, body: string): Buffer => {
  const head = Buffer.from(`${type}\0\0\0\0`)
  head.writeUInt32BE(4 + body.length, 1)
  return Buffer.concat([head, Buffer.from(body, 'latin1')])
}

const READY = message('Z', 'I')
const ERROR = message('E', 'SERROR\0C42P01\0Mno such table\0\0')

/** What the client of PostgreSQL gets of these pieces, and whether the connection has ended. */
function received(pieces: readonly Buffer[]) {
  const socket = guardedSocket()
  socket.on('error', () => {})
  const chunks: Buffer[] = []
  socket.on('data', chunk => chunks.push(chunk))
  for (const piece of pieces) if (!socket.destroyed) socket.emit('data', piece)
  return { bytes: Buffer.concat(chunks), isEnded: socket.destroyed }
}

it.each([1, 2, 3, 5, 7, 1000])('messages arrive as they were sent, in pieces of %d bytes', size => {
  const bytes = Buffer.concat([ERROR, READY, message('N', '\0'), message('D', '\0\x01\0\0\0\x01x'), READY])
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  expect(received(pieces)).toEqual({ bytes, isEnded: false })
})

it('a message longer than any of the store ends the connection, before it is complete', () => {
  const longest = message('D', 'x'.repeat(65_531))
  expect(received([longest.subarray(0, 5), longest.subarray(5)])).toEqual({ bytes: longest, isEnded: false })
  expect(received([message('D', 'x'.repeat(65_532)).subarray(0, 5)])).toEqual({
    bytes: Buffer.alloc(0),
    isEnded: true
  })
})

// The client would read them past their end, forever.
it.each([
  ['without a field', message('E', '')],
  ['without its last NUL', message('E', 'SERROR\0')],
  ['whose field does not end', message('N', 'SERROR')],
  ['with bytes behind its end', message('E', 'SERROR\0\0more')],
  ['whose length is too short', Buffer.from('E\0\0\0\x03SERROR\0\0')]
])('an error %s ends the connection', (_, bytes) => {
  expect(received([bytes])).toEqual({ bytes: Buffer.alloc(0), isEnded: true })
  expect(received([READY, bytes.subarray(0, 3), bytes.subarray(3)]).isEnded).toBe(true)
})

import { expect, test } from 'vitest'
import { announcedLength, collectChunks, mostHeld, tinyChunks } from '../../../../src/core/body/chunks.ts'
import { readBody } from '../../../../src/core/body/read.ts'

async function* chunksOf(count: number, size: number): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(size)
  for (let n = 0; n < count; n++) yield chunk
}

const read = (count: number, size: number) =>
  readBody(chunksOf(count, size), { maxBodyBytes: 10_000_000, bodyTimeout: 30_000 })

test.each([
  [8192, 1],
  [8192, 0],
  [20_000, 64]
])('reads a body of %d chunks of %d bytes', async (count, size) => {
  expect(await read(count, size)).toMatchObject({ ok: true, value: { length: count * size } })
})

test.each([
  [8193, 1],
  [8193, 0],
  [8193, 63]
])('refuses a body of %d chunks of %d bytes, as each costs as much as a large one', async (count, size) => {
  expect(await read(count, size)).toMatchObject({ code: 'body-unreadable', evidence: { error: 'TINY_PIECES' } })
})

test('releases a stream that it refuses, and reads no more of it', async () => {
  let asked = 0
  let isReleased = false
  const stream = {
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false as const, value: Uint8Array.of(++asked & 0xff) }),
      return: async () => {
        isReleased = true
        return { done: true as const, value: undefined }
      }
    })
  }
  const body = await readBody(stream, { maxBodyBytes: 10_000_000, bodyTimeout: 30_000 })
  expect([body.ok, asked, isReleased]).toEqual([false, 8193, true])
})

test.each([0, 1, 999, 1000, 1001, 3999, 4000, 100_000, 300_000, 1_000_000])(
  'holds no more for a body of 300,000 bytes, of which %d were announced, than is counted as held',
  announced => {
    const body = Buffer.from(Array.from({ length: 300_000 }, (_, n) => n * n))
    for (const size of [250, 1000, 40_000, 70_000, 300_000]) {
      const chunks = collectChunks(announced)
      for (let at = 0; at < body.length; at += size) {
        chunks.add(body.subarray(at, at + size))
        expect(chunks.held()).toBeLessThanOrEqual(mostHeld(Math.min(at + size, body.length), announced))
      }
      expect(body.equals(chunks.join())).toBe(true)
      expect([chunks.held(), chunks.join().buffer.byteLength]).toEqual([300_000, 300_000])
    }
  }
)

test('counts as held what has come and one block more, or all that was announced when a quarter has come', () => {
  const held = [0, 1, 100, 65_536, 249_999, 250_000, 999_999, 1_000_000]
  expect(held.map(length => mostHeld(length, 0))).toEqual([0, 2, 200, 131_072, 315_535, 315_536, 1_065_535, 1_065_536])
  expect(held.map(length => mostHeld(length, 1_000_000))).toEqual([
    0, 65_537, 65_636, 131_072, 315_535, 1_000_000, 1_000_000, 1_000_000
  ])
})

test.each([
  [undefined, 0],
  ['', 0],
  ['0', 0],
  ['-1', 0],
  ['x', 0],
  ['1', 1],
  ['10', 10],
  ['11', 0]
])('of a Content-Length of %j, where 10 bytes are allowed, %d bytes are announced', (contentLength, expected) =>
  expect(announcedLength(contentLength, 10)).toBe(expected)
)

test('chunks that are dropped are neither held nor joined', () => {
  const chunks = collectChunks(10)
  chunks.add(Buffer.from('dropped'))
  chunks.clear()
  expect([chunks.held(), chunks.join()]).toEqual([0, new Uint8Array()])
  chunks.add(Buffer.from('kept'))
  expect(Buffer.from(chunks.join()).toString()).toBe('kept')
})

test('the error of a body of tiny chunks says so', () => {
  expect(tinyChunks()).toMatchObject({ message: 'too many tiny pieces', code: 'TINY_PIECES' })
})

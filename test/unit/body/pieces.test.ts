import { expect, test } from 'vitest'
import { append, mostHeld } from '../../../src/body/pieces.ts'
import { readBody } from '../../../src/body/read.ts'

async function* piecesOf(count: number, size: number): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(size)
  for (let n = 0; n < count; n++) yield piece
}

const read = (count: number, size: number) =>
  readBody(piecesOf(count, size), { maxBodyBytes: 10_000_000, bodyTimeout: 30_000 })

test.each([
  [4096, 1],
  [4096, 0],
  [20_000, 64]
])('reads a body of %d pieces of %d bytes', async (count, size) => {
  expect(await read(count, size)).toMatchObject({ ok: true, value: { length: count * size } })
})

test.each([
  [4097, 1],
  [4097, 0],
  [4097, 63]
])('refuses a body of %d pieces of %d bytes, as each costs as much as a large one', async (count, size) => {
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
  expect([body.ok, asked, isReleased]).toEqual([false, 4097, true])
})

test.each([0, 1, 999, 1000, 1001, 3999, 4000, 100_000])(
  'makes no more ready for a body of 1,000 bytes, of which %d were announced, than is counted as held',
  announced => {
    for (const size of [1, 7, 250, 1000]) {
      let bytes = new Uint8Array(0)
      for (let length = 0; length < 1000; length += size) {
        bytes = append(bytes, length, new Uint8Array(size), announced)
        expect(bytes.length).toBeLessThanOrEqual(mostHeld(length + size, announced))
      }
    }
  }
)

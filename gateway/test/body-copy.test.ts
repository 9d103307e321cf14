import { expect, test } from 'vitest'
import { readBody } from '../../src/body/read.ts'
import { copyBody, readBody as readWhole } from '../src/body-copy.ts'

const KEPT = 65_536
const LIMITS = { maxBodyBytes: 1e6, bodyTimeout: 1000 }

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

test('has the bytes once the body was read to its end', async () => {
  const { body, read } = copyBody(chunks('ab', '', 'c'), KEPT)
  expect(read()).toBeUndefined()
  expect(await readBody(body, LIMITS)).toMatchObject({ ok: true, value: new Uint8Array(Buffer.from('abc')) })
  expect(read()?.toString()).toBe('abc')
})

test('has the bytes of an empty body', async () => {
  const { body, read } = copyBody(chunks(), KEPT)
  await readBody(body, LIMITS)
  expect(read()).toHaveLength(0)
})

test('has at most the limit', async () => {
  for (const [size, kept] of [
    [65_536, 65_536],
    [65_537, undefined]
  ] as const) {
    const { body, read } = copyBody(chunks('x'.repeat(size - 1), 'y'), KEPT)
    expect(await readBody(body, LIMITS)).toMatchObject({ ok: true })
    expect(read()?.length).toBe(kept)
  }
})

test('has nothing of a body that broke off or was not read to its end', async () => {
  async function* broken() {
    yield Buffer.from('a')
    throw new Error('the connection is gone')
  }
  const one = copyBody(broken(), KEPT)
  expect(await readBody(one.body, LIMITS)).toMatchObject({ ok: false, code: 'body-unreadable' })
  expect(one.read()).toBeUndefined()
  const two = copyBody(chunks('ab', 'cd'), KEPT)
  expect(await readBody(two.body, { ...LIMITS, maxBodyBytes: 3 })).toMatchObject({ code: 'body-too-large' })
  expect(two.read()).toBeUndefined()
})

test('releases the request when the reader does', async () => {
  let isLeft = false
  const stream: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false, value: Buffer.from('abcd') }),
      return: async () => {
        isLeft = true
        return { done: true, value: undefined }
      }
    })
  }
  await readBody(copyBody(stream, KEPT).body, { ...LIMITS, maxBodyBytes: 3 })
  expect(isLeft).toBe(true)
})

test.each([
  ['up to the limit', 4, 'abcd'],
  ['and no more than its beginning above the limit', 3, 'abcd'],
  ['with a chunk of no bytes at the end', 100, 'abcdef']
])('is read whole, %s', async (_, limit, expected) => {
  const parts = limit === 4 ? ['ab', 'cd'] : ['ab', 'cd', 'ef', '']
  expect(Buffer.from((await readWhole(chunks(...parts), limit))!).toString()).toBe(expected)
})

test('is not read whole when it breaks off', async () => {
  async function* broken() {
    yield Buffer.from('a')
    throw new Error('the connection is gone')
  }
  await expect(readWhole(broken(), KEPT)).rejects.toThrow('the connection is gone')
})

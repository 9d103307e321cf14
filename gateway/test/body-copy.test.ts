import { expect, test } from 'vitest'
import { readBody } from '../../src/body/read.ts'
import { copyBody } from '../src/body-copy.ts'

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

test('reads the rest when it is asked to', async () => {
  const copy = copyBody(chunks('ab', 'cd'), 4)
  expect((await copy.rest())?.toString()).toBe('abcd')
  expect((await copy.rest())?.toString()).toBe('abcd')
  const large = copyBody(chunks('ab', 'cd', 'ef'), 3)
  expect(await large.rest()).toBeUndefined()
  expect(large.isTooLarge()).toBe(true)
  const late = copyBody(chunks('ab', 'cd'), 4)
  await (late.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]().next()
  expect((await late.rest())?.toString()).toBe('abcd')
})

test('has no rest of a body that the verification has left', async () => {
  const copy = copyBody(chunks('ab', 'cd', 'ef'), KEPT)
  expect(await readBody(copy.body, { ...LIMITS, maxBodyBytes: 3 })).toMatchObject({ code: 'body-too-large' })
  expect(await copy.rest()).toBeUndefined()
})

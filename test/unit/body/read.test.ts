import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readBody } from '../../../src/body/read.ts'
import { createVerifier, httpStatus, type ReceivedBody } from '../../../src/index.ts'
import { service } from '../../support/service.ts'

test('does not cancel a web stream over the limit, which would cut off the answer', async () => {
  const verify = createVerifier({ ...service.options, maxBodyBytes: 10 })
  const signed = service.sign({ body: '0123456789a' })
  let cancelled = false
  const body = new ReadableStream({
    pull: controller => controller.enqueue(Buffer.from('0123456789a')),
    cancel: () => {
      cancelled = true
    }
  })
  const verdict = await verify({ ...signed, body })
  expect(httpStatus(verdict)).toBe(413)
  expect({ cancelled, locked: body.locked }).toEqual({ cancelled: false, locked: false })
})

const limit = (maxBodyBytes: number) => ({ maxBodyBytes, bodyTimeout: 30_000 })

async function* streamOf(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

/** The same bytes in every form that a body may have. */
const formsOf = (text: string): [string, () => ReceivedBody][] => {
  const bytes = Buffer.from(text)
  const [start, end] = [bytes.subarray(0, 3), bytes.subarray(3)]
  return [
    ['text', () => text],
    ['a Buffer', () => bytes],
    ['a Uint8Array', () => new Uint8Array(bytes)],
    ['a stream of one chunk', () => streamOf(bytes)],
    ['a stream of two', () => streamOf(start, end)],
    ['a stream with empty chunks', () => streamOf(Buffer.alloc(0), start, Buffer.alloc(0), end, Buffer.alloc(0))],
    ['a stream of single bytes', () => streamOf(...[...bytes].map(byte => Uint8Array.of(byte)))],
    ['a web stream', () => new Blob([start, end]).stream()]
  ]
}

test.each(formsOf('{"name":"caf\u00e9"}'))(
  '%s gives the same bytes, up to the limit and no further',
  async (_, form) => {
    const bytes = new Uint8Array(Buffer.from('{"name":"caf\u00e9"}'))
    expect(await readBody(form(), limit(bytes.length))).toStrictEqual({ ok: true, value: bytes })
    expect(await readBody(form(), limit(bytes.length - 1))).toMatchObject({
      ok: false,
      code: 'body-too-large',
      evidence: { limit: bytes.length - 1 }
    })
  }
)

test('no body and an empty stream have no bytes', async () => {
  for (const body of [null, '', streamOf(), streamOf(new Uint8Array(0)), new Blob([]).stream()])
    expect(await readBody(body, limit(0))).toStrictEqual({ ok: true, value: new Uint8Array(0) })
})

test('does not write to the chunks of a stream', async () => {
  const chunks = ['abcdef', 'g', 'h', 'ijklmnopqrst', 'u'].map(text => Buffer.from(text))
  const body = await readBody(streamOf(...chunks), limit(100))
  expect(body.ok && Buffer.from(body.value).toString()).toBe('abcdefghijklmnopqrstu')
  expect(chunks.join('|')).toBe('abcdef|g|h|ijklmnopqrst|u')
})

test('copies each byte once when their number was announced', async () => {
  const set = vi.spyOn(Object.getPrototypeOf(Uint8Array.prototype), 'set')
  try {
    const chunks = Array.from({ length: 1000 }, (_, n) => Uint8Array.of(n))
    const body = await readBody(streamOf(...chunks), limit(1000), '1000')
    expect(body).toStrictEqual({ ok: true, value: Uint8Array.from({ length: 1000 }, (_, n) => n) })
    expect(body.ok && body.value.buffer.byteLength).toBe(1000)
    expect(set.mock.calls.reduce((sum, [from]) => sum + (from as Uint8Array).length, 0)).toBe(1000)
  } finally {
    set.mockRestore()
  }
})

test.each(['2', '9', '-1', '1e99', 'NaN', '1.5', 'x', ''])(
  'an announced length of %j changes neither bytes nor limit',
  async announced => {
    const three = () => streamOf(Buffer.from('ab'), Buffer.from('c'))
    const body = await readBody(three(), limit(3), announced)
    expect(body).toStrictEqual({ ok: true, value: Uint8Array.from(Buffer.from('abc')) })
    expect(body.ok && body.value.buffer.byteLength).toBe(3)
    expect(await readBody(three(), limit(2), announced)).toMatchObject({ code: 'body-too-large' })
  }
)

test('makes no more than 1 MiB ready for bytes that have not come', async () => {
  let used = 0
  async function* measuring() {
    used = process.memoryUsage().arrayBuffers
    yield Buffer.from('a')
  }
  const before = process.memoryUsage().arrayBuffers
  expect(await readBody(measuring(), limit(1e9), '999999999')).toMatchObject({ ok: true })
  expect(used - before).toBeLessThan(1_100_000)
})

test('copies at most four times as many bytes as there are, however small the chunks', async () => {
  const set = vi.spyOn(Object.getPrototypeOf(Uint8Array.prototype), 'set')
  try {
    const chunks = Array.from({ length: 1000 }, (_, n) => Uint8Array.of(n))
    const body = await readBody(streamOf(...chunks), limit(1000))
    expect(body).toStrictEqual({ ok: true, value: Uint8Array.from({ length: 1000 }, (_, n) => n) })
    const copied = set.mock.calls.reduce((sum, [from]) => sum + (from as Uint8Array).length, 0)
    expect(copied).toBeGreaterThanOrEqual(1000)
    expect(copied).toBeLessThan(4000)
  } finally {
    set.mockRestore()
  }
})

test('a stream that breaks is unreadable, whatever came before', async () => {
  async function* broken() {
    yield Buffer.from('{')
    throw Object.assign(new Error('gone'), { code: 'ECONNRESET' })
  }
  expect(await readBody(broken(), limit(100))).toMatchObject({
    ok: false,
    code: 'body-unreadable',
    evidence: { error: 'ECONNRESET' }
  })
})

test('reports too large although the stream breaks when it is released', async () => {
  async function* breaking() {
    try {
      yield new Uint8Array(2)
    } finally {
      await Promise.reject(new Error('it cannot be closed'))
    }
  }
  expect(await readBody(breaking(), limit(1))).toMatchObject({ code: 'body-too-large' })
  expect(await readBody(breaking(), limit(2))).toMatchObject({ code: 'body-unreadable' })
})

test('copies a view of a larger buffer, so that no other bytes are exposed', async () => {
  const pool = Buffer.from('neighbour|body|neighbour')
  const body = await readBody(pool.subarray(10, 14), limit(100))
  expect(body).toStrictEqual({ ok: true, value: new Uint8Array(Buffer.from('body')) })
  expect(body.ok && body.value.buffer.byteLength).toBe(4)
  for (const chunks of [
    [pool.subarray(10, 14)],
    [pool.subarray(10, 12), pool.subarray(12, 13), pool.subarray(13, 14)]
  ]) {
    const streamed = await readBody(streamOf(...chunks), limit(100))
    expect(streamed.ok && streamed.value.buffer.byteLength).toBe(4)
  }
})

test.each<[string, () => Uint8Array]>([
  ['a Buffer over a buffer of its own', () => Buffer.from(Uint8Array.of(1, 2).buffer)],
  ['a Buffer over shared memory', () => Buffer.from(sharedBytes(1, 2).buffer)],
  ['an array over shared memory', () => sharedBytes(1, 2)]
])('returns %s as a Uint8Array over an ArrayBuffer', async (_, given) => {
  for (const body of [given(), streamOf(given())]) {
    const read = await readBody(body, limit(2))
    expect(read).toStrictEqual({ ok: true, value: Uint8Array.of(1, 2) })
    expect(read.ok && read.value.buffer).toBeInstanceOf(ArrayBuffer)
  }
})

function sharedBytes(...bytes: number[]): Uint8Array {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  return shared
}

test('releases a web stream that was read to its end', async () => {
  const body = new Blob(['ab']).stream()
  expect(await readBody(body, limit(2))).toMatchObject({ ok: true })
  expect(body.locked).toBe(false)
})

test('releases a stream of text, even when that fails, and throws', async () => {
  const leave = vi.fn(async () => ({ done: true as const, value: undefined }))
  const next = async () => ({ done: false as const, value: 'text' as unknown as Uint8Array })
  const body = { [Symbol.asyncIterator]: () => ({ next, return: leave }) }
  await expect(readBody(body, limit(9))).rejects.toThrow(
    'request.body must be a stream of bytes (Uint8Array): do not call setEncoding() on it'
  )
  expect(leave).toHaveBeenCalledOnce()
  const endless = { [Symbol.asyncIterator]: () => ({ next }) }
  await expect(readBody(endless, limit(9))).rejects.toThrow(TypeError)
})

test('reports too large although the stream throws when it is released', async () => {
  const next = async () => ({ done: false as const, value: new Uint8Array(2) })
  const leave = () => {
    throw new Error('it cannot be closed')
  }
  const body = { [Symbol.asyncIterator]: () => ({ next, return: leave }) }
  expect(await readBody(body, limit(1))).toMatchObject({ code: 'body-too-large' })
})

describe('bodyTimeout', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const limits = { maxBodyBytes: 100, bodyTimeout: 50 }
  const late = { code: 'body-unreadable', evidence: { error: 'it did not end within 50 ms' } }

  /** A chunk every ten milliseconds, forever. */
  function drip() {
    const returned = vi.fn(async () => ({ done: true as const, value: undefined }))
    const next = () =>
      new Promise<IteratorResult<Uint8Array>>(resolve => {
        setTimeout(() => resolve({ done: false, value: Uint8Array.of(1) }), 10)
      })
    return { returned, body: { [Symbol.asyncIterator]: () => ({ next, return: returned }) } }
  }

  test('counts from the first read to the end, however steadily the chunks come', async () => {
    const { body, returned } = drip()
    const reading = readBody(body, limits)
    await vi.advanceTimersByTimeAsync(50)
    expect(await reading).toMatchObject(late)
    expect(returned).toHaveBeenCalledOnce()
  })

  test('releases a web stream that hangs, and does not cancel it', async () => {
    const cancel = vi.fn()
    const body = new ReadableStream<Uint8Array>({ cancel })
    const reading = readBody(body, limits)
    await vi.advanceTimersByTimeAsync(50)
    expect(await reading).toMatchObject(late)
    expect({ locked: body.locked, cancelled: cancel.mock.calls.length }).toEqual({ locked: false, cancelled: 0 })
  })

  test('ends even when the stream hangs while it is released', async () => {
    const hangs = () => new Promise<never>(() => {})
    const body = { [Symbol.asyncIterator]: () => ({ next: hangs, return: hangs }) }
    const reading = readBody(body, limits)
    await vi.advanceTimersByTimeAsync(50)
    expect(await reading).toMatchObject(late)
  })

  test('leaves no timer behind after the end, an error or the limit', async () => {
    for (const bytes of [1, 101]) await readBody(streamOf(new Uint8Array(bytes)), limits)
    expect(vi.getTimerCount()).toBe(0)
  })
})

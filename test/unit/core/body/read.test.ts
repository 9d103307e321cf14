import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readBody } from '../../../../src/core/body/read.ts'
import { base64Digest } from '../../../../src/core/http/digest.ts'
import { createVerifier, httpStatus, type ReceivedBody } from '../../../../src/index.ts'
import { service } from '../../../support/service.ts'

test('does not cancel a web stream over the limit, which would cut off the answer', async () => {
  const verify = createVerifier({ ...service.options, maxBodyBytes: 10 })
  const cancel = vi.fn()
  const pull = (controller: ReadableStreamDefaultController) => controller.enqueue(Buffer.from('0123456789a'))
  const body = new ReadableStream({ pull, cancel })
  const verdict = await verify({ ...service.sign({ body: '0123456789a' }), body })
  expect(httpStatus(verdict)).toBe(413)
  expect(cancel).not.toHaveBeenCalled()
  expect(body.locked).toBe(false)
})

const read = (body: ReceivedBody, maxBodyBytes: number, announced?: string) =>
  readBody(body, { maxBodyBytes, bodyTimeout: 30_000 }, { announced })

/** Expects exactly these bytes, in memory of their own. */
async function expectBytes(result: ReturnType<typeof read>, bytes: Uint8Array): Promise<void> {
  const body = await result
  expect(body.ok && body.value).toStrictEqual(Uint8Array.from(bytes))
  expect(body.ok && body.value.buffer).toBeInstanceOf(ArrayBuffer)
  expect(body.ok && body.value.buffer.byteLength).toBe(bytes.length)
}

async function* streamOf(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}
/** Makes a stream by its protocol; without `leave` it cannot be released. */
const iterable = (next: () => Promise<IteratorResult<Uint8Array>>, leave?: () => Promise<never>) => ({
  [Symbol.asyncIterator]: () => ({ next, ...(leave && { return: leave }) })
})

const bytes = Buffer.from('{"name":"caf\u00e9"}')
const [start, end] = [bytes.subarray(0, 3), bytes.subarray(3)]
const none = Buffer.alloc(0)

test.each<[string, () => ReceivedBody]>([
  ['text', () => '{"name":"caf\u00e9"}'],
  ['a Buffer', () => bytes],
  ['a Uint8Array', () => new Uint8Array(bytes)],
  ['a stream of one chunk', () => streamOf(bytes)],
  ['a stream of two', () => streamOf(start, end)],
  ['a stream with empty chunks', () => streamOf(none, start, none, end, none)],
  ['a stream of single bytes', () => streamOf(...[...bytes].map(byte => Uint8Array.of(byte)))],
  ['a web stream', () => new Blob([start, end]).stream()]
])('%s gives the same bytes, up to the limit and no further', async (_, form) => {
  const limit = bytes.length - 1
  await expectBytes(read(form(), bytes.length), bytes)
  expect(await read(form(), limit)).toMatchObject({ ok: false, code: 'body-too-large', evidence: { limit } })
})

test('no body and an empty stream have no bytes', async () => {
  for (const body of [null, '', streamOf(), streamOf(none), new Blob([]).stream()])
    await expectBytes(read(body, 0), none)
})

test('does not write to the chunks of a stream', async () => {
  const chunks = ['abcdef', 'g', 'h', 'ijklmnopqrst', 'u'].map(text => Buffer.from(text))
  await expectBytes(read(streamOf(...chunks), 100), Buffer.from('abcdefghijklmnopqrstu'))
  expect(chunks.join('|')).toBe('abcdef|g|h|ijklmnopqrst|u')
})

test.each([
  ['each byte once when their number was announced', '1000', 1000],
  ['at most four times as many bytes as there are, however small the chunks', undefined, 3999]
])('copies %s', async (_, announced, most) => {
  const set = vi.spyOn(Object.getPrototypeOf(Uint8Array.prototype), 'set')
  try {
    const all = Uint8Array.from({ length: 1000 }, (_, n) => n)
    const body = await read(streamOf(...Array.from(all, byte => Uint8Array.of(byte))), 1000, announced)
    const copied = set.mock.calls.reduce((sum, [from]) => sum + (from as Uint8Array).length, 0)
    expect(body.ok && body.value).toStrictEqual(all)
    if (announced) expect(body.ok && body.value.buffer.byteLength).toBe(1000)
    expect(copied).toBeGreaterThanOrEqual(1000)
    expect(copied).toBeLessThanOrEqual(most)
  } finally {
    set.mockRestore()
  }
})

test('a body that fails says how much of it came, and has what was read', async () => {
  const tooLarge = await read(streamOf(Buffer.from('abc'), Buffer.from('de'), Buffer.from('f')), 4)
  expect(tooLarge).toMatchObject({ code: 'body-too-large', read: { length: 5 } })
  const { read: kept } = tooLarge as { read: { bytes: () => Uint8Array } }
  expect(Buffer.from(kept.bytes()).toString()).toBe('abc')
})

test.each(['2', '9', '-1', '1e99', 'NaN', '1.5', 'x', ''])(
  'an announced length of %j changes neither bytes nor limit',
  async announced => {
    const three = () => streamOf(Buffer.from('ab'), Buffer.from('c'))
    await expectBytes(read(three(), 3, announced), Buffer.from('abc'))
    expect(await read(three(), 2, announced)).toMatchObject({ code: 'body-too-large' })
  }
)

/** Reads a body of this many chunks of 16 KB; returns each size of `buffer` that a chunk was copied into. */
async function copiesOf(chunks: number, announced: string) {
  const set = vi.spyOn(Object.getPrototypeOf(Uint8Array.prototype), 'set')
  try {
    let copies = 0
    async function* stream() {
      for (let n = 0; n < chunks; n++) yield Buffer.alloc(16_384, 'x')
      copies = set.mock.calls.length
    }
    const body = await read(stream(), 1e9, announced)
    if (!body.ok) throw new Error(body.code)
    const copied = set.mock.calls.reduce((sum, [from]) => sum + (from as Uint8Array).length, 0)
    // The copies that join the chunks at the end are left out.
    const buffers = set.mock.contexts.slice(0, copies).map((to, i) => {
      const [chunk, at = 0] = set.mock.calls[i] as [Uint8Array, number?]
      return { held: at + chunk.length, size: (to as Uint8Array).length, isChunk: chunk.length === 16_384 }
    })
    return { length: body.value.length, own: body.value.buffer.byteLength, copied, buffers }
  } finally {
    set.mockRestore()
  }
}

test('grows to its announced length as soon as a quarter of it is there, and is not copied at its end', async () => {
  const { length, own, copied } = await copiesOf(64, `${64 * 16_384}`)
  expect(own).toBe(length)
  // Each byte is copied once, and the buffers of 64, 128 and 256 KiB again when they grow.
  expect(copied).toBeLessThanOrEqual(length + 448 * 1024)
})

test.each(['1048576', '1048577', '9000000', '999999999', '65536', '3'])(
  '%s announced bytes make at most four times as many ready as have arrived',
  async announced => {
    const { length, own, buffers } = await copiesOf(64, announced)
    expect(length).toBe(64 * 16_384)
    expect(own).toBe(length)
    for (const { held, size } of buffers.filter(({ isChunk }) => isChunk))
      expect(size).toBeLessThanOrEqual(Math.max(65_536, 4 * held))
  }
)

test('makes no more than 1 MiB ready for bytes that have not come', async () => {
  let used = 0
  async function* measuring() {
    used = process.memoryUsage().arrayBuffers
    yield Buffer.from('a')
  }
  const before = process.memoryUsage().arrayBuffers
  expect(await read(measuring(), 1e9, '999999999')).toMatchObject({ ok: true })
  expect(used - before).toBeLessThan(1_100_000)
})

test('a stream that breaks is unreadable, whatever came before', async () => {
  async function* broken() {
    yield Buffer.from('{')
    throw Object.assign(new Error('gone'), { code: 'ECONNRESET' })
  }
  const unreadable = { ok: false, code: 'body-unreadable', evidence: { error: 'ECONNRESET' } }
  expect(await read(broken(), 100)).toMatchObject(unreadable)
})

test('reports too large although the stream breaks or throws when it is released', async () => {
  async function* breaking() {
    try {
      yield new Uint8Array(2)
    } finally {
      await Promise.reject(new Error('it cannot be closed'))
    }
  }
  expect(await read(breaking(), 1)).toMatchObject({ code: 'body-too-large' })
  expect(await read(breaking(), 2)).toMatchObject({ code: 'body-unreadable' })
  const throwing = iterable(
    async () => ({ done: false, value: new Uint8Array(2) }),
    () => {
      throw new Error('it cannot be closed')
    }
  )
  expect(await read(throwing, 1)).toMatchObject({ code: 'body-too-large' })
})

test('copies a view of a larger buffer, so that no other bytes are exposed', async () => {
  const pool = Buffer.from('neighbour|body|neighbour')
  const [whole, ...parts] = [pool.subarray(10, 14), pool.subarray(10, 12), pool.subarray(12, 13), pool.subarray(13, 14)]
  for (const body of [whole!, streamOf(whole!), streamOf(...parts)])
    await expectBytes(read(body, 100), Buffer.from('body'))
})

const shared = () => {
  const array = new Uint8Array(new SharedArrayBuffer(2))
  array.set([1, 2])
  return array
}

test.each<[string, () => Uint8Array]>([
  ['a Buffer over a buffer of its own', () => Buffer.from(Uint8Array.of(1, 2).buffer)],
  ['a Buffer over shared memory', () => Buffer.from(shared().buffer)],
  ['an array over shared memory', shared]
])('returns %s as a Uint8Array over an ArrayBuffer', async (_, given) => {
  for (const body of [given(), streamOf(given())]) await expectBytes(read(body, 2), Uint8Array.of(1, 2))
})

test('releases a web stream that was read to its end', async () => {
  const body = new Blob(['ab']).stream()
  expect(await read(body, 2)).toMatchObject({ ok: true })
  expect(body.locked).toBe(false)
})

test('releases a stream of text, even when that fails, and throws', async () => {
  const leave = vi.fn(() => Promise.reject(new Error('it cannot be closed')))
  const next = async () => ({ done: false as const, value: 'text' as unknown as Uint8Array })
  const message = /^request.body yields a string: .*setEncoding/
  await expect(read(iterable(next, leave), 9)).rejects.toThrow(message)
  expect(leave).toHaveBeenCalledOnce()
  await expect(read(iterable(next), 9)).rejects.toThrow(message)
})

describe('bodyTimeout', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const limits = { maxBodyBytes: 100, bodyTimeout: 50 }

  /** Expects a timeout after 50 ms, whatever the body does. */
  async function expectLate(body: ReceivedBody): Promise<void> {
    const reading = readBody(body, limits)
    await vi.advanceTimersByTimeAsync(50)
    const late = { code: 'body-unreadable', evidence: { error: 'it did not end within 50 ms' } }
    expect(await reading).toMatchObject(late)
  }

  test('counts from the first read to the end, however steadily the chunks come', async () => {
    const leave = vi.fn(async () => ({ done: true, value: undefined }) as never)
    const drip = async () => {
      await new Promise(resolve => setTimeout(resolve, 10))
      return { done: false as const, value: Uint8Array.of(1) }
    }
    await expectLate(iterable(drip, leave))
    expect(leave).toHaveBeenCalledOnce()
  })

  test('releases a web stream that hangs, and does not cancel it', async () => {
    const cancel = vi.fn()
    const body = new ReadableStream<Uint8Array>({ cancel })
    await expectLate(body)
    expect(cancel).not.toHaveBeenCalled()
    expect(body.locked).toBe(false)
  })

  test('bodyTimeout ends even when the stream hangs while it is released', async () => {
    const hangs = () => new Promise<never>(() => {})
    await expectLate(iterable(hangs, hangs))
  })

  test('leaves no timer behind after the end, an error or the limit', async () => {
    for (const length of [1, 101]) await readBody(streamOf(new Uint8Array(length)), limits)
    expect(vi.getTimerCount()).toBe(0)
  })
})

test('hashes the chunks of a stream as they come', async () => {
  const chunks = ['a', 'bc', '', 'd'.repeat(100_000)].map(text => Buffer.from(text))
  const limits = { maxBodyBytes: 1_000_000, bodyTimeout: 30_000 }
  const body = await readBody(streamOf(...chunks), limits, { hashes: ['sha512', 'sha256', 'sha256'] })
  const whole = Buffer.concat(chunks)
  expect(body).toMatchObject({ ok: true, hashed: { sha256: base64Digest('sha256', whole) } })
  expect(body).toMatchObject({ ok: true, hashed: { sha512: base64Digest('sha512', whole) } })
})

test('a stream gives the same verdict as its bytes, for each digest and in any chunks', async () => {
  const bodyOf = (text: string) => streamOf(...text.match(/.{1,3}/gs)!.map(part => Buffer.from(part)))
  const both = 'sha256 and sha512'.split(' and ').map(name => `${name.replace('sha', 'SHA-')}=`)
  for (const digest of [both.slice(0, 1), both.slice(1), both, [...both, 'MD5=AAAA']]) {
    const hash = (name: string) =>
      base64Digest(name.includes('256') ? 'sha256' : 'sha512', Buffer.from('a signed body'))
    const header = digest.map(name => (name.startsWith('MD5') ? name : name + hash(name))).join(', ')
    const signed = service.sign({ method: 'POST', body: 'a signed body', headers: { Digest: header } })
    const verify = createVerifier(service.options)
    expect((await verify({ ...signed, body: bodyOf('a signed body') })).status).toBe('verified')
    const [stream, bytes] = [bodyOf('another body!'), 'another body!']
    const failures = async (body: ReceivedBody) => (await verify({ ...signed, body })).failures
    expect(await failures(stream)).toEqual(await failures(bytes))
  }
})

import { errorLabel } from './error-label.ts'
import type { ReceivedBody } from './request.ts'
import { fail, ok, type Result } from './result.ts'

/**
 * The bytes of a body, a promise only when there is something to read. Reading stops at `limit` bytes; the stream
 * is then left as it is, so that an answer can still be sent.
 *
 * Fails with `body-too-large` or `body-unreadable`.
 */
export function readBody(
  body: ReceivedBody,
  limit: number
): Result<Uint8Array> | Promise<Result<Uint8Array>> {
  if (body instanceof Uint8Array) return withinLimit(body, limit)
  if (typeof body === 'string') return withinLimit(encoder.encode(body), limit)
  if (body === null) return ok(new Uint8Array(0))
  return readStream(body, limit)
}

const withinLimit = (bytes: Uint8Array, limit: number): Result<Uint8Array> =>
  bytes.length > limit ? fail('body-too-large', { limit }) : ok(plain(bytes))

/** A Buffer as the Uint8Array that is promised, and that a clone of the verdict has too; nothing is copied. */
const plain = (bytes: Uint8Array): Uint8Array =>
  bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)

const encoder = new TextEncoder()

type Stream = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>

async function readStream(stream: Stream, limit: number): Promise<Result<Uint8Array>> {
  const chunks = chunksOf(stream)
  let bytes: Uint8Array = new Uint8Array(0)
  let length = 0
  try {
    for await (const chunk of chunks) {
      if (!(chunk instanceof Uint8Array)) throw new NotBytes()
      const start = length
      length += chunk.length
      if (length > limit) break
      bytes = append(bytes, start, chunk)
    }
  } catch (error) {
    if (error instanceof NotBytes) throw error
    // To leave a stream can fail too, and changes nothing.
    if (length <= limit) return fail('body-unreadable', { error: errorLabel(error) })
  }
  if (length > limit) return fail('body-too-large', { limit })
  return ok(plain(bytes.length === length ? bytes : bytes.subarray(0, length)))
}

class NotBytes extends TypeError {
  constructor() {
    super('request.body must be a stream of bytes (Uint8Array): do not call setEncoding() on it')
  }
}

/** One chunk is the body itself; more go to a buffer that doubles, so that tiny chunks cost no more than their bytes. */
function append(bytes: Uint8Array, length: number, chunk: Uint8Array): Uint8Array {
  if (length === 0) return chunk
  if (length + chunk.length <= bytes.length) {
    bytes.set(chunk, length)
    return bytes
  }
  const larger = new Uint8Array(Math.max(2 * bytes.length, length + chunk.length))
  larger.set(bytes.subarray(0, length))
  larger.set(chunk, length)
  return larger
}

/** Leaving a loop over a ReadableStream cancels it, and the request with it; a reader lets go of it. */
function chunksOf(stream: Stream): AsyncIterable<Uint8Array> {
  return 'getReader' in stream ? readerChunks(stream) : stream
}

async function* readerChunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    reader.releaseLock()
  }
}

import { createHash } from 'node:crypto'
import type { Bytes, ReceivedBody } from '../http/request.ts'
import { mistake } from '../mistakes.ts'
import { errorLabel, type Failed, fail, ok, type Result } from '../result/result.ts'
import { announcedLength, collectChunks, countChunks, tinyChunks } from './chunks.ts'

/** Limits for reading a body. */
export interface BodyLimits {
  readonly maxBodyBytes: number
  /** milliseconds for a stream, from the first read to its end */
  readonly bodyTimeout: number
}

/** A body, or why it is missing; for a stream also what was read of it, and how long it is at least. */
export type BodyResult =
  | { ok: true; value: Bytes; readonly hashed?: HashedBody }
  | (Failed & { readonly read?: PartialBody })

type HashName = 'sha256' | 'sha512'

/** The digests of a body in base64, by their hash. */
export type HashedBody = Readonly<Partial<Record<HashName, string>>>

/** Describes a stream before it is read. */
export interface Expected {
  /** its Content-Length, whatever it is: a buffer of that size is not copied */
  readonly announced?: string | undefined
  /** the hashes of its digests: each chunk is hashed as it comes, while it is in the processor's cache */
  readonly hashes?: readonly HashName[]
}

export interface PartialBody {
  /** joins what was read, only on demand: most failures are never inspected */
  bytes(): Uint8Array
  readonly length: number
}

/**
 * Names the method of a stream that returns all of its bytes if they have arrived and are within the limit. Otherwise
 * it returns undefined and leaves the stream alone. Waiting for bytes that are there would cost more than hashing
 * them. All copies of this module share the name.
 */
export const TAKE_ARRIVED = /* @__PURE__ */ Symbol.for('signed-requests.take-arrived')

/** A stream whose bytes may have arrived already. */
export interface ArrivingBody extends AsyncIterable<Uint8Array> {
  [TAKE_ARRIVED](limit: number): Uint8Array | undefined
}

/**
 * The bytes of a body that was passed whole or has arrived whole, in a buffer of their own. Undefined for a stream,
 * which `readBody` reads.
 *
 * Fails with `body-too-large`.
 */
export function bufferedBody(body: ReceivedBody, limits: BodyLimits): Result<Bytes> | undefined {
  if (body instanceof Uint8Array) return withinLimit(body, limits)
  if (typeof body === 'string') return withinLimit(encoder.encode(body), limits)
  if (body === null) return ok(new Uint8Array(0))
  const arrived = (body as Partial<ArrivingBody>)[TAKE_ARRIVED]?.(limits.maxBodyBytes)
  return arrived && ok(ownBytes(arrived))
}

/**
 * The bytes of any body, in a buffer of their own. Reading a stream stops at the limits; the stream is then released
 * and not destroyed, so that a response can still be sent.
 *
 * Fails with `body-too-large` or `body-unreadable`; the latter too for a body in too many tiny chunks.
 */
export async function readBody(
  body: ReceivedBody,
  limits: BodyLimits,
  { announced, hashes = [] }: Expected = {}
): Promise<BodyResult> {
  return (
    bufferedBody(body, limits) ??
    readStream(body as Stream, limits, announcedLength(announced, limits.maxBodyBytes), createHashes(hashes))
  )
}

/** Hashes the chunks of a body as they come. */
function createHashes(names: readonly HashName[]) {
  const hashes = [...new Set(names)].map(name => ({ name, hash: createHash(name) }))
  return {
    update(chunk: Uint8Array): void {
      for (const { hash } of hashes) hash.update(chunk)
    },
    digests: (): HashedBody => Object.fromEntries(hashes.map(({ name, hash }) => [name, hash.digest('base64')]))
  }
}

const encoder = /* @__PURE__ */ new TextEncoder()

const withinLimit = (bytes: Uint8Array, { maxBodyBytes: limit }: BodyLimits): Result<Bytes> =>
  bytes.length > limit ? fail('body-too-large', { limit }) : ok(ownBytes(bytes))

/**
 * As a Uint8Array over a buffer of exactly these bytes. Node's small Buffers are views of a shared pool: a clone of the
 * verdict would carry other data from it.
 */
function ownBytes(bytes: Uint8Array): Bytes {
  const isWindow = bytes.length !== bytes.buffer.byteLength || !(bytes.buffer instanceof ArrayBuffer)
  return new Uint8Array(isWindow ? bytes : bytes.buffer)
}

async function readStream(
  stream: Stream,
  { maxBodyBytes: limit, bodyTimeout }: BodyLimits,
  announced: number,
  hashes: ReturnType<typeof createHashes>
): Promise<BodyResult> {
  let onLate = () => {}
  const timer = setTimeout(() => onLate(), bodyTimeout)
  const isTiny = countChunks()
  const collected = collectChunks(announced)
  let length = 0
  let other: unknown
  const withRead = (failed: Failed, more = 0): BodyResult =>
    Object.assign(failed, { read: { bytes: collected.join, length: length + more } })
  try {
    const chunks = iterate(stream)
    for (;;) {
      // A promise for each read: a race with one long-lived deadline would hold every chunk's reaction in memory.
      const next = await new Promise<IteratorResult<unknown> | undefined>((resolve, reject) => {
        onLate = () => resolve(undefined)
        chunks.next().then(resolve, reject)
      })
      if (next?.done) return { ok: true, value: collected.join(), hashed: hashes.digests() }
      const chunk = unshared(next?.value)
      const isWithin = chunk instanceof Uint8Array && length + chunk.length <= limit
      if (isWithin) {
        collected.add(chunk)
        hashes.update(chunk)
        length += chunk.length
        if (!isTiny(chunk.length)) continue
      }
      releaseChunks(chunks)
      if (isWithin) throw tinyChunks()
      if (next === undefined)
        return withRead(fail('body-unreadable', { error: `it did not end within ${bodyTimeout} ms` }))
      if (chunk instanceof Uint8Array) return withRead(fail('body-too-large', { limit }), chunk.length)
      other = chunk
      break
    }
  } catch (error) {
    return withRead(fail('body-unreadable', { error: errorLabel(error) }))
  } finally {
    clearTimeout(timer)
  }
  throw mistake('request.body yields', other, 'pass a stream of bytes (Uint8Array): do not call setEncoding() on it')
}

/** Copies a chunk that another thread could change: the bytes that are hashed must be those that are returned. */
function unshared(chunk: unknown): unknown {
  return chunk instanceof Uint8Array && !(chunk.buffer instanceof ArrayBuffer) ? chunk.slice() : chunk
}

/** Nobody awaits this: a stream that hangs may hang here too, and the outcome does not matter. */
function releaseChunks(chunks: Chunks): void {
  const released = async () => chunks.release()
  released().catch(() => {})
}

type Stream = Exclude<ReceivedBody, Uint8Array | string | null>

interface Chunks {
  next(): Promise<IteratorResult<unknown>>
  release(): unknown
}

function iterate(stream: Stream): Chunks {
  if ('getReader' in stream) {
    // Its iterator would cancel the stream when left, and the request with it; a reader just releases it.
    const reader = stream.getReader()
    const next = async () => {
      const chunk = await reader.read()
      if (chunk.done) reader.releaseLock()
      return chunk
    }
    return { next, release: () => reader.releaseLock() }
  }
  const iterator = stream[Symbol.asyncIterator]()
  return { next: () => iterator.next(), release: () => iterator.return?.() }
}

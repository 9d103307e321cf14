import type { ReceivedRequest, Verdict, Verify } from 'signed-requests'
import {
  type ArrivingBody,
  announcedLength,
  collectChunks,
  DEFAULTS,
  lineValues,
  mostHeld,
  TAKE_ARRIVED
} from '../../src/internal/index.ts'
import { type Budget, createBudget, type Lease } from './budget.ts'
import type { Waits } from './connections.ts'
import type { HeaderLine } from './exchange.ts'
import type { CommonSettings } from './options/settings.ts'
import { pathAndQuery } from './target.ts'

/** Limits the bytes of all bodies that are held at once. If one body may be larger, it and its copies must fit in. */
export const MAX_HELD = 52 * 1024 * 1024

/** A larger body is counted; smaller ones are too little to count on any number of connections. */
export const SMALL_BODY = 16 * 1024

/**
 * Returns the same verdicts, within bounds for all requests together. Bodies are read after their head has verified,
 * and all of them share a budget of MAX_HELD bytes. When all connections are taken, a new one may replace a request
 * that waits for DNS or for the rest of its body. That request, or one whose lease is revoked, gets 503. A sender that
 * has disconnected is released at once.
 *
 * Most requests wait for DNS alone: a small body that has arrived by then is taken as it is.
 */
export function createBoundedVerify(verify: Verify, { verifier }: CommonSettings) {
  const { maxBodyBytes = DEFAULTS.maxBodyBytes } = verifier
  const bodies = createBudget({ limit: Math.max(MAX_HELD, 3 * maxBodyBytes) })
  const takesRfc9421 = verifier.schemes?.some(({ name }) => name === 'rfc9421') === true

  /** @param keep bytes of a body that is wanted whatever the verdict is */
  return async (request: ReceivedRequest, waits: Waits, keep = 0) => {
    const body = new HeldBody({ request, waits, bodies, maxBodyBytes, takesRfc9421, keep })
    const wait = new KeyWait(waits)
    const stream = request.body === null ? null : body
    try {
      const verdict: Verdict = await verify({ ...request, body: stream, signal: wait as unknown as AbortSignal })
      return { verdict, body, isRevoked: wait.isRevoked || body.isRevoked }
    } finally {
      waits.end()
    }
  }
}

/**
 * Waits for DNS as long as the verifier listens to it. It is as much of an AbortSignal as the verifier uses: a
 * controller for each request would cost a quarter of its verification.
 */
class KeyWait {
  aborted = false
  isRevoked = false
  private readonly waits: Waits

  constructor(waits: Waits) {
    this.waits = waits
  }

  addEventListener(_type: 'abort', leave: () => void): void {
    const abort = () => {
      this.aborted = true
      leave()
    }
    const revoke = () => {
      this.isRevoked = true
      abort()
    }
    this.waits.forKey(revoke, abort)
  }

  removeEventListener(): void {
    this.waits.end()
  }
}

/**
 * Returns a key that all copies of a request share when its head has verified: both standards require these parts to be
 * signed, so a copy cannot change them. Unsigned parts, such as an unknown parameter of the Signature header, must not
 * count.
 */
function bodyOwner({ method, target, headers }: ReceivedRequest, takesRfc9421: boolean): string {
  const lines = headers as readonly HeaderLine[]
  const isRfc9421 = takesRfc9421 && lineValues(lines, 'signature-input').length > 0
  // A value in several lines is signed as one.
  const digest = (name: string) => lineValues(lines, name).join(', ')
  return isRfc9421
    ? `${method} ${pathAndQuery(target)} ${digest('content-digest')}`
    : `${method} ${target} ${digest('digest')}`
}

interface HeldBodyOptions {
  readonly request: ReceivedRequest
  readonly waits: Waits
  readonly bodies: Budget
  readonly maxBodyBytes: number
  readonly takesRfc9421: boolean
  /** bytes that are kept whatever the verdict is */
  readonly keep: number
}

/**
 * The body for the verifier. Charges the chunks that have arrived, as the verifier holds them, and the copy kept here.
 */
class HeldBody implements ArrivingBody {
  isRevoked = false
  private readonly options: HeldBodyOptions
  /** what was taken at once, where it is kept */
  private arrived: Uint8Array | undefined
  private isTaken = false
  private chunks: HeldChunks | undefined

  constructor(options: HeldBodyOptions) {
    this.options = options
  }

  [TAKE_ARRIVED](limit: number): Uint8Array | undefined {
    const { request, keep } = this.options
    const bytes = (request.body as Partial<ArrivingBody>)[TAKE_ARRIVED]?.(Math.min(limit, SMALL_BODY))
    this.isTaken = bytes !== undefined
    if (keep > 0) this.arrived = bytes
    return bytes
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    const { request, waits, bodies, maxBodyBytes, takesRfc9421, keep } = this.options
    const owner = bodyOwner(request, takesRfc9421)
    const revoke = () => {
      this.isRevoked = true
      chunks.revoke()
    }
    const lease = bodies.lease(owner, revoke)
    const [contentLength] = lineValues(request.headers as HeaderLine[], 'content-length')
    const announced = announcedLength(contentLength, maxBodyBytes)
    const chunks = new HeldChunks(request.body as AsyncIterable<Uint8Array>, lease, { announced, keep, waits })
    this.chunks = chunks
    waits.forBody(owner, revoke)
    return chunks
  }

  /** Returns the bytes that were read, if they are the whole body and not more than is wanted. */
  read(): Uint8Array | undefined {
    if (this.options.request.body === null) return new Uint8Array(0)
    return this.chunks === undefined ? this.arrived : this.chunks.read()
  }

  /** Returns whether nothing of it has been read. */
  isUnread(): boolean {
    return !this.isTaken && this.chunks === undefined
  }

  /** Drops the kept bytes, which are no longer charged. */
  release(): void {
    this.arrived = undefined
    this.chunks?.release()
  }
}

interface HeldChunksOptions {
  /** its Content-Length, or 0 */
  readonly announced: number
  readonly keep: number
  readonly waits: Waits
}

/** The chunks of a body that is still arriving. A generator that waits for a chunk could not be stopped. */
class HeldChunks implements AsyncIterator<Uint8Array> {
  private readonly from: AsyncIterator<Uint8Array>
  private readonly lease: Lease
  private readonly options: HeldChunksOptions
  private readonly copy: ReturnType<typeof collectChunks>
  private length = 0
  private charged = 0
  private isComplete = false
  private revoked: Error | undefined
  private reject = (_: Error) => {}

  constructor(whole: AsyncIterable<Uint8Array>, lease: Lease, options: HeldChunksOptions) {
    this.from = whole[Symbol.asyncIterator]()
    this.lease = lease
    this.options = options
    this.copy = collectChunks(options.announced)
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    if (this.revoked !== undefined) throw this.revoked
    const result = await new Promise<IteratorResult<Uint8Array>>((resolve, fail) => {
      this.reject = fail
      this.from.next().then(resolve, fail)
    })
    this.isComplete = result.done === true
    if (this.isComplete) {
      this.options.waits.end()
      this.lease.pin()
      this.chargeInAll(this.length + this.copy.held())
    } else {
      this.hold(result.value!)
      if (this.revoked !== undefined) throw this.revoked
    }
    return result
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    return this.from.return!()
  }

  /** Ends the body with an error, because others need what it holds. */
  revoke(): void {
    this.lease.release()
    this.revoked = Object.assign(new Error('too many bodies are held'), { code: 'TOO_MANY_BODIES' })
    this.copy.clear()
    this.reject(this.revoked)
    this.from.return?.()
  }

  read(): Uint8Array | undefined {
    const isWhole = this.isComplete && this.length <= this.options.keep
    return isWhole ? Buffer.from(this.copy.join().buffer) : undefined
  }

  release(): void {
    this.copy.clear()
    this.lease.release()
  }

  private hold(chunk: Uint8Array): void {
    this.length += chunk.length
    if (this.length <= this.options.keep) this.copy.add(chunk)
    else this.copy.clear()
    this.chargeInAll(mostHeld(this.length, this.options.announced) + this.copy.held())
  }

  private chargeInAll(amount: number): void {
    this.lease.charge(amount - this.charged)
    this.charged = amount
  }
}

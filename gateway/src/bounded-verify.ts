import type { ServerResponse } from 'node:http'
import type { ReceivedRequest, Verdict, Verify } from 'signed-requests'
import { announcedLength, append, DEFAULTS, lineValues, mostHeld } from '../../src/tools/index.ts'
import { createBudget, type Lease } from './budget.ts'
import type { HeaderLine } from './exchange.ts'
import type { CommonSettings } from './options/settings.ts'
import { pathAndQuery } from './target.ts'

/** Limits the bytes of all bodies that are held at once. If one body may be larger, it and its copies must fit in. */
const MAX_HELD = 48 * 1024 * 1024

/**
 * Returns the least that a body is charged which has not arrived whole, however little of it has: as many fit in as a
 * quarter of the connections, and eight in any case.
 */
const leastCharge = (limit: number, maxConnections: number): number => limit / Math.max(8, maxConnections / 4)

type Bytes = AsyncIterable<Uint8Array>
type LeaseBody = (onRevoked: () => void) => Lease

/**
 * Returns the same verdicts, within bounds for all requests together. Half of the connections may wait for DNS, and a
 * quarter for the rest of a body. Bodies are read after their head has verified, and all of them share a budget of
 * MAX_HELD bytes. A request whose lease is revoked is told to try again (503). A sender that has gone is released at
 * once.
 */
export function createBoundedVerify(verify: Verify, { maxConnections, verifier }: CommonSettings) {
  const lookups = createBudget(Math.ceil(maxConnections / 2))
  const { maxBodyBytes = DEFAULTS.maxBodyBytes } = verifier
  const limit = Math.max(MAX_HELD, 3 * maxBodyBytes)
  const bodies = createBudget(limit)
  const least = leastCharge(limit, maxConnections)
  const takesRfc9421 = verifier.schemes?.some(({ name }) => name === 'rfc9421') === true

  /** @param keep bytes of a body that is wanted whatever the verdict is */
  return async (request: ReceivedRequest, res: ServerResponse, keep = 0) => {
    const controller = new AbortController()
    const abort = () => controller.abort()
    res.once('close', abort)
    let isRevoked = false
    const lookup = lookups(Symbol(), () => {
      isRevoked = true
      abort()
    })
    lookup.charge(1)
    const leaseBody = (onRevoked: () => void) => {
      lookup.release()
      return bodies(bodyOwner(request, takesRfc9421), () => {
        isRevoked = true
        onRevoked()
      })
    }
    const [contentLength] = lineValues(request.headers as HeaderLine[], 'content-length')
    const announced = announcedLength(contentLength, maxBodyBytes)
    // A body that has arrived whole waits for nobody.
    const leastOf = () => (res.req.complete ? 0 : least)
    const body = holdBody(request.body as Bytes | null, leaseBody, { leastOf, announced, keep })
    try {
      const verdict: Verdict = await verify({ ...request, body: body.stream, signal: controller.signal })
      return { verdict, body, isRevoked }
    } finally {
      // Aborting a request that is over would cost as much as verifying it.
      res.off('close', abort)
      lookup.release()
    }
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

interface Sizes {
  /** the least that an unfinished body is charged */
  readonly leastOf: () => number
  /** its Content-Length, or 0 */
  readonly announced: number
  readonly keep: number
}

/** Charges a body from the request for its first piece, and for each piece that has arrived. */
function holdBody(whole: Bytes | null, leaseBody: LeaseBody, { leastOf, announced, keep }: Sizes) {
  let from: AsyncIterator<Uint8Array> | undefined
  let lease: Lease | undefined
  let length = 0
  let charged = 0
  let kept = new Uint8Array(0)
  let isComplete = whole === null
  let revoked: Error | undefined
  let reject = (_: Error) => {}

  function onRevoked(): void {
    revoked = Object.assign(new Error('too many bodies are held'), { code: 'TOO_MANY_BODIES' })
    kept = new Uint8Array(0)
    reject(revoked)
    from?.return?.()
  }

  function chargeInAll(amount: number): void {
    lease!.charge(amount - charged)
    charged = amount
  }

  /** Charges all pieces for the buffer of the verifier, and for the copy that is kept here. */
  function hold(piece: Uint8Array): void {
    if (length + piece.length <= keep) kept = append(kept, length, piece)
    else kept = new Uint8Array(0)
    length += piece.length
    chargeInAll(Math.max(leastOf(), mostHeld(length, announced) + kept.length))
  }

  async function next(): Promise<IteratorResult<Uint8Array>> {
    if (revoked !== undefined) throw revoked
    const result = await new Promise<IteratorResult<Uint8Array>>((resolve, fail) => {
      reject = fail
      from!.next().then(resolve, fail)
    })
    isComplete = result.done === true
    if (isComplete) {
      lease!.pin()
      chargeInAll(length + kept.length)
    } else {
      hold(result.value!)
      if (revoked !== undefined) throw revoked
    }
    return result
  }

  /** The body for the verifier. A generator that waits for a piece could not be stopped. */
  const stream: Bytes = {
    [Symbol.asyncIterator]() {
      lease = leaseBody(onRevoked)
      from = whole![Symbol.asyncIterator]()
      chargeInAll(leastOf())
      return { next, return: () => from!.return!() }
    }
  }
  return {
    stream: whole && stream,
    /** returns the bytes that were read, if they are the whole body and not more than is wanted */
    read: () => (isComplete && length <= keep ? Buffer.from(kept.buffer, 0, length) : undefined),
    /** returns whether nothing of it has been read */
    isUnread: () => from === undefined,
    /** drops the kept bytes, which are no longer charged */
    release(): void {
      kept = new Uint8Array(0)
      lease?.release()
    }
  }
}

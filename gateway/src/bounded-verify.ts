import type { ServerResponse } from 'node:http'
import type { ReceivedRequest, Verdict, Verify } from 'signed-requests'
import { announcedLength, collectChunks, DEFAULTS, lineValues, mostHeld } from '../../src/internal/index.ts'
import { createBudget, type Lease } from './budget.ts'
import type { Waits } from './connections.ts'
import type { HeaderLine } from './exchange.ts'
import type { CommonSettings } from './options/settings.ts'
import { pathAndQuery } from './target.ts'

/** Limits the bytes of all bodies that are held at once. If one body may be larger, it and its copies must fit in. */
export const MAX_HELD = 52 * 1024 * 1024

type Bytes = AsyncIterable<Uint8Array>
type LeaseBody = (onRevoked: () => void) => Lease

/**
 * Returns the same verdicts, within bounds for all requests together. Bodies are read after their head has verified,
 * and all of them share a budget of MAX_HELD bytes. A request that waits for DNS or for the rest of its body gives way
 * to others when all connections are taken. A request that gives way, or whose lease is revoked, is told to try again
 * (503). A sender that has gone is released at once.
 */
export function createBoundedVerify(verify: Verify, { verifier }: CommonSettings) {
  const { maxBodyBytes = DEFAULTS.maxBodyBytes } = verifier
  const bodies = createBudget({ limit: Math.max(MAX_HELD, 3 * maxBodyBytes) })
  const takesRfc9421 = verifier.schemes?.some(({ name }) => name === 'rfc9421') === true

  /** @param keep bytes of a body that is wanted whatever the verdict is */
  return async (request: ReceivedRequest, res: ServerResponse, waits: Waits, keep = 0) => {
    const controller = new AbortController()
    const abort = () => controller.abort()
    res.once('close', abort)
    let isRevoked = false
    let endWait = waits.forKey(() => {
      isRevoked = true
      abort()
    })
    const leaseBody = (onRevoked: () => void): Lease => {
      endWait()
      const owner = bodyOwner(request, takesRfc9421)
      const revoke = () => {
        isRevoked = true
        lease.release()
        onRevoked()
      }
      const lease = bodies.lease(owner, revoke)
      endWait = waits.forBody(owner, revoke)
      const pin = () => {
        endWait()
        lease.pin()
      }
      return { ...lease, pin }
    }
    const [contentLength] = lineValues(request.headers as HeaderLine[], 'content-length')
    const announced = announcedLength(contentLength, maxBodyBytes)
    const body = holdBody(request.body as Bytes | null, leaseBody, announced, keep)
    try {
      const verdict: Verdict = await verify({ ...request, body: body.stream, signal: controller.signal })
      return { verdict, body, isRevoked }
    } finally {
      // Aborting a request that is over would cost as much as verifying it.
      res.off('close', abort)
      endWait()
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

/**
 * Charges the chunks of a body that have arrived, as the verifier holds them, and the copy that is kept here.
 *
 * @param announced its Content-Length, or 0
 */
function holdBody(whole: Bytes | null, leaseBody: LeaseBody, announced: number, keep: number) {
  let from: AsyncIterator<Uint8Array> | undefined
  let lease: Lease | undefined
  let length = 0
  let charged = 0
  const copy = collectChunks(announced)
  let isComplete = whole === null
  let revoked: Error | undefined
  let reject = (_: Error) => {}

  function onRevoked(): void {
    revoked = Object.assign(new Error('too many bodies are held'), { code: 'TOO_MANY_BODIES' })
    copy.clear()
    reject(revoked)
    from?.return?.()
  }

  function chargeInAll(amount: number): void {
    lease!.charge(amount - charged)
    charged = amount
  }

  function hold(chunk: Uint8Array): void {
    length += chunk.length
    if (length <= keep) copy.add(chunk)
    else copy.clear()
    chargeInAll(mostHeld(length, announced) + copy.held())
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
      chargeInAll(length + copy.held())
    } else {
      hold(result.value!)
      if (revoked !== undefined) throw revoked
    }
    return result
  }

  /** The body for the verifier. A generator that waits for a chunk could not be stopped. */
  const stream: Bytes = {
    [Symbol.asyncIterator]() {
      lease = leaseBody(onRevoked)
      from = whole![Symbol.asyncIterator]()
      return { next, return: () => from!.return!() }
    }
  }
  return {
    stream: whole && stream,
    /** returns the bytes that were read, if they are the whole body and not more than is wanted */
    read: () => (isComplete && length <= keep ? Buffer.from(copy.join().buffer) : undefined),
    /** returns whether nothing of it has been read */
    isUnread: () => from === undefined,
    /** drops the kept bytes, which are no longer charged */
    release(): void {
      copy.clear()
      lease?.release()
    }
  }
}

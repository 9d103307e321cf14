import { withCause } from '../../../src/verdict/result.ts'
import type { Failure, Verdict } from '../../../src/verdict/verdict.ts'
import type { Exchange } from '../exchange.ts'

const MAX_KEPT = 200

/** Of a larger body only a preview is kept. */
const MAX_BODY = 64 * 1024

/** Bytes of a larger body that are kept, and of any body that are shown. */
export const PREVIEW_BYTES = 4096

/** What is kept of one request: plain data, without a body that may not be shown. */
export interface CutExchange extends Exchange {
  /** of the whole body, in bytes; undefined when it was not read to its end */
  readonly bodyLength: number | undefined
  /** `body` is complete */
  readonly isBodyWhole: boolean
}

/** Numbered from 1. */
export interface KeptExchange extends CutExchange {
  readonly number: number
}

/** The last 200 requests, in memory only. */
export interface Recent {
  keep(exchange: CutExchange): void
  /** Those with a higher number, oldest first. */
  after(number: number): readonly KeptExchange[]
  get(number: number): KeptExchange | undefined
}

export function createRecent(): Recent {
  const kept: KeptExchange[] = []
  let last = 0
  return {
    keep(exchange) {
      last += 1
      kept.push({ ...exchange, number: last })
      if (kept.length > MAX_KEPT) kept.shift()
    },
    after: number => kept.filter(exchange => exchange.number > number),
    get: number => kept.find(exchange => exchange.number === number)
  }
}

/**
 * A copy that keeps nothing else in memory: only the text of a thrown error, and at most 64 KiB of the body.
 *
 * @param redact keep no body at all
 */
export function cutDown(exchange: Exchange, redact: boolean): CutExchange {
  const { verdict } = exchange
  const received = verdict.status === 'verified' ? verdict.body : exchange.body
  const isBodyWhole = received !== undefined && received.length <= MAX_BODY && !redact
  const end = redact ? 0 : isBodyWhole ? received.length : PREVIEW_BYTES
  // A copy: a view would keep all of the buffer behind it.
  const body = received && new Uint8Array(received.subarray(0, end))
  return {
    ...exchange,
    verdict: plainVerdict(verdict, body ?? new Uint8Array()),
    body: redact ? undefined : body,
    bodyLength: received?.length,
    isBodyWhole
  }
}

function plainVerdict(verdict: Verdict, body: Uint8Array): Verdict {
  if (verdict.status === 'verified') return { ...verdict, body }
  const checks = Object.entries(verdict.checks).map(([name, result]) => [name, { ...result }])
  return {
    ...verdict,
    failures: verdict.failures.map(plainFailure),
    checks: Object.fromEntries(checks)
  } as unknown as Verdict
}

/** The error of a resolver or of a store may keep its socket in memory. */
function plainFailure(failure: Failure): Failure {
  if (!Object.hasOwn(failure, 'cause')) return failure
  try {
    const { name, message, stack } = Object(failure.cause)
    const texts = [name, message, stack].map(text => (typeof text === 'string' ? text.slice(0, 4000) : ''))
    return withCause({ ...failure }, { name: texts[0], message: texts[1], stack: texts[2] })
  } catch {
    return { ...failure }
  }
}

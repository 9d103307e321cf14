import { assertVerdict } from './assert-verdict.ts'
import { httpStatus } from './http-status.ts'
import type { Rejected, Unavailable, Verdict, Verified } from './verdict.ts'

/**
 * Thrown by `assertVerified`. Express, Koa and Fastify answer with its status when it reaches them. The message has
 * codes and nothing from the sender, because some frameworks send it as the answer.
 */
export class NotVerifiedError extends Error {
  /** 401, 413 or 503: the same as `httpStatus(verdict)`, where Koa and Express look for it */
  readonly status: 401 | 413 | 503
  /** the same, where Fastify looks for it */
  readonly statusCode: 401 | 413 | 503
  /** false: frameworks like Koa keep the message out of the answer */
  readonly expose: false
  /**
   * The verdict, for `explain` and `logRecord`. Not enumerable: it holds text from the sender, which a logger that
   * prints the error must not print.
   */
  declare readonly verdict: Rejected | Unavailable

  constructor(verdict: Rejected | Unavailable) {
    const codes = verdict.failures.map(({ code }) => code).join(', ')
    super(
      verdict.status === 'unavailable'
        ? `the request could not be verified now: ${codes}`
        : `the request was not verified: ${codes}`
    )
    const status = httpStatus(verdict) as 401 | 413 | 503
    this.status = status
    this.statusCode = status
    this.expose = false
    // Not in a static block, which bundlers could not remove where it is unused.
    Object.defineProperties(this, {
      name: { value: 'NotVerifiedError', configurable: true, writable: true },
      verdict: { value: verdict }
    })
    // Captured again, so that its first line has the name.
    Error.captureStackTrace?.(this, NotVerifiedError)
  }
}

/**
 * Throws unless verified; TypeScript then narrows to `Verified`.
 *
 * @example
 * const verdict = await verify(fromNodeRequest(req))
 * assertVerified(verdict)
 * const event = JSON.parse(Buffer.from(verdict.body).toString())
 *
 * @throws NotVerifiedError for a verdict that is rejected or unavailable
 * @throws TypeError for anything but a verdict, such as a Promise that was not awaited
 */
export function assertVerified(verdict: Verdict): asserts verdict is Verified {
  assertVerdict('assertVerified', verdict)
  if (verdict.status !== 'verified') throw new NotVerifiedError(verdict)
}

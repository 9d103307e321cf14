import { assertVerdict } from './assert.ts'
import type { Rejected, Unavailable, Verdict, Verified } from './verdict.ts'

/**
 * Returns the HTTP status to respond with: 200 verified, 401 rejected, 413 if the only failure is `body-too-large`,
 * 503 unavailable, so that the sender retries.
 *
 * @example
 * res.writeHead(httpStatus(verdict)).end()
 *
 * @throws TypeError for anything but a verdict, such as a Promise that was not awaited
 */
export function httpStatus(verdict: Verdict): 200 | 401 | 413 | 503 {
  assertVerdict('httpStatus', verdict)
  if (verdict.status === 'verified') return 200
  if (verdict.status === 'unavailable') return 503
  const [first, ...others] = verdict.failures
  return first.code === 'body-too-large' && others.length === 0 ? 413 : 401
}

/** Marks the errors of every copy of this package, such as its ESM and its CommonJS form in one process. */
const MARK = /* @__PURE__ */ Symbol.for('signed-requests.NotVerifiedError')

/** Returns true for the errors of another copy of the class as well; a subclass has its own instances only. */
function isInstance(asked: object, value: unknown): boolean {
  if (Object.hasOwn(asked, Symbol.hasInstance)) return Object.hasOwn(Object(value), MARK)
  return Function.prototype[Symbol.hasInstance].call(asked, value)
}

/**
 * Thrown by `assertVerified`. Express, Koa and Fastify respond with its status when it reaches them. The message has
 * codes and nothing from the sender, because some frameworks send it as the response.
 */
export class NotVerifiedError extends Error {
  /** Lets `instanceof` hold for the errors of the other form of this package, ESM or CommonJS, too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: it may be a subclass
    return isInstance(this, value)
  }

  /** the same for each, as Node.js has it for its own errors */
  readonly code: 'ERR_NOT_VERIFIED'
  /** 401, 413 or 503: the same as `httpStatus(verdict)`, where Koa and Express look for it */
  readonly status: 401 | 413 | 503
  /** the same, where Fastify looks for it */
  readonly statusCode: 401 | 413 | 503
  /** false: frameworks like Koa keep the message out of the response */
  readonly expose: false
  /**
   * The verdict, for `explain` and `logRecord`. Not enumerable: it holds text from the sender, which a logger that
   * prints the error must not print.
   */
  declare readonly verdict: Rejected | Unavailable

  constructor(verdict: Rejected | Unavailable) {
    const outcome = verdict.status === 'unavailable' ? 'could not be verified now' : 'was not verified'
    super(`the request ${outcome}: ${verdict.failures.map(({ code }) => code).join(', ')}`)
    this.status = httpStatus(verdict) as 401 | 413 | 503
    this.statusCode = this.status
    this.expose = false
    this.code = 'ERR_NOT_VERIFIED'
    // Bundlers could not remove a static block where the class is unused.
    Object.defineProperties(this, {
      name: { value: 'NotVerifiedError', configurable: true, writable: true },
      verdict: { value: verdict },
      [MARK]: { value: true }
    })
    // Captured again, so that its first line has the name. A class that names itself is renamed when it is bundled.
    Error.captureStackTrace?.(this, new.target)
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

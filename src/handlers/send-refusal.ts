import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import { describe } from '../mistakes/describe.ts'
import { ownOptions } from '../mistakes/own-options.ts'
import { answerAndClose, type DrainLimits } from './answer-and-close.ts'
import { type Refused, refusalOf } from './refusal.ts'

/** How much of a refused upload is read and dropped before its connection is closed. */
export interface RefusalOptions {
  /** how much of the rest of the body is read and dropped, at most: bytes, 10485760 by default */
  drainBytes?: number
  /** for how long: milliseconds, 5000 by default */
  drainTimeout?: number
}

/**
 * Answers a request that was refused, and ends its connection: the status of `httpStatus`, an empty body, and
 * `Retry-After` with 503.
 *
 * The answer is sent at once. What is left of the body is then read and dropped, within the limits, before the
 * connection is closed: a proxy that is still sending when its connection breaks turns the answer into a 502. With
 * HTTP/2 the stream is reset, and the connection stays open.
 *
 * A request that was pipelined behind the refused one gets no answer, but Node.js has already emitted it, or will. Only
 * `nodeHandler` keeps it from being handled.
 *
 * The request is `res.req`. In Fastify call `reply.hijack()` first and pass `reply.raw`; in Koa set
 * `ctx.respond = false` and pass `ctx.res`.
 *
 * @throws TypeError for a verdict that is verified, for anything that is not Node's response, and for a bad option
 */
export function sendRefusal(
  res: ServerResponse | Http2ServerResponse,
  verdict: Refused,
  options: RefusalOptions = {}
): void {
  const limits = validateDrainLimits(ownOptions('sendRefusal', options, ['drainBytes', 'drainTimeout']))
  const { status, headers } = refusalOf(verdict, 'sendRefusal')
  if (typeof res?.writeHead !== 'function' || res.req === undefined) {
    throw new TypeError(
      `sendRefusal() got ${describe(res)}: pass the response object of node:http, res in Express and Nest, ` +
        'reply.raw in Fastify, ctx.res in Koa'
    )
  }
  answerAndClose(res, status, headers, limits)
}

/** @throws TypeError */
export function validateDrainLimits({
  drainBytes = 10_485_760,
  drainTimeout = 5000
}: RefusalOptions): DrainLimits {
  if (!Number.isSafeInteger(drainBytes) || drainBytes < 0) {
    throw new TypeError(
      `options.drainBytes is ${describe(drainBytes)}: write a whole number of bytes, such as 10485760`
    )
  }
  // setTimeout() can wait at most 2 ** 31 - 1 ms; for more it would not wait at all.
  if (!Number.isFinite(drainTimeout) || drainTimeout < 0 || drainTimeout > 2 ** 31 - 1) {
    throw new TypeError(`options.drainTimeout is ${describe(drainTimeout)}: write milliseconds, such as 5000`)
  }
  return { drainBytes, drainTimeout }
}

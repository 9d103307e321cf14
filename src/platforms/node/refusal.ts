import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import { mistake, ownOptions, validateAll } from '../../core/mistakes.ts'
import { validateNumber, validateTimeout } from '../../core/options/values.ts'
import type { Rejected, Unavailable } from '../../core/verdict/verdict.ts'
import { type Refusal, refusalOf } from '../refusal.ts'
import { createReport } from '../report.ts'
import { type AnswerOptions, answerWhenDrained, CLOSE_DELAY, DRAIN_LIMITS, type DrainLimits } from './drain.ts'

/** The response of `node:http`, `node:https` or `node:http2` (compatibility API). */
export type NodeResponse = ServerResponse | Http2ServerResponse

/** Limits on reading the rest of a refused body, which is dropped before the response. */
export interface RefusalOptions {
  /** bytes to read and drop at most; 10485760 by default */
  drainBytes?: number | undefined
  /** milliseconds to spend on it at most; 5000 by default */
  drainTimeout?: number | undefined
}

/**
 * Answers a request that was refused: the status of `httpStatus`, an empty body, `WWW-Authenticate: Signature` with 401
 * and `Retry-After` with 503. A 401 tells the sender what to sign, as that of `refusalResponse` does.
 *
 * The rest of the body is read and dropped first, within the limits: a proxy that is still sending when its connection
 * breaks turns any response into a 502. The connection stays open if the body has then arrived to its end; beyond the
 * limits it is closed. With HTTP/2 the response is sent at once, the stream is reset, and the connection stays open.
 *
 * A request that was pipelined behind one that closes the connection gets no response, but Node.js has already emitted
 * it, or will. Only `nodeHandler` and `nodeMiddleware` keep it from being handled.
 *
 * The request is `res.req`. In Fastify call `reply.hijack()` first and pass `reply.raw`; in Koa set
 * `ctx.respond = false` and pass `ctx.res`.
 *
 * @returns when the response was sent. Await it where something else would end the response, such as a guard of Nest
 * @throws TypeError (rejects with) for a verdict that is verified, for anything that is not Node's response, and for a
 *   bad option
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { createVerifier, fromNodeRequest, sendRefusal } from 'signed-requests'
 *
 * const verify = createVerifier({ serviceDomain: 'service.example', hosts: 'hooks.example.com', accounts: '1234' })
 * createServer(async (req, res) => {
 *   const verdict = await verify(fromNodeRequest(req))
 *   if (verdict.status !== 'verified') return sendRefusal(res, verdict)
 *   res.end(`received ${verdict.body.length} bytes`)
 * })
 * ```
 */
export async function sendRefusal(
  res: NodeResponse,
  verdict: Rejected | Unavailable,
  options: RefusalOptions = {}
): Promise<void> {
  const limits = drainLimits(ownOptions('sendRefusal', options, ['drainBytes', 'drainTimeout']))
  const refusal = refusalOf(verdict, 'sendRefusal')
  if (typeof res?.writeHead !== 'function' || res.req === undefined)
    throw mistake(
      'sendRefusal() got',
      res,
      'pass res of node:http, Express and Nest, reply.raw in Fastify, ctx.res in Koa'
    )
  await answerEmpty(res, refusal, { isLast: false, limits })
}

/** @throws TypeError */
export function drainLimits(options: RefusalOptions): DrainLimits {
  const [drainBytes, drainTimeout] = validateAll(
    () => validateNumber(options.drainBytes, DRAIN_LIMITS.drainBytes, 'options.drainBytes', 'bytes', { min: 0 }),
    () => validateTimeout(options.drainTimeout, DRAIN_LIMITS.drainTimeout, 'options.drainTimeout')
  )
  return { drainBytes, drainTimeout }
}

const report = /* @__PURE__ */ createReport()

/**
 * Answers without a body. The stream of HTTP/2 is closed, and a response that has already begun is aborted. Never
 * rejects: a header that a middleware left in a response must not end the process.
 */
export async function answerEmpty(res: NodeResponse, refusal: Refusal, options: AnswerOptions): Promise<void> {
  if (res.writableEnded || res.destroyed) return
  try {
    // A framework that writes after the refusal must not crash the process: write after end.
    res.on('error', () => {})
    if (res.headersSent) abort(res)
    else if ('stream' in res) answerStream(res, refusal)
    else await answerWhenDrained(res, refusal, options)
  } catch (error) {
    report(error)
    abort(res)
  }
}

function abort(res: NodeResponse): void {
  if ('stream' in res) res.stream.close(INTERNAL_ERROR)
  else res.req?.socket?.destroy()
}

/** Responds on the stream itself: a response of Node.js cannot drop the trailers that it was given. */
function answerStream({ stream }: Http2ServerResponse, { status, headers }: Refusal): void {
  if (stream.destroyed) return
  stream.respond({ ':status': status, ...headers }, { endStream: true })
  // RFC 9113 section 8.1: a complete response, then a reset without an error, so that the sender stops sending.
  setTimeout(() => stream.close(NO_ERROR), CLOSE_DELAY)
}

/** Removes the headers that describe another body than the empty one (RFC 9112 section 6.2). */
export function removeFraming(res: NodeResponse): void {
  for (const name of ['Content-Length', 'Transfer-Encoding', 'Trailer', 'Content-Encoding']) res.removeHeader(name)
  const hasLength = !('stream' in res) && res.statusCode !== 204 && res.statusCode !== 304
  if (hasLength) res.setHeader('Content-Length', 0)
}

/** Error codes of RFC 9113 section 7. */
const NO_ERROR = 0
const INTERNAL_ERROR = 2

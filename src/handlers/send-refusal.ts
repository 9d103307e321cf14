import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import { MAX_BODY_BYTES } from '../body/read.ts'
import { describe, ownOptions } from '../mistakes/mistakes.ts'
import { validateNumber, validateTimeout } from '../options/values.ts'
import { withDeadline } from '../promises.ts'
import type { Rejected, Unavailable } from '../verdict/verdict.ts'
import { type Refusal, refusalOf } from './around.ts'

export type NodeResponse = ServerResponse | Http2ServerResponse

/** How much of a refused upload is read and dropped before the response. */
export interface RefusalOptions {
  /** how much of the rest of the body is read and dropped, at most: bytes, 10485760 by default */
  drainBytes?: number
  /** for how long: milliseconds, 5000 by default */
  drainTimeout?: number
}

/**
 * Answers a request that was refused, and ends its connection: the status of `httpStatus`, an empty body,
 * `WWW-Authenticate: Signature` with 401 and `Retry-After` with 503.
 *
 * What is left of the body is read and dropped first, within the limits: a proxy that is still sending when its
 * connection breaks turns any response into a 502. With HTTP/2 the response is sent at once, the stream is reset, and
 * the connection stays open.
 *
 * A request that was pipelined behind the refused one gets no response, but Node.js has already emitted it, or will.
 * Only `nodeHandler` keeps it from being handled.
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
    throw new TypeError(
      `sendRefusal() got ${describe(res)}: pass res of node:http, Express and Nest, reply.raw in Fastify, ctx.res in Koa`
    )
  await answerAndClose(res, refusal, limits)
}

type Limits = Required<RefusalOptions>

/** @throws TypeError */
export const drainLimits = ({ drainBytes, drainTimeout }: RefusalOptions): Limits => ({
  drainBytes: validateNumber(drainBytes, MAX_BODY_BYTES, 'options.drainBytes', 'bytes', { min: 0 }),
  drainTimeout: validateTimeout(drainTimeout, 5000, 'options.drainTimeout')
})

/**
 * Answers without a body and closes the connection of HTTP/1, or the stream of HTTP/2. A response that has already
 * begun is aborted.
 */
export async function answerAndClose(res: NodeResponse, refusal: Refusal, limits: Limits): Promise<void> {
  if (res.writableEnded || res.destroyed) return
  if (res.headersSent) {
    if ('stream' in res) res.stream.close(INTERNAL_ERROR)
    else res.req.socket.destroy()
    return
  }

  // A framework that writes after the refusal must not crash the process: write after end.
  res.on('error', () => {})
  for (const name of ['Content-Type', 'Content-Encoding']) res.removeHeader(name)
  res.statusCode = refusal.status
  for (const [name, value] of Object.entries(refusal.headers)) res.setHeader(name, value)
  if ('stream' in res) {
    const { stream } = res
    res.end()
    // RFC 9113 section 8.1: a complete response, then a reset without an error, so that the sender stops sending.
    setTimeout(() => stream.close(NO_ERROR), CLOSE_DELAY)
    return
  }
  res.setHeader('Connection', 'close')
  const { req } = res
  const isRead = req.complete || req.readableEnded || req.destroyed || (await drain(req, limits))
  if (res.headersSent) return
  res.setHeader('Content-Length', 0)
  if (!isRead) {
    res.flushHeaders()
    await new Promise(resolve => setTimeout(resolve, CLOSE_DELAY))
  }
  res.end()
}

/**
 * Milliseconds for the sender to read the response: closing a connection with unread bytes resets it, and what was not
 * read is lost. With HTTP/2, the stream of a sender on Node.js would end and never close.
 */
const CLOSE_DELAY = 100
const NO_ERROR = 0
const INTERNAL_ERROR = 2

/** Reads and drops the rest of a request. False at a limit; true at its end, or when the sender is gone. */
function drain(req: IncomingMessage, { drainBytes, drainTimeout }: Limits): Promise<boolean> {
  const read = new Promise<boolean>(resolve => {
    let dropped = 0
    req.on('data', (chunk: Uint8Array) => {
      dropped += chunk.length
      if (dropped > drainBytes) resolve(false)
    })
    for (const event of ['end', 'close']) req.on(event, () => resolve(true))
    // A client that disconnects now must not crash the process.
    req.on('error', () => {}).resume()
  })
  // For the whole rest: a sender that drips bytes cannot extend it.
  return withDeadline(read, drainTimeout, () => false).finally(() => req.pause())
}

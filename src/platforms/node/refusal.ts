import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import { kindOf, ownOptions } from '../../mistakes.ts'
import { DEFAULTS } from '../../options/defaults.ts'
import { validateNumber, validateTimeout } from '../../options/values.ts'
import { withDeadline } from '../../promises.ts'
import type { Rejected, Unavailable } from '../../verdict/verdict.ts'
import { type Refusal, refusalOf } from '../refusal.ts'

/** The response of `node:http`, `node:https` or `node:http2` (compatibility API). */
export type NodeResponse = ServerResponse | Http2ServerResponse

/** How much of a refused upload is read and dropped before the response. */
export interface RefusalOptions {
  /** how much of the rest of the body is read and dropped, at most: bytes, 10485760 by default */
  drainBytes?: number | undefined
  /** for how long: milliseconds, 5000 by default */
  drainTimeout?: number | undefined
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
      `sendRefusal() got ${kindOf(res)}: pass res of node:http, Express and Nest, reply.raw in Fastify, ctx.res in Koa`
    )
  await answerAndClose(res, refusal, limits)
}

type Limits = Readonly<Record<keyof RefusalOptions, number>>

/** @throws TypeError */
export const drainLimits = ({ drainBytes, drainTimeout }: RefusalOptions): Limits => ({
  drainBytes: validateNumber(drainBytes, DEFAULTS.maxBodyBytes, 'options.drainBytes', 'bytes', { min: 0 }),
  drainTimeout: validateTimeout(drainTimeout, 5000, 'options.drainTimeout')
})

/**
 * Answers without a body and closes the connection of HTTP/1, or the stream of HTTP/2. A response that has already
 * begun is aborted. Never rejects: what a middleware left in a response must not end the process.
 */
export async function answerAndClose(res: NodeResponse, refusal: Refusal, limits: Limits): Promise<void> {
  if (res.writableEnded || res.destroyed) return
  try {
    // A framework that writes after the refusal must not crash the process: write after end.
    res.on('error', () => {})
    if (res.headersSent) abort(res)
    else if ('stream' in res) answerStream(res, refusal)
    else await answerConnection(res, refusal, limits)
  } catch (error) {
    console.error(error)
    abort(res)
  }
}

function abort(res: NodeResponse): void {
  if ('stream' in res) res.stream.close(INTERNAL_ERROR)
  else res.req?.socket?.destroy()
}

/** Directly on the stream: a response of Node.js cannot drop the trailers that it was given. */
function answerStream({ stream }: Http2ServerResponse, { status, headers }: Refusal): void {
  if (stream.destroyed) return
  stream.respond({ ':status': status, ...headers }, { endStream: true })
  // RFC 9113 section 8.1: a complete response, then a reset without an error, so that the sender stops sending.
  setTimeout(() => stream.close(NO_ERROR), CLOSE_DELAY)
}

async function answerConnection(res: ServerResponse, refusal: Refusal, limits: Limits): Promise<void> {
  const { req } = res
  // This is done now as well, because a framework may end the response while the rest is read.
  setRefusal(res, refusal)
  const isRead = req.complete || req.readableEnded || req.destroyed || (await drain(req, limits))
  if (res.headersSent) return
  setRefusal(res, refusal)
  const { writeHead, end } = original(res)
  writeHead(res.statusCode)
  if (!isRead) {
    res.flushHeaders()
    await new Promise(resolve => setTimeout(resolve, CLOSE_DELAY))
  }
  end()
}

/** Leaves nothing of what a middleware or handler has set: a foreign Trailer or length would break the response. */
function setRefusal(res: ServerResponse, { status, headers }: Refusal): void {
  const { sendDate } = res
  for (const name of res.getHeaderNames()) res.removeHeader(name)
  res.sendDate = sendDate // removing a Date has changed it
  res.statusCode = status
  res.statusMessage = '' // that of the status
  for (const [name, value] of Object.entries({ ...headers, 'Content-Length': 0, Connection: 'close' }))
    res.setHeader(name, value)
}

/** The class's own methods: middleware (on-headers, compression) puts some in front that add headers or a body. */
function original(res: ServerResponse): Pick<ServerResponse, 'writeHead' | 'end'> {
  const { writeHead = res.writeHead, end = res.end } = Object.getPrototypeOf(res) as Partial<ServerResponse>
  return { writeHead: writeHead.bind(res), end: end.bind(res) }
}

/** What was set for another body than the empty one (RFC 9112 section 6.2). */
export function removeFraming(res: NodeResponse): void {
  for (const name of ['Content-Length', 'Transfer-Encoding', 'Trailer', 'Content-Encoding']) res.removeHeader(name)
  const hasLength = !('stream' in res) && res.statusCode !== 204 && res.statusCode !== 304
  if (hasLength) res.setHeader('Content-Length', 0)
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
  // The time is for the whole rest: a sender that drips bytes cannot extend it.
  return withDeadline(read, drainTimeout, () => false).finally(() => req.pause())
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { type FromNodeOptions, fromNodeRequest, validateNodeOptions } from '../adapters/node.ts'
import type { ReceivedRequest } from '../http/request.ts'
import { ownOptions } from '../mistakes/own-options.ts'
import type { Verdict, Verified } from '../verdict/verdict.ts'
import type { Verify } from '../verify.ts'
import { answerAndClose } from './answer-and-close.ts'
import { assertFunctions, callHook, pick, releaseClaim, validateHook } from './handling.ts'
import { type Refused, refusalOf } from './refusal.ts'
import { type RefusalOptions, validateDrainLimits } from './send-refusal.ts'
import { isTurnOf } from './turns.ts'

type NodeRequest = IncomingMessage | Http2ServerRequest
type NodeResponse = ServerResponse | Http2ServerResponse
type Bytes = Uint8Array | string | undefined
type BodyOption<Req> = ((req: Req) => Bytes) | Bytes

/** What the proxy in front has changed, the raw bytes where a parser has read them, and what to do on a refusal. */
export interface NodeHandlerOptions<Req = IncomingMessage, Res = ServerResponse>
  extends Omit<FromNodeOptions, 'body'>,
    RefusalOptions {
  /** the raw bytes, when a parser has read them already: `req => req.body` after `express.raw()` */
  body?: BodyOption<Req>
  /** called for each request that is refused, before it is answered: to log */
  onRefused?: (verdict: Refused, req: Req, res: Res) => unknown
  /** gets what the handler threw, where there is no `next`; `console.error` by default */
  onError?: (error: unknown, req: Req, res: Res) => unknown
}

const ADAPTER_NAMES = ['https', 'host', 'prefix'] as const
const NAMES = [...ADAPTER_NAMES, 'body', 'drainBytes', 'drainTimeout', 'onRefused', 'onError'] as const

/**
 * A request listener or middleware for `node:http`, `node:https`, `node:http2` (compatibility API), Express, Connect
 * and Nest; for Koa (`ctx.respond = false`, then with `ctx.req` and `ctx.res`) and Fastify (`reply.hijack()`, then with
 * `request.raw` and `reply.raw`).
 *
 * `handle` gets verified requests only. Its return value decides the answer: for `undefined`, when nothing was written,
 * it is 204, or the `res.statusCode` that the handler has set; for anything else, such as `stream.pipe(res)`, the
 * handler answers itself. When it throws or rejects, the claim on the request is released, so that a retry is accepted,
 * and the error goes to `next` where there is one; otherwise it goes to `onError`, and the answer is 500. A refused
 * request gets the answer of `sendRefusal`.
 *
 * Requests that are pipelined on one connection are handled one after another, and none after a refusal.
 *
 * @throws TypeError for a bad option, at once. The promise never rejects, unless `next` throws.
 */
export function nodeHandler<
  Req extends NodeRequest = IncomingMessage,
  Res extends NodeResponse = ServerResponse
>(
  verify: Verify,
  handle: (verified: Verified, req: Req, res: Res) => unknown,
  options: NodeHandlerOptions<Req, Res> = {}
): (req: Req, res: Res, next?: (error?: unknown) => void) => Promise<void> {
  assertFunctions('nodeHandler', verify, handle)
  const own = ownOptions('nodeHandler', options, NAMES)
  const { body, onRefused, onError = console.error } = own
  const adapterOptions = pick(own, ADAPTER_NAMES)
  validateNodeOptions(adapterOptions)
  const limits = validateDrainLimits(own)
  validateHook(onRefused, 'onRefused')
  validateHook(own.onError, 'onError')

  const received = (req: Req): ReceivedRequest =>
    fromNodeRequest(
      req,
      body === undefined ? adapterOptions : { ...adapterOptions, body: bytesOf(body, req) }
    )

  return async (req, res, next) => {
    if (!(await isTurnOf(req, res))) return
    let verdict: Verdict | undefined
    try {
      verdict = await verify(received(req))
      if (verdict.status === 'verified') {
        res.statusCode = 200 // the default of Koa is 404
        const result = await handle(verdict, req, res)
        if (result === undefined) answerNothing(res)
        return
      }
    } catch (error) {
      await releaseClaim(verify, verdict)
      if (next !== undefined) return next(error)
      callHook(onError, error, req, res)
      answerAndClose(res, 500, {}, limits)
      return
    }
    callHook(onRefused, verdict, req, res)
    const { status, headers } = refusalOf(verdict, 'nodeHandler')
    answerAndClose(res, status, headers, limits)
  }
}

const bytesOf = <Req>(body: BodyOption<Req>, req: Req) => (typeof body === 'function' ? body(req) : body)

/** Only for a handler that has written nothing. */
function answerNothing(res: NodeResponse): void {
  if (res.headersSent || res.writableEnded) return
  if (res.statusCode === 200) res.statusCode = 204
  res.end()
}

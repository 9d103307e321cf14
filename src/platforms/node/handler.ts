import type { IncomingMessage, ServerResponse } from 'node:http'
import { ownOptions } from '../../core/mistakes.ts'
import { validateFunction } from '../../core/options/values.ts'
import type { Rejected, Unavailable, Verified } from '../../core/verdict/verdict.ts'
import type { Verify } from '../../core/verify.ts'
import { callHook, runHandler, validateHandler } from '../handler.ts'
import { PROXY_OPTIONS, prepareProxy } from '../proxy.ts'
import { joinPieces } from './pieces.ts'
import { waitForTurn } from './pipelining.ts'
import { answerAndClose, drainLimits, type NodeResponse, type RefusalOptions, removeFraming } from './refusal.ts'
import { type FromNodeOptions, type NodeRequest, readNodeRequest } from './request.ts'

/** Names the changes of the proxy in front, the raw bytes where a parser has read them, and the hooks. */
export interface NodeHandlerOptions<Req = IncomingMessage, Res = ServerResponse>
  extends Omit<FromNodeOptions, 'body'>,
    RefusalOptions {
  /** the raw bytes, when a parser has read them already: `req => req.body` after `express.raw()` */
  body?: ((req: Req) => Uint8Array | string | undefined) | undefined
  /**
   * called for each request that is refused, before it is answered: to log. It may return the status to answer with,
   * from 400 to 599; anything else, a promise too, changes nothing
   */
  onRefused?: ((verdict: Rejected | Unavailable, req: Req, res: Res) => unknown) | undefined
  /** gets what the handler threw, where there is no `next`; `console.error` by default */
  onError?: ((error: unknown, req: Req, res: Res) => unknown) | undefined
}

const HANDLER_OPTIONS = ['body', 'drainBytes', 'drainTimeout', 'onRefused', 'onError'] as const

/**
 * Makes a request listener or middleware for `node:http`, `node:https`, `node:http2` (compatibility API), Express,
 * Connect and Nest; for Koa (`ctx.respond = false`, then with `ctx.req` and `ctx.res`) and Fastify (`reply.hijack()`,
 * then with `request.raw` and `reply.raw`).
 *
 * `handle` gets verified requests only. Its return value decides the response: for `undefined`, when nothing was
 * written, it is 204, or the `res.statusCode` that the handler has set; for anything else, such as `stream.pipe(res)`,
 * the handler answers itself. When it throws or rejects, the claim on the request is released, so that a retry is
 * accepted, and the error goes to `next` where there is one; otherwise it goes to `onError`, and the status is 500. A
 * refused request is answered as by `sendRefusal`.
 *
 * Requests that are pipelined on one connection are handled one after another, and none after a refusal. A connection
 * that has more than ten of them at once is closed.
 *
 * @throws TypeError for a bad option, at once. The promise always settles, and never rejects.
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { createVerifier, explain, nodeHandler } from 'signed-requests'
 *
 * const verify = createVerifier({ serviceDomain: 'service.example', hosts: 'hooks.example.com', accounts: '1234' })
 * const receive = nodeHandler(verify, verified => console.log(verified.accountId, verified.body.length), {
 *   https: 'x-forwarded-proto',
 *   onRefused: verdict => console.warn(explain(verdict))
 * })
 * createServer(receive).listen(8080)
 * ```
 */
export function nodeHandler<Req extends NodeRequest = IncomingMessage, Res extends NodeResponse = ServerResponse>(
  verify: Verify,
  handle: (verified: Verified, req: Req, res: Res) => unknown,
  options: NodeHandlerOptions<Req, Res> = {}
): (req: Req, res: Res, next?: (error?: unknown) => void) => Promise<void> {
  const own = ownOptions('nodeHandler', options, [...PROXY_OPTIONS, ...HANDLER_OPTIONS])
  const { body, onRefused, onError } = own
  validateHandler('nodeHandler', verify, handle, { onRefused, onError })
  // Fixed bytes would be the body of every request.
  if (body !== undefined) validateFunction(body, 'options.body', 'req => req.rawBody')
  const limits = drainLimits(own)
  const undoProxy = prepareProxy(own)

  const run = (req: Req, res: Res): Promise<void> =>
    runHandler('nodeHandler', verify, {
      read: () => undoProxy(readNodeRequest(req, body?.(req))),
      onRefused: verdict => onRefused?.(verdict, req, res),
      refuse: refusal => answerAndClose(res, refusal, limits),
      async handle(verified) {
        res.statusCode = 200 // the default of Koa is 404
        const answer = await handle(verified, req, res)
        if (answer !== undefined || res.headersSent || res.writableEnded) return
        if (res.statusCode === 200) res.statusCode = 204
        removeFraming(res)
        res.end()
      }
    })

  /** Passes the error to `next` if there is one. Otherwise calls `onError`, and answers with 500. */
  async function fail(error: unknown, req: Req, res: Res, next?: (error?: unknown) => void): Promise<void> {
    if (next !== undefined) {
      try {
        return await next(error)
      } catch (failure) {
        console.error(failure)
      }
    }
    // Prints the error alone: the console shows whole objects, and the request has Authorization.
    else if (onError === undefined) console.error(error)
    else callHook(onError, error, req, res)
    await answerAndClose(res, { status: 500, headers: {} }, limits)
  }

  return async (req, res, next) => {
    try {
      // The body of a pipelined request arrives while the request waits.
      joinPieces(req)
      if (await waitForTurn(req, res)) await run(req, res)
    } catch (error) {
      await fail(error, req, res, next)
    }
  }
}

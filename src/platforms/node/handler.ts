import type { IncomingMessage, ServerResponse } from 'node:http'
import { validateCall } from '../../core/mistakes.ts'
import type { Verified } from '../../core/verdict/verdict.ts'
import type { Verify } from '../../core/verify.ts'
import { callHook, isFailure, validateHandle, validateHooks } from '../handler.ts'
import { createReport } from '../report.ts'
import { MIDDLEWARE_OPTIONS, type NodeMiddlewareOptions, prepareListener } from './listener.ts'
import { answerEmpty, drainLimits, type NodeResponse, removeFraming } from './refusal.ts'
import type { NodeRequest } from './request.ts'
import { hasUnreached } from './unreached.ts'

/** Options of `nodeHandler`; none is required. */
export interface NodeHandlerOptions<Req = IncomingMessage, Res = ServerResponse>
  extends NodeMiddlewareOptions<Req, Res> {
  /** called with what your handler threw, if there is no `next`; `console.error` by default */
  onError?: ((error: unknown, req: Req, res: Res) => unknown) | undefined
}

const OPTIONS = [...MIDDLEWARE_OPTIONS, 'onError'] as const

/**
 * Makes a request listener or middleware for `node:http`, `node:https`, `node:http2` (compatibility API), Express,
 * Connect and Nest; for Koa (`ctx.respond = false`, then with `ctx.req` and `ctx.res`) and Fastify (`reply.hijack()`,
 * then with `request.raw` and `reply.raw`).
 *
 * `handle` gets verified requests only. Its return value decides the response: for `undefined`, when nothing was
 * written, it is 204, or the `res.statusCode` that the handler has set; for anything else, such as `stream.pipe(res)`,
 * the handler answers itself. When it throws or rejects, the error goes to `next` where there is one; otherwise it goes
 * to `onError`, and the status is 500. A refused request is answered as by `sendRefusal`.
 *
 * The claim on the request is released, so that a retry is accepted, when the handler throws or rejects, when the
 * response has a status of 500 or more, and when the handler destroys it. A sender that hangs up keeps the claim.
 *
 * Requests that are pipelined on one connection are handled one after another, and none after an answer that closes the
 * connection. A connection that has more than ten of them at once is closed.
 *
 * @throws TypeError for a bad option, at once. The promise always settles, and never rejects.
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { createVerifier, logRecord, nodeHandler } from 'signed-requests'
 *
 * const verify = createVerifier({ serviceDomain: 'service.example', hosts: 'hooks.example.com', accounts: '1234' })
 * const receive = nodeHandler(verify, verified => console.log(verified.accountId, verified.body.length), {
 *   https: 'x-forwarded-proto',
 *   onRefused: verdict => console.warn(JSON.stringify(logRecord(verdict)))
 * })
 * createServer(receive).listen(8080)
 * ```
 */
export function nodeHandler<Req extends NodeRequest = IncomingMessage, Res extends NodeResponse = ServerResponse>(
  verify: Verify,
  handle: (verified: Verified, req: Req, res: Res) => unknown,
  options: NodeHandlerOptions<Req, Res> = {}
): (req: Req, res: Res, next?: (error?: unknown) => void) => Promise<void> {
  const report = createReport()
  const [own, listen] = validateCall(nodeHandler, 'nodeHandler', options, OPTIONS, own => [
    () => own,
    () => prepareListener('nodeHandler', verify, own, report),
    () => validateHandle(handle),
    () => validateHooks({ onError: own.onError })
  ])
  const { onError } = own
  const limits = drainLimits(own)

  const run = (req: Req, res: Res): Promise<void> =>
    listen(req, res, async (verified, release) => {
      warnOnce(req)
      res.statusCode = 200 // the default of Koa is 404
      const answer = await handle(verified, req, res)
      const isOpen = answer === undefined && !res.headersSent
      if (isFailure(res.statusCode) && (isOpen || res.writableEnded)) await release()
      if (!isOpen || res.headersSent) return
      if (res.statusCode === 200) res.statusCode = 204
      removeFraming(res)
      res.end()
    })

  /** Passes the error to `next` if there is one. Otherwise calls `onError`, and answers with 500. */
  async function fail(error: unknown, req: Req, res: Res, next?: (error?: unknown) => void): Promise<void> {
    // Without a response nothing can be answered: ctx of Koa was passed instead of req and res.
    if (typeof res?.writeHead !== 'function') throw error
    if (next !== undefined) {
      try {
        return await next(error)
      } catch (failure) {
        report(failure)
      }
    } else if (onError === undefined) report(error)
    else callHook(report, onError, error, req, res)
    await answerEmpty(res, { status: 500, headers: {} }, { isLast: true, limits })
  }

  let isChecked = false
  function warnOnce(req: Req): void {
    if (!isChecked && hasUnreached(req, receive))
      console.warn(
        'nodeHandler() answers by itself, so the handler after it never runs: write ' +
          'nodeMiddleware(verify, options) instead, or move that code into the function that you pass to nodeHandler()'
      )
    isChecked = true
  }

  return receive

  async function receive(req: Req, res: Res, next?: (error?: unknown) => void): Promise<void> {
    try {
      await run(req, res)
    } catch (error) {
      await fail(error, req, res, next)
    }
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { validateAll } from '../../core/mistakes.ts'
import { validateOptionalFunction } from '../../core/options/values.ts'
import type { Rejected, Unavailable, Verified } from '../../core/verdict/verdict.ts'
import type { Verify } from '../../core/verify.ts'
import { type Release, runHandler, validateHooks, validateVerifier } from '../handler.ts'
import { PROXY_OPTIONS, prepareProxy } from '../proxy.ts'
import type { Report } from '../report.ts'
import { mergeSmallChunks } from './chunks.ts'
import { watchOutcome } from './outcome.ts'
import { waitForTurn } from './pipelining.ts'
import { answerEmpty, drainLimits, type NodeResponse, type RefusalOptions } from './refusal.ts'
import { type FromNodeOptions, type NodeRequest, readNodeRequest } from './request.ts'

/** Options of `nodeMiddleware`; none is required. */
export interface NodeMiddlewareOptions<Req = IncomingMessage, Res = ServerResponse>
  extends Omit<FromNodeOptions, 'body'>,
    RefusalOptions {
  /** the raw bytes, when a parser has read them already: `req => req.body` after `express.raw()` */
  body?: ((req: Req) => Uint8Array | string | undefined) | undefined
  /**
   * called for each request that is refused, before it is answered: to log. It may return the status to answer with,
   * from 400 to 599; anything else, a promise too, changes nothing
   */
  onRefused?: ((verdict: Rejected | Unavailable, req: Req, res: Res) => unknown) | undefined
}

export const MIDDLEWARE_OPTIONS = [...PROXY_OPTIONS, 'body', 'drainBytes', 'drainTimeout', 'onRefused'] as const

type Handle = (verified: Verified, release: Release) => void | Promise<void>

/**
 * Prepares what `nodeHandler` and `nodeMiddleware` do with each request until it is verified: it waits for the response
 * to the request before, reads, verifies, and refuses or calls `handle`. The claim is released when `handle` throws,
 * and when the response has failed.
 *
 * @param from the name of the function that the receiver called, for messages
 * @throws TypeError for a bad option, at once
 */
export function prepareListener<Req extends NodeRequest, Res extends NodeResponse>(
  from: 'nodeHandler' | 'nodeMiddleware',
  verify: Verify,
  options: Partial<NodeMiddlewareOptions<Req, Res>>,
  report: Report
): (req: Req, res: Res, handle: Handle) => Promise<void> {
  const { body, onRefused } = options
  const [limits, undoProxy] = validateAll(
    () => drainLimits(options),
    () => prepareProxy(options),
    () => validateVerifier(from, verify),
    () => validateHooks({ onRefused }),
    // Fixed bytes would be the body of every request.
    () => validateOptionalFunction(body, 'options.body', 'req => req.rawBody')
  )

  return async (req, res, handle) => {
    // The body of a pipelined request arrives while the request waits.
    mergeSmallChunks(req)
    if (!(await waitForTurn(req, res))) return
    await runHandler<void>(from, verify, {
      report,
      read: () => undoProxy(readNodeRequest(req, body?.(req), from === 'nodeHandler')),
      onRefused: verdict => onRefused?.(verdict, req, res),
      refuse: refusal => answerEmpty(res, refusal, { isLast: false, limits }),
      handle(verified, release) {
        watchOutcome(req, res, release)
        return handle(verified, release)
      }
    })
  }
}

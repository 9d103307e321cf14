import type { IncomingMessage, ServerResponse } from 'node:http'
import { mistake, validateCall } from '../../core/mistakes.ts'
import type { Verified } from '../../core/verdict/verdict.ts'
import type { Verify } from '../../core/verify.ts'
import { createReport } from '../report.ts'
import { MIDDLEWARE_OPTIONS, type NodeMiddlewareOptions, prepareListener } from './listener.ts'
import type { NodeResponse } from './refusal.ts'
import type { NodeRequest } from './request.ts'

declare global {
  namespace Express {
    interface Request {
      /** set by `nodeMiddleware` of signed-requests, for the handlers behind it */
      verified: Verified
    }
  }
}

/** The request that handlers behind `nodeMiddleware` get. Express needs no cast: its `Request` has `verified`. */
export type VerifiedRequest<Req extends NodeRequest = IncomingMessage> = Req & {
  verified: Verified
  /** the bytes that were verified */
  body: Buffer
}

/**
 * Makes middleware for Express 4 and 5, Connect and Nest: `app.post('/hook', nodeMiddleware(verify), handler)`.
 *
 * It sets `req.verified`, the verdict, and `req.body`, the bytes that were verified, and calls `next()`. A body parser
 * behind it leaves both alone. A refused request is answered as by `sendRefusal`, and goes no further.
 *
 * When the response has a status of 500 or more, or a handler destroys it, the claim on the request is released, so
 * that a retry is accepted. A mistake in the program, such as a body that was parsed before, goes to `next(error)`.
 *
 * @throws TypeError for a bad option, at once
 * @example
 * ```ts
 * import { createVerifier, logRecord, nodeMiddleware } from 'signed-requests'
 *
 * const verify = createVerifier({ serviceDomain: 'service.example', hosts: 'hooks.example.com', accounts: '1234' })
 * const signed = nodeMiddleware(verify, { onRefused: verdict => console.warn(JSON.stringify(logRecord(verdict))) })
 * app.post('/hook', signed, (req, res) => res.json({ account: req.verified.accountId }))
 * ```
 */
export function nodeMiddleware<Req extends NodeRequest = IncomingMessage, Res extends NodeResponse = ServerResponse>(
  verify: Verify,
  options: NodeMiddlewareOptions<Req, Res> = {}
): (req: Req, res: Res, next: (error?: unknown) => void) => Promise<void> {
  if (typeof options === 'function') throw handlerAsOptions()
  const [run] = validateCall(nodeMiddleware, 'nodeMiddleware', options, MIDDLEWARE_OPTIONS, own => [
    () => prepareListener('nodeMiddleware', verify, own, createReport())
  ])
  return async (req, res, next) => {
    let isPassedOn = false
    try {
      if ((req as Partial<VerifiedRequest>).verified !== undefined)
        throw mistake('nodeMiddleware() got', req, 'mount it once, on the app, the router or the route', () => VERIFIED)
      await run(req, res, verified => {
        pass(req, verified)
        isPassedOn = true
        return next()
      })
    } catch (error) {
      // An error that the framework itself throws is not passed to its next().
      if (isPassedOn) throw error
      next(error)
    }
  }
}

const VERIFIED = 'a request that was verified already'

/** `nodeMiddleware` is called as `nodeHandler` is. The stack starts with the caller's line. */
function handlerAsOptions(): TypeError {
  const rule = "pass the handler to the framework, behind it, as in app.post('/hook', nodeMiddleware(verify), handler)"
  const error = mistake('nodeMiddleware() got', undefined, rule, () => 'a handler, which it does not take')
  Error.captureStackTrace?.(error, nodeMiddleware)
  return error
}

/** Gives a verified request what the handlers behind the middleware read. */
function pass(req: NodeRequest, verified: Verified): void {
  const { buffer, byteOffset, length } = verified.body
  Object.assign(req, {
    verified,
    // Express parses a Buffer as text where it is used as one; the bytes are those of the verdict.
    body: Buffer.from(buffer, byteOffset, length),
    // The parsers of Express 4 skip a request with this mark. Those of Express 5 see that the stream was read.
    _body: true
  })
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  explain,
  type FromNodeOptions,
  fromNodeRequest,
  sendRefusal,
  type Verified,
  type Verify
} from 'signed-requests'

/** Handlers behind the middleware get this. */
export type SignedRequest = IncomingMessage & { verified: Verified }

type Next = (error?: unknown) => void

/** Middleware for Express and Connect: verified requests go on, with their verdict in `req.verified`. */
export function signedRequests(verify: Verify, options: Omit<FromNodeOptions, 'body'> = {}) {
  return async (req: IncomingMessage, res: ServerResponse, next: Next): Promise<void> => {
    try {
      const verdict = await verify(fromNodeRequest(req, options))
      if (verdict.status !== 'verified') {
        console.warn(explain(verdict))
        return await sendRefusal(res, verdict)
      }
      // An error page, or a stream of the application that broke off. A sender that disconnects is no failure of ours.
      res.once('close', () => {
        if (res.statusCode >= 500 || res.errored) verify.release(verdict).catch(console.error)
      })
      ;(req as SignedRequest).verified = verdict
    } catch (error) {
      return next(error) // a mistake in the program, such as a body that was parsed before
    }
    next()
  }
}

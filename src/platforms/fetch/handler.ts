import { validateCall } from '../../core/mistakes.ts'
import type { Rejected, Unavailable, Verified } from '../../core/verdict/verdict.ts'
import type { Verify } from '../../core/verify.ts'
import { isFailure, runHandler, validateHandler } from '../handler.ts'
import { PROXY_OPTIONS } from '../proxy.ts'
import { createReport } from '../report.ts'
import { type FromFetchOptions, fetchAdapter } from './request.ts'

/** Options of `fetchHandler`; none is required. */
export interface FetchHandlerOptions<R extends Request = Request, Rest extends readonly unknown[] = never[]>
  extends Omit<FromFetchOptions, 'body'> {
  /**
   * called for each request that is refused, before it is answered: to log. It may return the status to answer with,
   * from 400 to 599; anything else, a promise too, changes nothing
   */
  onRefused?: ((verdict: Rejected | Unavailable, request: R, ...rest: Rest) => unknown) | undefined
}

const OPTIONS = [...PROXY_OPTIONS, 'onRefused'] as const

/**
 * Makes a handler of a `Request`, for Hono (`c => handler(c.req.raw, c)`), Next.js, SvelteKit
 * (`event => handler(event.request, event)`), Bun, Deno and Cloudflare Workers.
 *
 * `handle` gets verified requests only, and whatever else the platform passed. It returns the Response, or `undefined`
 * for 204. When the Response has a status of 500 or more, or the handler throws or rejects, the claim on the request is
 * released, so that a retry is accepted. An error is rethrown. A refused request is answered with `refusalResponse`.
 *
 * @throws TypeError for a bad option, at once
 * @example
 * ```ts
 * import { createVerifier, fetchHandler, logRecord } from 'signed-requests'
 *
 * const verify = createVerifier({ serviceDomain: 'service.example', hosts: 'hooks.example.com', accounts: '1234' })
 * export default {
 *   fetch: fetchHandler(verify, verified => Response.json({ account: verified.accountId }), {
 *     onRefused: verdict => console.warn(JSON.stringify(logRecord(verdict)))
 *   })
 * }
 * ```
 */
export function fetchHandler<R extends Request = Request, Rest extends unknown[] = unknown[]>(
  verify: Verify,
  handle: (
    verified: Verified,
    request: R,
    ...rest: Rest
    // biome-ignore lint/suspicious/noConfusingVoidType: a handler that answers nothing has no return statement
  ) => Response | undefined | void | Promise<Response | undefined | void>,
  options: NoInfer<FetchHandlerOptions<R, Rest>> = {}
): (request: R, ...rest: Rest) => Promise<Response> {
  const [receive, { onRefused }] = validateCall(fetchHandler, 'fetchHandler', options, OPTIONS, own => [
    () => fetchAdapter(own),
    () => own,
    () => validateHandler('fetchHandler', verify, handle, { onRefused: own.onRefused })
  ])
  const report = createReport()
  // Deno passes no request to a handler that has rest parameters alone.
  return (request, ...rest) =>
    runHandler('fetchHandler', verify, {
      report,
      read: () => receive(request),
      onRefused: verdict => onRefused?.(verdict, request, ...rest),
      refuse: refusal => new Response(null, refusal),
      async handle(verified, release) {
        const response = (await handle(verified, request, ...rest)) ?? new Response(null, { status: 204 })
        if (isFailure(response.status)) await release()
        return response
      }
    })
}

import { type FromFetchOptions, fromFetchRequest, validateFetchOptions } from '../adapters/fetch.ts'
import { ownOptions } from '../mistakes/own-options.ts'
import type { Verified } from '../verdict/verdict.ts'
import type { Verify } from '../verify.ts'
import { assertFunctions, callHook, pick, releaseClaim, validateHook } from './handling.ts'
import { type Refused, refusalResponse } from './refusal.ts'

export interface FetchHandlerOptions<R extends Request = Request, Rest extends readonly unknown[] = never[]>
  extends FromFetchOptions {
  /** called for each request that is refused, before it is answered: to log */
  onRefused?: (verdict: Refused, request: R, ...rest: Rest) => unknown
}

const ADAPTER_NAMES = ['body', 'https', 'host', 'prefix'] as const

/**
 * A handler of a `Request`, for Hono (`c => handler(c.req.raw, c)`), Next.js, SvelteKit
 * (`event => handler(event.request, event)`), Bun, Deno and Cloudflare Workers.
 *
 * `handle` gets verified requests only, and whatever else the platform passed. It returns the Response, or `undefined`
 * for 204. When it throws or rejects, the claim on the request is released, so that a retry is accepted, and the error
 * is rethrown. A refused request gets the answer of `refusalResponse`.
 *
 * @throws TypeError for a bad option, at once
 */
export function fetchHandler<R extends Request = Request, Rest extends unknown[] = unknown[]>(
  verify: Verify,
  handle: (
    verified: Verified,
    request: R,
    ...rest: Rest
    // biome-ignore lint/suspicious/noConfusingVoidType: a handler that answers nothing has no return statement
  ) => Response | undefined | void | Promise<Response | undefined | void>,
  options: FetchHandlerOptions<R, Rest> = {}
): (request: R, ...rest: Rest) => Promise<Response> {
  assertFunctions('fetchHandler', verify, handle)
  const own = ownOptions('fetchHandler', options, [...ADAPTER_NAMES, 'onRefused'])
  const adapterOptions = pick(own, ADAPTER_NAMES)
  validateFetchOptions(adapterOptions)
  validateHook(own.onRefused, 'onRefused')

  return async (request, ...rest) => {
    const verdict = await verify(fromFetchRequest(request, adapterOptions))
    if (verdict.status !== 'verified') {
      callHook(own.onRefused, verdict, request, ...rest)
      return refusalResponse(verdict)
    }
    try {
      return (await handle(verdict, request, ...rest)) ?? new Response(null, { status: 204 })
    } catch (error) {
      await releaseClaim(verify, verdict)
      throw error
    }
  }
}

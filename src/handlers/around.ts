import { kindOf } from '../mistakes/mistakes.ts'
import { validateFunction } from '../options/values.ts'
import { withDeadline } from '../promises.ts'
import { assertVerdict } from '../verdict/assert.ts'
import { httpStatus } from '../verdict/http-status.ts'
import type { Rejected, Unavailable, Verdict, Verified } from '../verdict/verdict.ts'
import type { Verify } from '../verify.ts'

/** @throws TypeError for a verifier, a handler or a hook that is not one */
export function validateHandler(from: string, verify: unknown, handle: unknown, hooks: object): void {
  if (typeof verify !== 'function' || typeof (verify as Partial<Verify>).release !== 'function')
    throw new TypeError(
      `${from}() got ${kindOf(verify)} for its verifier: pass what createVerifier() returned, not a wrapper`
    )
  validateFunction(handle, 'the handler', '(verified, ...) => answer')
  for (const [name, hook] of Object.entries(hooks))
    if (hook !== undefined) validateFunction(hook, `options.${name}`, '(verdict or error, ...) => {}')
}

/** Milliseconds: a response must not wait forever for a store that hangs. */
const RELEASE_TIMEOUT = 1000

/**
 * What the handler of the receiver returns. When it fails, the claim is released, so that a retry is accepted. When the
 * store fails too, that is reported as well.
 */
export async function orRelease<T>(verify: Verify, verdict: Verified, handle: () => T): Promise<Awaited<T>> {
  try {
    return await handle()
  } catch (error) {
    const late = () =>
      Promise.reject(new Error(`the replay store did not release the claim within ${RELEASE_TIMEOUT} ms`))
    await withDeadline(verify.release(verdict), RELEASE_TIMEOUT, late).catch(error => console.error(error))
    throw error
  }
}

type Hook<Args extends unknown[]> = ((...args: Args) => unknown) | undefined

/** What a hook of the receiver returns. What it throws or rejects with is reported, and changes no response. */
export function callHook<Args extends unknown[]>(hook: Hook<Args>, ...args: Args): unknown {
  try {
    const result = hook?.(...args)
    if (result instanceof Promise) result.catch(error => console.error(error))
    return result
  } catch (error) {
    console.error(error)
    return undefined
  }
}

/**
 * RFC 9110 section 15.5.2: a 401 names a challenge; the draft's section 3.1.1 names this one. Seconds after which a
 * sender may try again: long enough for a resolver, short enough for a Date to be recent.
 */
const HEADERS: Readonly<Record<number, Record<string, string>>> = {
  401: { 'WWW-Authenticate': 'Signature' },
  503: { 'Retry-After': '10' }
}

/** What every refusal has, on every platform. The body is empty: the sender learns nothing but the status. */
export interface Refusal {
  status: number
  headers: Record<string, string>
}

/** @param chosen what `onRefused` returned: a number from 400 to 599 is the status instead of `httpStatus` */
export function refusalOf(verdict: Rejected | Unavailable, from: string, chosen?: unknown): Refusal {
  assertVerdict(from, verdict)
  if ((verdict as Verdict).status === 'verified')
    throw new TypeError(`${from}() got a verdict that is verified: pass that of a refused request`)
  const status = isErrorStatus(chosen) ? chosen : httpStatus(verdict)
  return { status, headers: { ...HEADERS[status] } }
}

const isErrorStatus = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 400 && (value as number) <= 599

/**
 * The response to a request that was refused, for Hono, Next.js, SvelteKit, Bun, Deno and Workers: the status of
 * `httpStatus`, an empty body, `WWW-Authenticate: Signature` with 401 and `Retry-After` with 503.
 *
 * @throws TypeError for a verdict that is verified, and for anything that is not a verdict
 * @example
 * ```ts
 * import { createVerifier, fromFetchRequest, refusalResponse } from 'signed-requests'
 *
 * const verify = createVerifier({ serviceDomain: 'service.example', hosts: 'hooks.example.com', accounts: '1234' })
 * export async function POST(request: Request): Promise<Response> {
 *   const verdict = await verify(fromFetchRequest(request))
 *   if (verdict.status !== 'verified') return refusalResponse(verdict)
 *   return Response.json({ received: verdict.body.length })
 * }
 * ```
 */
export function refusalResponse(verdict: Rejected | Unavailable): Response {
  return new Response(null, refusalOf(verdict, 'refusalResponse'))
}

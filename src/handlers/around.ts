import { withDeadline } from '../deadline.ts'
import type { ReceivedRequest } from '../http/request.ts'
import { describe } from '../mistakes/describe.ts'
import { validateFunction } from '../options/values.ts'
import { assertVerdict, httpStatus } from '../verdict/assert.ts'
import type { Rejected, Unavailable, Verdict, Verified } from '../verdict/verdict.ts'
import type { Verify } from '../verify.ts'

/** What differs between platforms. `Given` is what the platform calls a handler with. */
interface Platform<Given extends readonly unknown[], Result, Answer> {
  receive: (request: Given[0]) => ReceivedRequest
  /** of the receiver */
  handle: (verified: Verified, ...given: Given) => Result | Promise<Result>
  /** of the receiver */
  onRefused: ((verdict: Rejected | Unavailable, ...given: Given) => unknown) | undefined
  /** makes the answer of what the handler returns */
  respond: (handled: () => Promise<Result>, given: Given) => Promise<Answer>
  refuse: (refusal: Refusal, given: Given) => Answer | Promise<Answer>
}

/**
 * What every handler does: verifies, and hands on or refuses. When the handler of the receiver fails, the claim is
 * released, so that a retry is accepted.
 *
 * @throws TypeError for a verifier, a handler or a hook that is not one
 */
export function aroundVerdict<Given extends readonly unknown[], Result, Answer>(
  from: string,
  verify: Verify,
  { receive, handle, onRefused, respond, refuse }: Platform<Given, Result, Answer>
): (...given: Given) => Promise<Answer> {
  if (typeof verify !== 'function' || typeof verify.release !== 'function')
    throw new TypeError(
      `${from}() got ${describe(verify)} for its verifier: pass what createVerifier() returned, not a wrapper`
    )
  validateFunction(handle, 'the handler', '(verified, ...) => answer')
  validateHook(onRefused, 'onRefused')

  async function handler(request: Given[0], ...rest: readonly unknown[]): Promise<Answer> {
    const given = [request, ...rest] as unknown as Given
    const verdict = await verify(receive(request))
    if (verdict.status !== 'verified')
      return refuse(refusalOf(verdict, from, callHook(onRefused, verdict, ...given)), given)
    try {
      return await respond(async () => handle(verdict, ...given), given)
    } catch (error) {
      await releaseClaim(verify, verdict)
      throw error
    }
  }
  // Not `(...given) =>`: Deno passes no request to a handler whose `length` is 0.
  return handler as unknown as (...given: Given) => Promise<Answer>
}

/** @throws TypeError */
export function validateHook(hook: unknown, name: string): void {
  if (hook !== undefined) validateFunction(hook, `options.${name}`, '(verdict or error, ...) => {}')
}

/** What a hook of the receiver returns. What it throws or rejects with is reported, and changes no response. */
export function callHook<Args extends unknown[]>(
  hook: ((...args: Args) => unknown) | undefined,
  ...args: Args
): unknown {
  try {
    const result = hook?.(...args)
    if (result instanceof Promise) result.catch(error => console.error(error))
    return result
  } catch (error) {
    console.error(error)
    return undefined
  }
}

/** Milliseconds: a response must not wait forever for a store that hangs. */
const RELEASE_TIMEOUT = 1000

/** When the store fails too, that is reported as well. */
async function releaseClaim(verify: Verify, verdict: Verified): Promise<void> {
  const late = () =>
    Promise.reject(new Error(`the replay store did not release the claim within ${RELEASE_TIMEOUT} ms`))
  await withDeadline(verify.release(verdict), RELEASE_TIMEOUT, late).catch(error => console.error(error))
}

/** Seconds after which a sender may try again: long enough for a resolver, short enough for a Date to be recent. */
const RETRY_AFTER = '10'

/** What every refusal has, on every platform. The body is empty: the sender learns nothing but the status. */
export interface Refusal {
  status: number
  headers: Record<string, string>
}

/** @param chosen what `onRefused` returned: a number from 400 to 599 is the status instead of `httpStatus` */
export function refusalOf(verdict: Rejected | Unavailable, from: string, chosen?: unknown): Refusal {
  assertVerdict(from, verdict)
  if ((verdict as Verdict).status === 'verified') {
    throw new TypeError(`${from}() got a verdict that is verified: pass that of a refused request`)
  }
  const status = isErrorStatus(chosen) ? chosen : httpStatus(verdict)
  if (status === 503) return { status, headers: { 'Retry-After': RETRY_AFTER } }
  // RFC 9110 section 15.5.2: a 401 names a challenge; the draft's section 3.1.1 names this one.
  return { status, headers: status === 401 ? { 'WWW-Authenticate': 'Signature' } : {} }
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

import { describe } from '../mistakes/describe.ts'
import { httpStatus } from '../verdict/http-status.ts'
import type { Rejected, Unavailable, Verdict } from '../verdict/verdict.ts'

/** A verdict that is answered with a refusal. */
export type Refused = Rejected | Unavailable

/** Seconds after which a sender may try again: long enough for a resolver, short enough for a Date to be recent. */
const RETRY_AFTER = '10'

/** What every refusal has, on every platform. The body is empty: a stranger learns nothing but the status. */
export interface Refusal {
  status: 401 | 413 | 503
  headers: Readonly<Record<string, string>>
}

export function refusalOf(verdict: Refused, from: string): Refusal {
  const given = verdict as Verdict | undefined
  if (given?.status !== 'rejected' && given?.status !== 'unavailable') {
    const what = given?.status === 'verified' ? 'a verdict that is verified' : describe(given)
    throw new TypeError(
      `${from}() got ${what}: pass the verdict of a refused request, after await verify(...)`
    )
  }
  const status = httpStatus(verdict) as Refusal['status']
  return { status, headers: status === 503 ? { 'Retry-After': RETRY_AFTER } : {} }
}

/**
 * The answer to a request that was refused, for Hono, Next.js, SvelteKit, Bun, Deno and Workers: the status of
 * `httpStatus`, an empty body, and `Retry-After` with 503.
 *
 * @throws TypeError for a verdict that is verified, and for anything that is not a verdict
 */
export function refusalResponse(verdict: Refused): Response {
  const { status, headers } = refusalOf(verdict, 'refusalResponse')
  return new Response(null, { status, headers: { ...headers } })
}

import { assertVerdict, httpStatus } from '../verdict/assert.ts'
import type { Rejected, Unavailable, Verdict } from '../verdict/verdict.ts'

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

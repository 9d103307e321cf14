import type { Rejected, Unavailable } from '../../core/verdict/verdict.ts'
import { refusalOf } from '../refusal.ts'

/**
 * Makes the response to a request that was refused, for Hono, Next.js, SvelteKit, Bun, Deno and Workers: the status of
 * `httpStatus`, an empty body, `WWW-Authenticate: Signature` with 401 and `Retry-After` with 503.
 *
 * A 401 tells the sender what to sign, by the standards that the verifier accepts: `headers` in the challenge for the
 * draft, `Accept-Signature` for RFC 9421. Pass the verdict that `verify` returned: a copy does not know the verifier.
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

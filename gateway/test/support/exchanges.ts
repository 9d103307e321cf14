import { createVerifier, httpStatus, type ReceivedRequest, type VerifierOptions } from '../../../src/index.ts'
import type { Exchange } from '../../src/exchange.ts'

type HeaderLines = [name: string, value: string][]

/** What the gateway would know of a request after it was judged, with an upstream that answers 200. */
export async function exchangeOf(
  request: ReceivedRequest,
  options: VerifierOptions,
  changes: Partial<Exchange> = {}
): Promise<Exchange> {
  const receivedAt = (options.now ?? Date.now)()
  const verdict = await createVerifier(options)(request)
  const isVerified = verdict.status === 'verified'
  const body = isVerified ? verdict.body : request.body
  return {
    receivedAt,
    duration: 4.2,
    verdictMs: 1.2,
    method: request.method,
    target: request.target,
    headers: [...(request.headers as HeaderLines)],
    https: request.https,
    verdict,
    ...(body instanceof Uint8Array && { body }),
    status: httpStatus(verdict),
    upstream: isVerified ? 'answered' : 'not-asked',
    ...changes
  }
}

/** The same request with one header changed on its way. */
export const withHeader = <R extends ReceivedRequest>(request: R, name: string, value: string): R => ({
  ...request,
  headers: (request.headers as HeaderLines).map(([line, received]) => [line, line === name ? value : received])
})

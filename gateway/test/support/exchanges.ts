import { createVerifier, httpStatus, type ReceivedRequest, type VerifierOptions } from '../../../src/index.ts'
import { linesOf, service } from '../../../test/support/service.ts'
import type { Exchange } from '../../src/exchange.ts'

/** Returns what the gateway knows of a request after its verdict, with an upstream that answers 200. */
export async function exchangeOf(
  request: ReceivedRequest,
  changes: Partial<Exchange> = {},
  options: Partial<VerifierOptions> = {}
): Promise<Exchange> {
  const receivedAt = (options.now ?? Date.now)()
  const verdict = await createVerifier({ ...service.options, ...options })(request)
  const isVerified = verdict.status === 'verified'
  const body = isVerified ? verdict.body : request.body
  return {
    receivedAt,
    duration: 4.2,
    verdictMs: 1.2,
    method: request.method,
    target: request.target,
    headers: linesOf(request),
    https: request.https,
    verdict,
    ...(body instanceof Uint8Array && { body, bodyLength: body.length }),
    status: httpStatus(verdict),
    upstream: isVerified ? 'answered' : 'not-asked',
    ...changes
  }
}

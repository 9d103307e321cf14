import type { IncomingMessage, ServerResponse } from 'node:http'
import { fromNodeRequest, httpStatus, type ReceivedRequest, type Verdict, type Verify } from 'signed-requests'
import { challengeOf, validateOptions } from '../../src/internal/index.ts'
import { answerWhenRead } from './answer.ts'
import { createBoundedVerify } from './bounded-verify.ts'
import { NO_WAITS } from './connections.ts'
import type { Exchange, HeaderLine, Malformed } from './exchange.ts'
import { descriptionFinding, unsafeReason } from './findings.ts'
import { grantHeaders } from './headers.ts'
import type { AuthorizerSettings } from './options/authorize.ts'
import { releaseClaim } from './release-claim.ts'
import { createSignatureOpener } from './signer.ts'
import { hasCertainFraming } from './target.ts'

/**
 * Answers one check of a proxy that asks before it forwards. The connection stays open if the request was read to its
 * end: engines keep a few connections for many checks. Resolves when the check is answered, to the exchange.
 */
export function createCheck(settings: AuthorizerSettings, verify: Verify) {
  const { from, https, prefix } = settings
  const boundedVerify = createBoundedVerify(verify, settings)
  const wasMadeByKey = createSignatureOpener()
  const proxy = { https, prefix }
  const challenge = challengeOf(validateOptions(settings.verifier))
  const setByProxy = [https, prefix].filter(what => typeof what === 'string')
  const consumed = new Set(from === 'as-is' ? setByProxy : DESCRIPTION)

  /** Answers by the verdict. A request that is verified and unsafe for the application is refused. */
  async function respond(res: ServerResponse, verdict: Verdict, isUnsafe: boolean, skipsBody: boolean) {
    if (isUnsafe) {
      await releaseClaim(verify, verdict)
      return answerWhenRead(res, 401, { isLast: false, challenge })
    }
    if (verdict.status !== 'verified')
      return answerWhenRead(res, httpStatus(verdict), { isLast: false, skipsBody, challenge })
    // All of them are always sent: a proxy overwrites the sender's headers only by those that come back.
    const headers = { ...grantHeaders(verdict), 'Signed-Request-Verdict': verdict.status }
    return answerWhenRead(res, 200, { isLast: false, headers })
  }

  return async (req: IncomingMessage, res: ServerResponse, waits = NO_WAITS): Promise<Exchange | Malformed> => {
    const receivedAt = Date.now()
    const start = performance.now()
    const malformed = malformedOf(req)
    if (malformed !== undefined) {
      waits.forAnswer()
      await answerWhenRead(res, malformed.status, { isLast: malformed.reason === 'framing' })
      return { receivedAt, upstream: 'malformed', ...malformed }
    }
    const received = from === 'as-is' ? fromNodeRequest(req, proxy) : forwardedRequest(req)
    const { verdict, body, isRevoked } = await boundedVerify(received, waits)
    const verdictMs = performance.now() - start
    if (verdict.status !== 'verified') waits.forAnswer()
    const { method, target, https } = received
    const headers = received.headers as readonly HeaderLine[]
    const unsafe = verdict.status === 'verified' ? unsafeReason({ target, headers, verdict, consumed }) : undefined
    await respond(res, verdict, unsafe !== undefined, isRevoked)
    // The proxy has disconnected without an answer, so it does not forward the request, and a retry must be accepted.
    if (!res.headersSent) await releaseClaim(verify, verdict)
    body.release()
    return {
      receivedAt,
      duration: performance.now() - start,
      verdictMs,
      method,
      target,
      headers,
      https,
      verdict,
      madeByKey: wasMadeByKey(verdict),
      status: res.headersSent ? res.statusCode : 0,
      upstream: 'not-asked',
      finding: descriptionFinding({ verdict, from, isOther: isDescribed(req) }),
      ...unsafe
    }
  }
}

/** Returns what is wrong with a request that is not verified at all. */
function malformedOf(req: IncomingMessage): Pick<Malformed, 'status' | 'reason' | 'finding'> | undefined {
  // A body that was cut could be the beginning of another body, whose digest was not compared.
  const isPartial = req.headersDistinct['x-envoy-auth-partial-body'] ?? ['false']
  if (isPartial.join().toLowerCase() !== 'false') return { status: 413, ...PARTIAL_BODY }
  return hasCertainFraming(req) ? undefined : { status: 400, reason: 'framing' }
}

const PARTIAL_BODY = {
  reason: 'partial-body',
  finding: 'the proxy passed a part of the body: let it pass all, or none (Envoy: allow_partial_message: false)'
} as const

/** Each header must be there exactly once. */
const DESCRIPTION = ['x-forwarded-method', 'x-forwarded-uri', 'x-forwarded-host', 'x-forwarded-proto']

/**
 * Makes the request that a proxy describes in its headers, such as `forwardAuth` of Traefik. Each datum has one source:
 * a header that is missing or repeated leaves it empty, and the request is refused as malformed.
 */
function forwardedRequest(req: IncomingMessage): ReceivedRequest {
  const only = (name: string): string => {
    const values = req.headersDistinct[name]
    return values?.length === 1 ? values[0]! : ''
  }
  return {
    ...fromNodeRequest(req, { https: 'x-forwarded-proto', host: 'x-forwarded-host' }),
    method: only('x-forwarded-method'),
    target: only('x-forwarded-uri')
  }
}

/** Returns whether the headers describe another request than the one they are in. */
function isDescribed({ headers, method, url }: IncomingMessage): boolean {
  const { 'x-forwarded-method': original = method, 'x-forwarded-uri': target = url } = headers
  return original !== method || target !== url
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  fromNodeRequest,
  httpStatus,
  type ReceivedRequest,
  type Verdict,
  type Verified,
  type Verify
} from 'signed-requests'
import { answerWhenRead } from './answer.ts'
import { createBoundedVerify } from './bounded-verify.ts'
import { ALONE } from './connections.ts'
import type { Exchange, HeaderLine, Malformed } from './exchange.ts'
import { grantHeaders, isConfusable, isRepeated, signedNames } from './headers.ts'
import type { AuthorizerSettings } from './options/authorize.ts'
import { releaseClaim } from './release-claim.ts'
import { asSigned, hasCertainFraming } from './target.ts'

/**
 * Answers one check of a proxy that asks before it forwards. The connection stays open if the request was read to its
 * end: engines keep a few connections for many checks. Resolves when the check is answered, to the exchange.
 */
export function createCheck(settings: AuthorizerSettings, verify: Verify) {
  const { from, https, prefix } = settings
  const boundedVerify = createBoundedVerify(verify, settings)
  const proxy = { https, prefix }
  const ofProxy = [https, prefix].filter(what => typeof what === 'string')
  const consumed = new Set(from === 'as-is' ? ofProxy : DESCRIPTION)

  return async (req: IncomingMessage, res: ServerResponse, waits = ALONE): Promise<Exchange | Malformed> => {
    const receivedAt = Date.now()
    const start = performance.now()
    // A body that was cut could be the beginning of another body, whose digest nobody has compared.
    const isPartial = req.headersDistinct['x-envoy-auth-partial-body'] ?? ['false']
    if (isPartial.join().toLowerCase() !== 'false') {
      await answerWhenRead(res, 413, { isLast: false })
      return { receivedAt, status: 413, upstream: 'malformed', ...PARTIAL_BODY }
    }
    if (!hasCertainFraming(req)) {
      await answerWhenRead(res, 400, { isLast: true })
      return { receivedAt, status: 400, upstream: 'malformed', reason: 'framing' }
    }
    const received = from === 'as-is' ? fromNodeRequest(req, proxy) : forwardedRequest(req)
    const { verdict, body, isRevoked } = await boundedVerify(received, res, waits)
    const verdictMs = performance.now() - start
    if (verdict.status !== 'verified') waits.forNothing()
    const headers = received.headers as readonly HeaderLine[]
    const unsafe = verdict.status === 'verified' ? unsafeOf({ ...received, headers }, verdict, consumed) : undefined
    if (unsafe !== undefined) {
      await releaseClaim(verify, verdict)
      await answerWhenRead(res, 401, { isLast: false })
    } else if (verdict.status === 'verified') {
      // All of them are always sent: a proxy overwrites the sender's headers only by those that come back.
      const granted = { ...grantHeaders(verdict), 'Signed-Request-Verdict': verdict.status }
      await answerWhenRead(res, 200, { isLast: false, headers: granted })
    } else await answerWhenRead(res, httpStatus(verdict), { isLast: false, isHurried: isRevoked })
    body.release()
    const { method, target } = received
    const duration = performance.now() - start
    const status = res.headersSent ? res.statusCode : 0
    return {
      receivedAt,
      duration,
      verdictMs,
      method,
      target,
      headers,
      https: received.https,
      verdict,
      status,
      upstream: 'not-asked',
      ...(from === 'as-is' && isDescribed(req) && verdict.status !== 'verified' && { finding: DESCRIBED }),
      ...(from === 'x-forwarded' && !isForwardedWhole(verdict) && { finding: NOT_FORWARDED }),
      ...unsafe
    }
  }
}

const PARTIAL_BODY = {
  reason: 'partial-body',
  finding: 'the proxy passed a part of the body: let it pass all, or none (Envoy: allow_partial_message: false)'
} as const

/**
 * Says why a verified request is refused, with a code: the application would get all of the request as it arrived, so
 * each signed header must be in one line and from the sender, no other header may pass for it, and the target must be
 * in the form that was signed.
 *
 * @param consumed in lower case: the headers that the proxy sets for `authorize`, and perhaps not for the application
 */
function unsafeOf(
  { target, headers }: Pick<ReceivedRequest, 'target'> & Readonly<{ headers: readonly HeaderLine[] }>,
  verdict: Verified,
  consumed: ReadonlySet<string>
): Pick<Exchange, 'refusal' | 'finding'> | undefined {
  if (isRepeated(headers, verdict))
    return {
      refusal: 'header-repeated',
      finding:
        'a signed header came in several lines, which were signed as one, and an application may see one of them: ' +
        'join them in the proxy, or forward through the gateway, which does'
    }
  if ([...signedNames(verdict)].some(name => consumed.has(name)))
    return {
      refusal: 'header-overwritten',
      finding: 'a header that the proxy sets for authorize is signed, and the application may get another value of it'
    }
  if (isConfusable(headers, verdict))
    return {
      refusal: 'header-ambiguous',
      finding:
        'a header has a name that PHP or WSGI takes for a signed one or for Signed-Request-*, such as X.Service.ID: ' +
        'drop it in the proxy'
    }
  const signed = asSigned({ target, headers, https: true }, verdict)
  if (signed.target === target) return undefined
  return {
    refusal: 'target-not-as-signed',
    finding:
      'the target has a form that was not signed, such as /hook? for /hook: it must be signed with @request-target'
  }
}

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

const DESCRIBED =
  'the request has another X-Forwarded-Method or -Uri: if Traefik asks, start authorize with --from x-forwarded'

const NOT_FORWARDED =
  'X-Forwarded-Method, -Uri, -Host and -Proto must each be sent exactly once: have the proxy set them, or start ' +
  'authorize with --from as-is'

/** Returns whether method, target and protocol were where `--from x-forwarded` looks for them. */
const isForwardedWhole = ({ failures }: Verdict): boolean =>
  !failures.some(
    ({ code, evidence }) =>
      (code === 'not-https' && evidence?.received.length !== 1) ||
      (code === 'request-malformed' && (evidence.part === 'method' || evidence.part === 'target'))
  )

/** Returns whether the headers describe another request than the one they are in. */
function isDescribed({ headers, method, url }: IncomingMessage): boolean {
  const { 'x-forwarded-method': original = method, 'x-forwarded-uri': target = url } = headers
  return original !== method || target !== url
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { fromNodeRequest, httpStatus, type Verdict, type Verify } from 'signed-requests'
import { DEFAULTS } from '../../src/internal/index.ts'
import { answer, answerWhenRead } from './answer.ts'
import { createBoundedVerify } from './bounded-verify.ts'
import { ALONE, whenOver } from './connections.ts'
import type { Exchange, HeaderLine, Malformed, UpstreamResult } from './exchange.ts'
import { TOO_LARGE, type Upstream } from './forward.ts'
import { requestHeaders } from './headers.ts'
import type { GatewaySettings } from './options/settings.ts'
import { releaseClaim } from './release-claim.ts'
import { ANY_ACCOUNT, accountFlags } from './seen-accounts.ts'
import { asSigned, whyNotForwardable } from './target.ts'

/** Limits how much of a verified body is kept for the page. */
const MAX_COPIED = 64 * 1024

/**
 * A larger body counts until the upstream has it; smaller ones are too little to count on any number of connections.
 */
const SMALL_BODY = 16 * 1024

/**
 * Answers one request. Resolves when it is over, to the exchange.
 */
export function createServe(settings: GatewaySettings, verify: Verify, upstream: Upstream) {
  const { prefix, observe, refusalStatus, verifier, admin, upstreamTimeout, requestId } = settings
  const boundedVerify = createBoundedVerify(verify, settings)
  const maxBody = verifier.maxBodyBytes ?? DEFAULTS.maxBodyBytes
  const copied = admin === undefined || admin.redact ? 0 : MAX_COPIED
  const keep = observe ? maxBody : 0
  const proxy = { https: settings.https, prefix }
  const consumed = new Set(Object.values(proxy).filter(what => typeof what === 'string'))

  /** A request that is undecided gets 503, whatever the status of a refusal: the sender must ask again. */
  const statusOf = (verdict: Verdict): number =>
    verdict.status === 'rejected' && refusalStatus !== undefined ? refusalStatus : httpStatus(verdict)

  return async (req: IncomingMessage, res: ServerResponse, waits = ALONE): Promise<Exchange | Malformed> => {
    const receivedAt = Date.now()
    const start = performance.now()
    const isRepeated = observe && (req.headersDistinct['host']?.length ?? 0) > 1
    const reason = isRepeated ? 'host' : whyNotForwardable(req)
    if (reason !== undefined) {
      answer(res, 400, { isLast: true })
      return { receivedAt, status: 400, upstream: 'malformed', reason }
    }
    const request = fromNodeRequest(req, proxy)
    const { method, target, https, forwarded, body: stream } = request
    const headers = request.headers as readonly HeaderLine[]
    const { verdict, body, isRevoked } = await boundedVerify(request, res, waits, keep)
    const verdictMs = performance.now() - start
    if (verdict.status !== 'verified') waits.forNothing()
    let bytes: Uint8Array | undefined = verdict.status === 'verified' ? verdict.body : body.read()
    const bodyLength = bytes?.length
    /** The upstream has the body: from now on only the part for the page is held. */
    const letGo = () => {
      body.release()
      if (bytes!.length <= SMALL_BODY) return
      bytes = new Uint8Array(bytes!.subarray(0, copied))
      if (verdict.status === 'verified') verdict.body = new Uint8Array()
    }
    const announced = req.headers['content-length']
    const isTooLarge = Number(announced) > maxBody
    // While observing, a request that gave way is not forwarded either: its connection is needed for others.
    const isForwarded = verdict.status === 'verified' || (observe && !isRevoked && !hasTooManyLines(verdict))
    // While observing, the body of a head that failed is forwarded as it arrives, and not held.
    const isPassed = observe && isForwarded && body.isUnread() && !isTooLarge && !res.destroyed
    let result: UpstreamResult = { upstream: 'not-asked' }
    let unread: NodeJS.Timeout | undefined
    if ((isPassed || bytes !== undefined) && isForwarded) {
      const { target: path, headers: lines } = asSigned({ target, https, headers }, verdict)
      const kept = requestHeaders(lines, verdict, observe, consumed)
      const length = isPassed ? announced : `${bodyLength}`
      if (length !== undefined) kept.push(['Content-Length', length])
      const content = isPassed
        ? passedBody(req, stream as AsyncIterable<Uint8Array>, maxBody)
        : wholeBody(bytes!, letGo)
      const outgoing = { method, path, headers: kept, body: content }
      result = await upstream.forward(outgoing, res, () => releaseClaim(verify, verdict))
      // The upstream is done: a sender that does not read the rest is closed. A refusal has its own limits.
      unread = setTimeout(() => res.destroy(), upstreamTimeout)
    } else {
      // Observing refuses only a request that cannot be forwarded as a whole.
      const status = observe && isTooLarge ? 413 : statusOf(verdict)
      await answerWhenRead(res, status, { isLast: true, isHurried: isRevoked })
    }
    await whenOver(res)
    clearTimeout(unread)
    body.release()
    // Spreading the parts would take 5 % of the gateway's CPU.
    return {
      method,
      target,
      https,
      forwarded,
      headers,
      receivedAt,
      duration: performance.now() - start,
      verdictMs,
      verdict,
      body: bytes,
      bodyLength,
      requestId: requestId && tokenOf(req.headersDistinct[requestId]),
      finding: verifier.accounts === ANY_ACCOUNT ? accountFinding(verdict) : undefined,
      status: res.headersSent ? res.statusCode : 0,
      upstream: result.upstream,
      upstreamError: result.upstreamError
    }
  }
}

/** Without --account, the log says whose request it was and which flag to write. */
const accountFinding = (verdict: Verdict): string | undefined =>
  verdict.status === 'verified'
    ? `--account is not given; if account ${verdict.accountId} is yours, write ${accountFlags([verdict.accountId])}`
    : undefined

/**
 * Returns whether a head has more lines than every server reads: the sender would decide which lines the application
 * does not see.
 */
const hasTooManyLines = ({ failures }: Verdict): boolean =>
  failures.some(({ code, evidence }) => code === 'request-malformed' && evidence.part === 'header-count')

/**
 * Makes a body for the upstream. `onTaken` is called when nothing of it waits here any more, or at once for a small
 * one.
 */
function wholeBody(bytes: Uint8Array, onTaken: () => void): Uint8Array | AsyncIterable<Uint8Array> {
  if (bytes.length > SMALL_BODY) return untilTaken(bytes, onTaken)
  onTaken()
  return bytes
}

/** Yields the bytes once. It is not a generator, which would hold the bytes for as long as it exists itself. */
function untilTaken(bytes: Uint8Array, onTaken: () => void): AsyncIterable<Uint8Array> {
  const left = [bytes]
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    const value = left.pop()
    if (value !== undefined) return { done: false, value }
    onTaken()
    return { done: true, value }
  }
  return { [Symbol.asyncIterator]: () => ({ next }) }
}

/** Passes the pieces of a body on as they arrive. Fails above the limit. */
function passedBody(req: IncomingMessage, stream: AsyncIterable<Uint8Array>, limit: number) {
  const { 'content-length': announced = '0', 'transfer-encoding': coding } = req.headers
  return announced === '0' && coding === undefined ? new Uint8Array() : limited(stream, limit)
}

async function* limited(stream: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const piece of stream) {
    length += piece.length
    if (length > limit) throw Object.assign(new Error('the body is too large'), { code: TOO_LARGE })
    yield piece
  }
}

/** Returns a token (RFC 9110 section 5.6.2), which cannot be taken for another part of a log line. */
function tokenOf([value = '', ...others]: readonly string[] = []): string | undefined {
  return others.length === 0 && /^[!#$%&'*+.^_`|~\w-]{1,128}$/.test(value) ? value : undefined
}

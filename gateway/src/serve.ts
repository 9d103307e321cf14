import type { IncomingMessage, ServerResponse } from 'node:http'
import { httpStatus, type ReceivedRequest, type Verdict, type Verify } from 'signed-requests'
import {
  challengeOf,
  DEFAULTS,
  isToken,
  prepareProxy,
  readNodeRequest,
  validateOptions
} from '../../src/internal/index.ts'
import { answer, answerWhenRead } from './answer.ts'
import { createBoundedVerify, SMALL_BODY } from './bounded-verify.ts'
import { isOver, NO_WAITS, whenOver } from './connections.ts'
import {
  type Exchange,
  type HeaderLine,
  MAX_SHOWN_BYTES,
  type Malformed,
  TOO_LARGE,
  type UpstreamResult
} from './exchange.ts'
import type { Outgoing, Upstream } from './forward.ts'
import { requestHeaders } from './headers.ts'
import type { GatewaySettings } from './options/settings.ts'
import { releaseClaim } from './release-claim.ts'
import { ANY_ACCOUNT, accountFlags } from './seen-accounts.ts'
import { createSignatureOpener } from './signer.ts'
import { asSigned, whyNotForwardable } from './target.ts'

/** A request that was verified, and what is held of it. */
interface Judged extends Awaited<ReturnType<ReturnType<typeof createBoundedVerify>>> {
  readonly received: ReceivedRequest & { readonly headers: readonly HeaderLine[] }
  /** all of the body, where it is held; cut to what the page shows when the upstream has it */
  bytes: Uint8Array | undefined
}

/**
 * Answers one request. Resolves when it is over, to the exchange.
 */
export function createServe(settings: GatewaySettings, verify: Verify, upstream: Upstream) {
  const { observe, verifier, requestId } = settings
  const boundedVerify = createBoundedVerify(verify, settings)
  const wasMadeByKey = createSignatureOpener()
  const respond = createRespond(settings, verify, upstream)
  const keep = observe ? maxBodyOf(settings) : 0
  const undoProxy = prepareProxy({ https: settings.https, prefix: settings.prefix })

  return async (req: IncomingMessage, res: ServerResponse, waits = NO_WAITS): Promise<Exchange | Malformed> => {
    const receivedAt = Date.now()
    const start = performance.now()
    const isRepeated = observe && (req.headersDistinct['host']?.length ?? 0) > 1
    const reason = isRepeated ? 'host' : whyNotForwardable(req)
    if (reason !== undefined) {
      waits.forAnswer()
      answer(res, 400, { isLast: true })
      return { receivedAt, status: 400, upstream: 'malformed', reason }
    }
    const received = undoProxy(readNodeRequest(req, undefined, true)) as Judged['received']
    const { verdict, body, isRevoked } = await boundedVerify(received, waits, keep)
    const verdictMs = performance.now() - start
    if (verdict.status !== 'verified') waits.forAnswer()
    const bytes = verdict.status === 'verified' ? verdict.body : body.read()
    const bodyLength = bytes?.length
    const judged: Judged = { received, verdict, body, isRevoked, bytes }
    const { upstream: asked, upstreamError } = await respond(judged, res)
    body.release()
    // Spreading the parts would take 5 % of the gateway's CPU.
    return {
      method: received.method,
      target: received.target,
      https: received.https,
      forwarded: received.forwarded,
      headers: received.headers,
      receivedAt,
      duration: performance.now() - start,
      verdictMs,
      verdict,
      madeByKey: wasMadeByKey(verdict),
      body: judged.bytes,
      bodyLength,
      requestId: requestId && tokenOf(req.headersDistinct[requestId]),
      finding: verifier.accounts === ANY_ACCOUNT ? accountFinding(verdict) : undefined,
      status: res.headersSent ? res.statusCode : 0,
      upstream: asked,
      upstreamError
    }
  }
}

const maxBodyOf = ({ verifier }: GatewaySettings): number => verifier.maxBodyBytes ?? DEFAULTS.maxBodyBytes

/** Makes the function that forwards a request that was judged, or refuses it. It resolves when its answer is over. */
function createRespond(settings: GatewaySettings, verify: Verify, upstream: Upstream) {
  const { observe, refusalStatus, upstreamTimeout } = settings
  const outgoingOf = createOutgoing(settings)
  // Not from the verdict: what it remembers is in the library that is installed, and this is a copy of its functions.
  const challenge = challengeOf(validateOptions(settings.verifier))

  /** A request that is undecided gets 503, whatever the status of a refusal: the sender must ask again. */
  const statusOf = (verdict: Verdict): number =>
    verdict.status === 'rejected' && refusalStatus !== undefined ? refusalStatus : httpStatus(verdict)

  async function refuse({ verdict, isRevoked }: Judged, res: ServerResponse): Promise<UpstreamResult> {
    // Observing refuses only a request that cannot be forwarded as a whole.
    const status = observe && isTooLarge(res.req, maxBodyOf(settings)) ? 413 : statusOf(verdict)
    // After malformed HTTP, it is unknown where the next request begins.
    const isLast = verdict.checks.request.outcome !== 'pass'
    await answerWhenRead(res, status, { isLast, skipsBody: isRevoked, challenge })
    await whenOver(res)
    return { upstream: 'not-asked' }
  }

  return async (judged: Judged, res: ServerResponse): Promise<UpstreamResult> => {
    const outgoing = outgoingOf(judged, res.req)
    if (outgoing === undefined) return refuse(judged, res)
    const result = await upstream.forward(outgoing, res, () => releaseClaim(verify, judged.verdict))
    if (isOver(res)) return result
    // The upstream is done: a sender that does not read the rest is closed. A refusal has its own limits.
    const unread = setTimeout(() => res.destroy(), upstreamTimeout)
    await whenOver(res)
    clearTimeout(unread)
    return result
  }
}

/** Makes the function that makes the request for the upstream; undefined when it is refused. */
function createOutgoing(settings: GatewaySettings) {
  const { observe, admin, https, prefix } = settings
  const shown = admin === undefined || admin.redact ? 0 : MAX_SHOWN_BYTES
  const maxBody = maxBodyOf(settings)
  const consumed = new Set([https, prefix].filter(what => typeof what === 'string'))

  /** While observing, a request that gave way is not forwarded either: its connection is needed for others. */
  const isForwarded = ({ verdict, isRevoked }: Judged): boolean =>
    verdict.status === 'verified' || (observe && !isRevoked && !hasTooManyLines(verdict))

  /** Returns the body for the upstream; undefined when there is nothing to forward. */
  function bodyOf(judged: Judged, req: IncomingMessage) {
    const { body, received, verdict } = judged
    if (judged.bytes === undefined) {
      // While observing, the body of a head that failed is forwarded as it arrives, and not held.
      if (!body.isUnread() || isTooLarge(req, maxBody) || req.destroyed) return undefined
      const stream = received.body as AsyncIterable<Uint8Array>
      return { content: streamedBody(req, stream, maxBody), length: req.headers['content-length'] }
    }
    const { bytes } = judged
    /** The upstream has the body: from now on only the part for the page is held. */
    const letGo = () => {
      body.release()
      if (bytes.length <= SMALL_BODY) return
      judged.bytes = new Uint8Array(bytes.subarray(0, shown))
      if (verdict.status === 'verified') verdict.body = new Uint8Array()
    }
    return { content: wholeBody(bytes, letGo), length: `${bytes.length}` }
  }

  return (judged: Judged, req: IncomingMessage): Outgoing | undefined => {
    const body = isForwarded(judged) ? bodyOf(judged, req) : undefined
    if (body === undefined) return undefined
    const { received, verdict } = judged
    const { target, headers: lines } = asSigned(received, verdict)
    const headers = requestHeaders(lines, verdict, observe, consumed)
    if (body.length !== undefined) headers.push(['Content-Length', body.length])
    return { method: received.method, path: target, headers, body: body.content }
  }
}

const isTooLarge = (req: IncomingMessage, limit: number): boolean => Number(req.headers['content-length']) > limit

/** Without --account, the log says whose request it was and which flag to write. */
const accountFinding = (verdict: Verdict): string | undefined =>
  verdict.status === 'verified'
    ? `--account is not set; if account ${verdict.accountId} is yours, write ${accountFlags([verdict.accountId])}`
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

/** Passes the parts of a body on as they arrive. Fails above the limit. */
function streamedBody(req: IncomingMessage, stream: AsyncIterable<Uint8Array>, limit: number) {
  const { 'content-length': announced = '0', 'transfer-encoding': coding } = req.headers
  return announced === '0' && coding === undefined ? new Uint8Array() : limited(stream, limit)
}

async function* limited(stream: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    if (length > limit) throw Object.assign(new Error('the body is too large'), { code: TOO_LARGE })
    yield chunk
  }
}

/** Returns a token (RFC 9110 section 5.6.2), which cannot be taken for another part of a log line. */
function tokenOf([value = '', ...others]: readonly string[] = []): string | undefined {
  return others.length === 0 && value.length <= 128 && isToken(value) ? value : undefined
}

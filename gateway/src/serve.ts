import type { IncomingMessage, ServerResponse } from 'node:http'
import { fromNodeRequest, type Rejected, sendRefusal, type Verdict, type Verify } from 'signed-requests'
import { copyBody, readBody } from './body-copy.ts'
import { whenOver } from './connections.ts'
import type { Exchange, HeaderLine, Malformed, UpstreamResult } from './exchange.ts'
import type { Upstream } from './forward.ts'
import { requestHeaders } from './headers.ts'
import type { GatewaySettings } from './options.ts'
import { createSignatureQueue } from './same-signature.ts'
import { asSigned, whyNotForwardable } from './target.ts'

/** What is kept of a refused body for the page. */
const MAX_COPIED = 64 * 1024

/** Answers one request. Resolves when it is over, with what is known of it. */
export function createServe(settings: GatewaySettings, verify: Verify, upstream: Upstream) {
  const { prefix, observe, verifier, admin, upstreamTimeout, requestId } = settings
  const inTurn = createSignatureQueue()
  const maxBody = verifier.maxBodyBytes ?? 10_485_760
  const isCopied = admin !== undefined && !admin.redact
  const proxy = { https: settings.https, prefix }
  const consumed = new Set(Object.values(proxy).filter(what => typeof what === 'string'))

  return async (req: IncomingMessage, res: ServerResponse): Promise<Exchange | Malformed> => {
    const receivedAt = Date.now()
    const start = performance.now()
    const isRepeated = observe && (req.headersDistinct['host']?.length ?? 0) > 1
    const reason = isRepeated ? 'host' : whyNotForwardable(req)
    if (reason !== undefined) {
      res.writeHead(400, { 'Content-Length': 0, Connection: 'close' }).end()
      return { receivedAt, status: 400, upstream: 'malformed', reason }
    }
    const { body, ...received } = fromNodeRequest(req, proxy)
    const headers = received.headers as readonly HeaderLine[]
    // Of a request of Node.js it is a stream.
    const stream = body as AsyncIterable<Uint8Array>
    const copy = isCopied && !observe ? copyBody(stream, MAX_COPIED) : undefined
    let observed: Uint8Array | undefined
    const verdict = await inTurn(headers, async () => {
      // It is forwarded whatever the verdict is.
      if (observe) observed = await readBody(stream, maxBody).catch(() => undefined)
      return verify({ ...received, body: observed ?? copy?.body ?? stream })
    })
    const verdictMs = performance.now() - start
    const bytes = observed ?? (verdict.status === 'verified' ? verdict.body : undefined)
    const isTooLarge = bytes !== undefined && bytes.length > maxBody
    let result: UpstreamResult = { upstream: 'not-asked' }
    let unread: NodeJS.Timeout | undefined
    if (isTooLarge) sendRefusal(res, tooLarge(verdict))
    else if (bytes !== undefined) {
      const { target: path, headers: lines } = asSigned({ ...received, headers }, verdict)
      const kept = requestHeaders(lines, verdict, observe, consumed)
      const outgoing = { method: received.method, path, headers: kept, body: bytes }
      result = await upstream.forward(outgoing, res, () => verify.release(verdict).catch(reportHeld))
      // The upstream is done: close a sender that does not read the rest. A refusal has its own limits.
      unread = setTimeout(() => res.destroy(), upstreamTimeout)
    } else if (observe) res.destroy()
    else sendRefusal(res, verdict as Rejected)
    await whenOver(res)
    clearTimeout(unread)
    return {
      ...received,
      headers,
      receivedAt,
      duration: performance.now() - start,
      verdictMs,
      verdict,
      body: isTooLarge ? undefined : (bytes ?? copy?.read()),
      requestId: requestId && tokenOf(req.headersDistinct[requestId]),
      status: res.headersSent ? res.statusCode : 0,
      ...result
    }
  }
}

/** One line on stderr. The store tries again; until it succeeds the log shows a repetition as refused. */
const reportHeld = (error: unknown): void =>
  console.error(`a claim is not released yet, a repetition is refused until it is: ${(error as Error)?.name}`)

/** The only refusal while observing: a body above the limit cannot be forwarded. */
const tooLarge = ({ checks }: Verdict): Rejected => {
  const failure = { check: 'digest', outcome: 'fail', code: 'body-too-large', message: '' } as const
  return { status: 'rejected', checks, failures: [failure] } as unknown as Rejected
}

/** RFC 9110 section 5.6.2: nothing that could be taken for another part of a log line. */
function tokenOf([value = '', ...others]: readonly string[] = []): string | undefined {
  return others.length === 0 && /^[!#$%&'*+.^_`|~\w-]{1,128}$/.test(value) ? value : undefined
}

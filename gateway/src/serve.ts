import type { IncomingMessage, ServerResponse } from 'node:http'
import { fromNodeRequest } from '../../src/adapters/node.ts'
import { type BodyLimits, readBody } from '../../src/body/read.ts'
import { answerAndClose, sendRefusal, validateDrainLimits } from '../../src/handlers/send-refusal.ts'
import type { HeaderLine, ReceivedBody } from '../../src/http/request.ts'
import { errorLabel } from '../../src/verdict/error-label.ts'
import type { Verdict } from '../../src/verdict/verdict.ts'
import type { Verify } from '../../src/verify.ts'
import { copyBody } from './copied-body.ts'
import type { Exchange, UpstreamResult } from './exchange.ts'
import type { Upstream } from './forward.ts'
import { requestHeaders, verdictHeaders } from './forwarded-headers.ts'
import type { GatewaySettings } from './settings.ts'
import { isForwardable, isFramed } from './target.ts'
import { isTurnOf, whenOver } from './turns.ts'

/** Answers one request. Resolves when it is over, with what is known of it; undefined when there was no verdict. */
export type Serve = (req: IncomingMessage, res: ServerResponse) => Promise<Exchange | undefined>

export function createServe(
  {
    https,
    observe,
    verifier,
    admin,
    upstreamTimeout
  }: Pick<GatewaySettings, 'https' | 'observe' | 'verifier' | 'admin' | 'upstreamTimeout'>,
  verify: Verify,
  upstream: Upstream
): Serve {
  const adapterOptions = https === undefined ? {} : { https }
  const drainLimits = validateDrainLimits({})
  const bodyLimits: BodyLimits = { maxBodyBytes: verifier.maxBodyBytes ?? 10_485_760, bodyTimeout: 30_000 }

  return async (req, res) => {
    const receivedAt = Date.now()
    const start = performance.now()
    if (!isFramed(req) || !isForwardable(req)) {
      void answerAndClose(res, { status: 400, headers: {} }, drainLimits)
      return undefined
    }
    if (!(await isTurnOf(req, res))) return undefined

    const received = fromNodeRequest(req, adapterOptions)
    const { body: stream, ...head } = received
    // A body that is forwarded regardless of the verdict must be read regardless of it.
    const observed = observe ? await readBody(stream, bodyLimits) : undefined
    const copied = admin === undefined || admin.redact ? undefined : copyBody(stream)
    // In place: it has notes of the adapter on forwarding headers, which a copy would lose.
    received.body = observed === undefined ? (copied?.body ?? stream) : bodyOf(observed)
    const verdict = await verify(received)

    const body = verdict.status === 'verified' ? verdict.body : observed?.ok ? observed.value : undefined
    let result: UpstreamResult = 'not-asked'
    if (body !== undefined) {
      const outgoing = { ...head, headers: headersFor(head.headers as HeaderLine[], verdict, observe), body }
      result = await upstream.forward(outgoing, res, () => verify.release(verdict).catch(reportHeld))
    } else if (observed?.ok === false) {
      void answerAndClose(
        res,
        { status: observed.code === 'body-too-large' ? 413 : 400, headers: {} },
        drainLimits
      )
    } else if (verdict.status !== 'verified') void void sendRefusal(res, verdict)
    // The upstream is done: close a sender that does not read the rest of the response. A refusal has its own limits.
    const unread = body === undefined ? undefined : setTimeout(() => res.destroy(), upstreamTimeout)
    await whenOver(res)
    clearTimeout(unread)
    return {
      receivedAt,
      duration: performance.now() - start,
      ...head,
      headers: head.headers as HeaderLine[],
      verdict,
      ...(verdict.status !== 'verified' && { body: body ?? copied?.read() }),
      status: res.headersSent ? res.statusCode : 0,
      upstream: result
    }
  }
}

/** One line on stderr: the log will only show the repetition as replayed. */
const reportHeld = (error: unknown): void =>
  console.error(`a claim could not be released, so a repetition will be refused: ${errorLabel(error)}`)

function headersFor(lines: readonly HeaderLine[], verdict: Verdict, isObserved: boolean): HeaderLine[] {
  const covered = verdict.status === 'verified' ? verdict.coveredHeaders : []
  return requestHeaders(lines, covered, verdictHeaders(verdict, isObserved))
}

/** Replaces a body that could not be read to its end: a stream that fails in the same way. */
const bodyOf = (read: Awaited<ReturnType<typeof readBody>>): ReceivedBody =>
  read.ok
    ? read.value
    : { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error(read.code)) }) }

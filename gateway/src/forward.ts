import { setMaxListeners } from 'node:events'
import {
  Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { TLSSocket } from 'node:tls'
import { urlToHttpOptions } from 'node:url'
import type { HeaderLine } from '../../src/http/request.ts'
import type { UpstreamResult } from './exchange.ts'
import { answerHeaders } from './forwarded-headers.ts'

/** A request as the upstream gets it; its framing is made here. */
export interface Outgoing {
  readonly method: string
  readonly target: string
  readonly headers: readonly HeaderLine[]
  readonly body: Uint8Array
}

export interface Upstream {
  /**
   * Forwards a request and sends back its answer. Never rejects. `release` is called, at most once and before the
   * sender can know, when the answer is 5xx, missing or not complete; it must not reject.
   *
   * The sender may disconnect: the upstream then continues, because its work may be done already.
   */
  forward(outgoing: Outgoing, res: ServerResponse, release: () => Promise<void>): Promise<UpstreamResult>
  /** Aborts the requests in progress and all later ones. Resolves when their claims are released. */
  destroy(): Promise<void>
}

/**
 * Milliseconds that an idle connection is kept: less than any common server does (gunicorn: 2 s), so that a request
 * rarely meets a connection that is just being closed. No request is sent twice, so that would be a 502.
 */
const IDLE = 1000

/** @param timeout milliseconds until the answer begins, and between two parts of it */
export function createUpstream(url: URL, timeout: number): Upstream {
  const isTls = url.protocol === 'https:'
  const agent = new (isTls ? HttpsAgent : Agent)({ keepAlive: true, timeout: IDLE, maxFreeSockets: 256 })
  const { hostname, port } = urlToHttpOptions(url)
  const ending = new AbortController()
  setMaxListeners(0, ending.signal)
  const running = new Set<Promise<UpstreamResult>>()

  function ask({ method, target, headers, body }: Outgoing): ClientRequest {
    const length: HeaderLine = ['Content-Length', String(body.length)]
    const request = (isTls ? httpsRequest : httpRequest)({
      agent,
      hostname,
      port,
      method,
      path: target,
      headers: [...headers, length].flat(),
      signal: ending.signal
    })
    request.end(body)
    return request
  }

  async function forward(
    outgoing: Outgoing,
    res: ServerResponse,
    release: () => Promise<void>
  ): Promise<UpstreamResult> {
    let request: ClientRequest | undefined
    let isLate = false
    let isReleased = false
    const timer = setTimeout(() => {
      // If the sender does not read the answer, it is not the upstream that is late.
      if (res.writableNeedDrain) {
        res.destroy()
        timer.refresh()
      } else {
        isLate = true
        request?.destroy()
      }
    }, timeout)
    try {
      request = ask(outgoing)
      const answer = await answerTo(request)
      const { statusCode = 0, statusMessage, rawHeaders } = answer
      timer.refresh()
      if (statusCode >= 500) {
        isReleased = true
        await release()
      }
      if (!res.destroyed) {
        res.writeHead(statusCode, statusMessage, answerHeaders(rawHeaders).flat())
        // Otherwise the head goes out with the first part of the body, in one packet.
        if (answer.readableLength === 0 && !answer.complete) res.flushHeaders()
      }
      for await (const chunk of answer) {
        timer.refresh()
        if (!res.destroyed && !res.write(chunk)) await drained(res, ending.signal)
      }
      if (!answer.complete) throw new Error('the answer was broken off')
      if (!res.destroyed) res.end()
      return 'answered'
    } catch (error) {
      request?.destroy()
      if (!isReleased) await release()
      if (res.headersSent) breakOff(res)
      else if (!res.destroyed) res.writeHead(isLate ? 504 : 502, { 'Content-Length': 0 }).end()
      return isLate ? 'timed-out' : isConnecting(error) ? 'unreachable' : 'broken-off'
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    forward(outgoing, res, release) {
      const forwarding = forward(outgoing, res, release)
      running.add(forwarding)
      forwarding.finally(() => running.delete(forwarding))
      return forwarding
    },
    async destroy() {
      ending.abort()
      await Promise.all(running)
      agent.destroy()
    }
  }
}

const answerTo = (request: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.on('response', resolve)
    // An error after the answer has begun must not crash the process either.
    request.on('error', reject)
    request.on('close', () => reject(new Error('there was no answer')))
  })

/** No byte of the request has reached the upstream. */
const isConnecting = (error: unknown): boolean =>
  ['connect', 'getaddrinfo'].includes((error as NodeJS.ErrnoException).syscall ?? '')

/**
 * With a reset: in HTTP/1.0, which nginx speaks to its upstreams by default, a plain close means that the answer is
 * complete.
 */
function breakOff(res: ServerResponse): void {
  const { socket } = res
  if (socket === null || socket instanceof TLSSocket) res.destroy()
  else socket.resetAndDestroy()
}

/** Resolves when the sender has read what was written, or never will. */
const drained = (res: ServerResponse, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    const done = () => {
      res.off('drain', done).off('close', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    res.on('drain', done).on('close', done)
    signal.addEventListener('abort', done)
  })

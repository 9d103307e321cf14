import {
  Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import type { HeaderLine } from '../adapters/proxy.ts'
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
   * Sends a request on and its answer back. Never rejects. `release` is called, at most once, before the sender can
   * know of an answer of 5xx, or of none; it never rejects.
   *
   * Who asked may break off: the upstream then goes on, as its work may be done already.
   */
  forward(outgoing: Outgoing, res: ServerResponse, release: () => Promise<void>): Promise<UpstreamResult>
  /** Breaks off whatever is under way. */
  destroy(): void
}

/**
 * Milliseconds that an idle connection is kept: less than any common server does (gunicorn: 2 s), so that a request
 * hardly ever meets a connection that is just being closed. Nothing is sent twice from here, so that is a 502.
 */
const IDLE = 1000

export function createUpstream(url: URL, timeout: number): Upstream {
  const isTls = url.protocol === 'https:'
  const agent = new (isTls ? HttpsAgent : Agent)({ keepAlive: true, timeout: IDLE, maxFreeSockets: 256 })
  const { hostname, port } = urlToHttpOptions(url)

  const send = ({ method, target, headers, body }: Outgoing): ClientRequest => {
    const length: HeaderLine = ['Content-Length', String(body.length)]
    const request = (isTls ? httpsRequest : httpRequest)({
      agent,
      hostname,
      port,
      method,
      path: target,
      headers: [...headers, length].flat()
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
      // The upstream has to wait for a sender that does not read: that one is too slow.
      if (res.writableNeedDrain) {
        res.destroy()
        timer.refresh()
      } else {
        isLate = true
        request?.destroy()
      }
    }, timeout)
    try {
      request = send(outgoing)
      const answer = await answerTo(request)
      timer.refresh()
      if (answer.statusCode! >= 500) {
        isReleased = true
        await release()
      }
      if (!res.destroyed) {
        res.writeHead(answer.statusCode!, answer.statusMessage, answerHeaders(answer.rawHeaders).flat())
      }
      for await (const chunk of answer) {
        timer.refresh()
        if (!res.destroyed && !res.write(chunk)) await drained(res)
      }
      if (!res.destroyed) res.end()
      return 'answered'
    } catch (error) {
      request?.destroy()
      if (!isReleased) await release()
      if (res.headersSent) res.destroy()
      else if (!res.destroyed) res.writeHead(isLate ? 504 : 502, { 'Content-Length': 0 }).end()
      return isLate ? 'timed-out' : isConnecting(error) ? 'unreachable' : 'broken-off'
    } finally {
      clearTimeout(timer)
    }
  }

  return { forward, destroy: () => agent.destroy() }
}

const answerTo = (request: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.on('response', resolve)
    request.on('error', reject) // also later: an error after the answer has begun must not end the process
    request.on('close', () => reject(new Error('closed without an answer')))
  })

const isConnecting = (error: unknown): boolean =>
  ['connect', 'getaddrinfo'].includes((error as NodeJS.ErrnoException).syscall ?? '')

const drained = (res: ServerResponse): Promise<void> =>
  new Promise(resolve => {
    const done = () => {
      res.off('drain', done).off('close', done)
      resolve()
    }
    res.on('drain', done).on('close', done)
  })

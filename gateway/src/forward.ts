import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { TLSSocket } from 'node:tls'
import { urlToHttpOptions } from 'node:url'
import type { Dispatcher } from 'undici'
import { answer } from './answer.ts'
import type { HeaderLine, UpstreamResult } from './exchange.ts'
import { answerHeaders } from './headers.ts'
import { createPool, type UpstreamRequest } from './upstream-connections.ts'

type Body = Uint8Array | AsyncIterable<Uint8Array>

/** A request for the upstream; its framing is made here. */
export type Outgoing = Readonly<{ method: string; path: string; headers: readonly HeaderLine[]; body: Body }>

/** Gives the claim of a request back; never rejects. */
type Release = () => Promise<void>

/** The code of the error of a body that is above the limit. */
export const TOO_LARGE = 'TOO_LARGE'

export type Upstream = ReturnType<typeof createUpstream>

/** @param timeout milliseconds until the answer begins, and between two parts of it */
export function createUpstream(url: URL, timeout: number) {
  const hostname = urlToHttpOptions(url).hostname as string
  const pool = createPool(url, hostname, timeout)
  const running = new Set<Promise<UpstreamResult>>()

  return {
    /**
     * Forwards a request and sends back its answer. Never rejects. `release` is called, at most once and before the
     * sender can know, when the answer is 5xx, missing or not complete; it must not reject.
     *
     * The sender may disconnect: the upstream then continues, because its work may be done already.
     */
    forward(outgoing: Outgoing, res: ServerResponse, release: Release): Promise<UpstreamResult> {
      const upload = watchUpload(outgoing.body)
      const request = {
        ...outgoing,
        headers: outgoing.headers.values() as Iterable<[string, string]>,
        body: upload.body,
        // The sender's Host is not a name of the upstream for TLS.
        servername: hostname
      } as unknown as UpstreamRequest
      const relay = new AnswerRelay({ address: url.host, timeout, request, upload, res, release })
      try {
        pool.dispatch(request, relay)
      } catch (error) {
        relay.onResponseError(undefined, error as Error)
      }
      const forwarding = relay.result.finally(() => running.delete(forwarding))
      running.add(forwarding)
      return forwarding
    },
    /** Aborts the requests in progress. Resolves when their claims are released. */
    destroy: async (): Promise<void> => {
      await pool.destroy()
      await Promise.all(running)
    }
  }
}

interface Exchanged {
  readonly address: string
  readonly timeout: number
  /** has the connection that carries it, once there is one */
  readonly request: UpstreamRequest
  readonly upload: Upload
  readonly res: ServerResponse
  readonly release: Release
}

/** Relays one answer to the sender, as the client of the upstream reports it: its head, its parts, its end. */
class AnswerRelay implements Dispatcher.DispatchHandler {
  readonly result: Promise<UpstreamResult>
  private readonly exchanged: Exchanged
  private resolve: (result: UpstreamResult) => void = () => {}
  private isSent = false
  private isComplete = false
  /** resolves when the head of the answer was sent */
  private head: Promise<void> | undefined
  private releasing: Promise<void> | undefined

  constructor(exchanged: Exchanged) {
    this.exchanged = exchanged
    this.result = new Promise(resolve => {
      this.resolve = resolve
    })
  }

  onRequestStart(): void {
    this.isSent = true
    const { connection } = this.exchanged.request
    if (connection !== undefined) connection.unchecked = ''
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    const coding = String(headers['transfer-encoding'] ?? 'chunked')
    if (coding.toLowerCase() !== 'chunked') throw new Error('the answer has a coding that is not undone here')
    if (status < 200) return
    if (status >= 500) this.sendHeadOnceReleased(controller, status)
    else this.sendHead(controller, status)
    if (status !== 204 && status !== 304) return
    // A faulty application writes a body after all, which would be taken as the next answer on this connection.
    this.isComplete = true
    controller.abort(new Error('complete'))
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { res, timeout } = this.exchanged
    if (res.destroyed || res.write(chunk)) return
    controller.pause()
    // If the sender does not read the answer, the upstream is not late.
    const timer = setTimeout(() => res.destroy(), timeout)
    const go = () => {
      clearTimeout(timer)
      res.off('drain', go).off('close', go)
      controller.resume()
    }
    res.on('drain', go).on('close', go)
  }

  onResponseEnd(): void {
    this.end(this.exchanged.request.connection?.isReset ? new Error('the answer was cut off') : undefined)
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.end(error)
  }

  private sendHead(controller: Dispatcher.DispatchController, status: number): void {
    const { res } = this.exchanged
    if (res.destroyed) return
    res.writeHead(status, answerHeaders(status, controller.rawHeaders as Buffer[]))
    // The head is sent now, in one packet with the first part of the body if that has arrived. Not by flushHeaders(),
    // which sends UTF-8.
    res.write(EMPTY)
  }

  /** A sender that sees a failure may try again at once: its claim is released first. */
  private sendHeadOnceReleased(controller: Dispatcher.DispatchController, status: number): void {
    controller.pause()
    this.head = this.release().then(() => this.sendHead(controller, status))
    this.head.then(
      () => controller.resume(),
      error => controller.abort(error)
    )
  }

  private release(): Promise<void> {
    this.releasing ??= this.exchanged.release()
    return this.releasing
  }

  private end(error: Error | undefined): void {
    const over = error === undefined || this.isComplete ? this.finish() : this.fail(error)
    over.catch(reason => this.fail(reason))
  }

  private async finish(): Promise<void> {
    const { res } = this.exchanged
    await this.head
    if (!res.destroyed) res.end()
    this.resolve({ upstream: 'answered' })
  }

  private async fail(error: Error): Promise<void> {
    const { res, upload, address } = this.exchanged
    const { code, message } = error as NodeJS.ErrnoException
    const isLate = /TIMEOUT$/.test(code ?? '')
    const isUpload = upload.hasFailed(error)
    await Promise.allSettled([this.head, this.release()])
    if (res.headersSent) breakOff(res)
    else if (!res.destroyed) answer(res, statusOf(code, isLate, isUpload), { isLast: isUpload })
    if (isUpload) return this.resolve({ upstream: 'upload-failed' })
    const unanswered = this.isSent ? 'broken-off' : 'unreachable'
    const upstream = isLate ? 'timed-out' : unanswered
    this.resolve({ upstream, upstreamError: `${address} ${(code ?? message).replace(/[^ -~]/g, '?')}` })
  }
}

type Upload = ReturnType<typeof watchUpload>

/** Watches a body that may still be arriving from the sender, and the error with which it has failed. */
function watchUpload(source: Body) {
  let failure: unknown
  async function* chunks(from: AsyncIterable<Uint8Array>) {
    try {
      yield* from
    } catch (error) {
      failure = error
      throw error
    }
  }
  return {
    body: source instanceof Uint8Array ? source : chunks(source),
    hasFailed: (error: Error): boolean => error === failure
  }
}

/** Returns the status for an answer that did not arrive, by the code of the error. */
function statusOf(code: string | undefined, isLate: boolean, isUpload: boolean): number {
  if (isUpload) return code === TOO_LARGE ? 413 : 400
  return isLate ? 504 : 502
}

const EMPTY = Buffer.alloc(0)

/**
 * Ends the connection with a reset: in HTTP/1.0, which nginx speaks to its upstreams by default, a plain close means
 * that the answer is complete.
 */
function breakOff(res: ServerResponse): void {
  const { socket } = res
  if (socket === null || socket instanceof TLSSocket) res.destroy()
  else socket.resetAndDestroy()
}

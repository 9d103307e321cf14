import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { TLSSocket } from 'node:tls'
import { urlToHttpOptions } from 'node:url'
import type { Dispatcher } from 'undici'
import { answer } from './answer.ts'
import { type HeaderLine, TOO_LARGE, type UpstreamResult } from './exchange.ts'
import { answerHeaders } from './headers.ts'
import { createPool, type UpstreamRequest } from './upstream-connections.ts'

type Body = Uint8Array | AsyncIterable<Uint8Array>

/** A request for the upstream; its framing is made here. */
export type Outgoing = Readonly<{ method: string; path: string; headers: readonly HeaderLine[]; body: Body }>

/** Gives the claim of a request back; never rejects. */
type Release = () => Promise<void>

export type Upstream = ReturnType<typeof createUpstream>

/** @param timeout milliseconds until the answer begins, and between two parts of it */
export function createUpstream(url: URL, timeout: number) {
  const hostname = urlToHttpOptions(url).hostname as string
  const pool = createPool(url, hostname, timeout)
  const running = new Set<AnswerRelay>()

  return {
    /**
     * Forwards a request and sends back its answer. Never rejects. `release` is called, at most once and before the
     * sender can know, when the answer is 5xx, missing or not complete; it must not reject.
     *
     * The sender may disconnect: the upstream then continues, because its work may be done already.
     */
    forward(outgoing: Outgoing, res: ServerResponse, release: Release): Promise<UpstreamResult> {
      const { method, path, headers, body } = outgoing
      const upload = body instanceof Uint8Array ? undefined : watchUpload(body)
      const request = {
        method: method as Dispatcher.HttpMethod,
        path,
        headers: inOneList(headers),
        body: (upload?.body ?? body) as Uint8Array,
        // The sender's Host is not a name of the upstream for TLS.
        servername: hostname
      } as UpstreamRequest
      const onOver = () => running.delete(relay)
      const relay = new AnswerRelay({ address: url.host, timeout, request, upload, res, release, onOver })
      running.add(relay)
      try {
        pool.dispatch(request, relay)
      } catch (error) {
        relay.onResponseError(undefined, error as Error)
      }
      return relay.result
    },
    /** Aborts the requests in progress. Resolves when their claims are released. */
    destroy: async (): Promise<void> => {
      await pool.destroy()
      await Promise.all([...running].map(({ result }) => result))
    }
  }
}

interface Exchanged {
  readonly address: string
  readonly timeout: number
  /** has the connection that carries it, once there is one */
  readonly request: UpstreamRequest
  /** undefined for a body that is there */
  readonly upload: Upload | undefined
  readonly res: ServerResponse
  readonly release: Release
  readonly onOver: () => void
}

function inOneList(lines: readonly HeaderLine[]): string[] {
  const list: string[] = []
  for (const [name, value] of lines) list.push(name, value)
  return list
}

/** Relays one answer to the sender, as the client of the upstream reports it: its head, its parts, its end. */
class AnswerRelay implements Dispatcher.DispatchHandler {
  readonly result: Promise<UpstreamResult>
  private readonly exchanged: Exchanged
  private resolve: (result: UpstreamResult) => void = () => {}
  private isSent = false
  private isComplete = false
  /** whether the head is to be sent with what comes in this turn */
  private isHeadWaiting = false
  /** the first part of the body, which waits with the head */
  private first: Buffer | undefined
  /** when the first interim answer came, by the monotonic clock */
  private firstInterim: number | undefined
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
    if (coding.toLowerCase() !== 'chunked') throw new Error('the answer has a Transfer-Encoding other than chunked')
    if (status < 200) {
      this.checkInterim()
      return
    }
    if (status >= 500) this.sendHeadOnceReleased(controller, status)
    else this.sendHead(controller, status)
    if (status !== 204 && status !== 304) return
    // A faulty application writes a body after all, which would be taken as the next answer on this connection.
    this.isComplete = true
    controller.abort(new Error('complete'))
  }

  /** The client of the upstream starts its timer again for each interim answer, so that alone would never end them. */
  private checkInterim(): void {
    const now = performance.now()
    this.firstInterim ??= now
    if (now - this.firstInterim > this.exchanged.timeout)
      throw Object.assign(new Error('no final answer'), { code: 'INTERIM_TIMEOUT' })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // The first part goes out in one write with the head, and with the end if that has arrived.
    if (this.isHeadWaiting && this.first === undefined) this.first = chunk
    else this.relay(controller, chunk)
  }

  /** Sends a part of the answer, and reads on when the sender has taken it. */
  private relay(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { res, timeout } = this.exchanged
    this.sendWaiting(controller)
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

  /** Sends the head of an answer, and the first part of its body if that is there, when no more of it has arrived. */
  private sendWaiting(controller: Dispatcher.DispatchController): void {
    if (!this.isHeadWaiting) return
    this.isHeadWaiting = false
    const { res } = this.exchanged
    const { first } = this
    this.first = undefined
    // Not by flushHeaders(), which sends UTF-8.
    if (first === undefined) res.write(EMPTY)
    else this.relay(controller, first)
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
    this.isHeadWaiting = true
    process.nextTick(() => this.sendWaiting(controller))
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
    // Without a wait, all of the answer is one write.
    if (this.head !== undefined) await this.head
    const { res } = this.exchanged
    const { first } = this
    this.isHeadWaiting = false
    this.first = undefined
    if (!res.destroyed) res.end(first)
    this.over({ upstream: 'answered' })
  }

  private async fail(error: Error): Promise<void> {
    const { res, upload, address } = this.exchanged
    const { code, message } = error as NodeJS.ErrnoException
    const isLate = /TIMEOUT$/.test(code ?? '')
    const isUpload = upload?.hasFailed(error) === true
    await Promise.allSettled([this.head, this.release()])
    if (res.headersSent) breakOff(res)
    else if (!res.destroyed) answer(res, statusOf(code, isLate, isUpload), { isLast: isUpload })
    if (isUpload) return this.over({ upstream: 'upload-failed' })
    const unanswered = this.isSent ? 'broken-off' : 'unreachable'
    const upstream = isLate ? 'timed-out' : unanswered
    this.over({ upstream, upstreamError: `${address} ${(code ?? message).replace(/[^ -~]/g, '?')}` })
  }

  private over(result: UpstreamResult): void {
    this.exchanged.onOver()
    this.resolve(result)
  }
}

type Upload = ReturnType<typeof watchUpload>

/** Watches a body that may still be arriving from the sender, and the error with which it has failed. */
function watchUpload(source: AsyncIterable<Uint8Array>) {
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
    body: chunks(source),
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

import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { urlToHttpOptions } from 'node:url'
import { buildConnector, Client, type Dispatcher, Pool } from 'undici'
import { answer } from './answer.ts'
import type { HeaderLine, UpstreamResult } from './exchange.ts'
import { answerHeaders } from './headers.ts'

type Body = Uint8Array | AsyncIterable<Uint8Array>

/** A request for the upstream; its framing is made here. */
type Outgoing = Readonly<{ method: string; path: string; headers: readonly HeaderLine[]; body: Body }>

/** Gives the claim of a request back; never rejects. */
type Release = () => Promise<void>

/**
 * Milliseconds that an idle connection is kept: less than any common server does (gunicorn: 2 s), so that a request
 * rarely meets a connection that is just being closed. No request is sent twice, so that would be a 502.
 */
const IDLE = 1000

/** The code of the error of a body that is above the limit. */
export const TOO_LARGE = 'TOO_LARGE'

export type Upstream = ReturnType<typeof createUpstream>

/** @param timeout milliseconds until the answer begins, and between two parts of it */
export function createUpstream(url: URL, timeout: number) {
  const hostname = urlToHttpOptions(url).hostname as string
  const pool = new Pool(url, {
    factory: (origin, options) => strictClient(origin, options, hostname, timeout),
    pipelining: 1,
    keepAliveTimeout: IDLE,
    keepAliveMaxTimeout: IDLE,
    headersTimeout: timeout,
    bodyTimeout: timeout
  })
  const running = new Set<Promise<UpstreamResult>>()

  return {
    /**
     * Forwards a request and sends back its answer. Never rejects. `release` is called, at most once and before the
     * sender can know, when the answer is 5xx, missing or not complete; it must not reject.
     *
     * The sender may disconnect: the upstream then continues, because its work may be done already.
     */
    forward(request: Outgoing, res: ServerResponse, release: Release): Promise<UpstreamResult> {
      const forwarding = new Promise<UpstreamResult>(resolve => {
        let connection: Connection | undefined
        const upload = watchUpload(request.body)
        const handler = createHandler(url.host, res, timeout, release, upload, () => connection, resolve)
        try {
          const headers = request.headers.values() as Iterable<[string, string]>
          // The sender's Host is not a name of the upstream for TLS.
          const onConnection = (chosen: Connection) => {
            connection = chosen
          }
          const { body } = upload
          const options = { ...request, headers, body, servername: hostname, onConnection } as ForwardOptions
          pool.dispatch(options, handler)
        } catch (error) {
          handler.onResponseError(undefined, error as Error)
        }
      }).finally(() => running.delete(forwarding))
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

function createHandler(
  address: string,
  res: ServerResponse,
  timeout: number,
  release: Release,
  upload: Upload,
  connection: () => Connection | undefined,
  resolve: (result: UpstreamResult) => void
) {
  let isSent = false
  let isComplete = false
  /** resolves when the head of the answer was sent */
  let head: Promise<void> | undefined
  let releasing: Promise<void> | undefined
  const releaseOnce = () => {
    releasing ??= release()
    return releasing
  }

  async function finish(): Promise<void> {
    await head
    if (!res.destroyed) res.end()
    resolve({ upstream: 'answered' })
  }

  async function fail(error: Error): Promise<void> {
    const { code, message } = error as NodeJS.ErrnoException
    const isLate = /TIMEOUT$/.test(code ?? '')
    const isUpload = upload.hasFailed(error)
    const status = statusOf(code, isLate, isUpload)
    await Promise.allSettled([head, releaseOnce()])
    if (res.headersSent) breakOff(res)
    else if (!res.destroyed) answer(res, status, { isLast: isUpload })
    if (isUpload) return resolve({ upstream: 'upload-failed' })
    const unanswered = isSent ? 'broken-off' : 'unreachable'
    const upstream = isLate ? 'timed-out' : unanswered
    resolve({ upstream, upstreamError: `${address} ${(code ?? message).replace(/[^ -~]/g, '?')}` })
  }

  const end = (error?: Error) => void (error === undefined || isComplete ? finish() : fail(error)).catch(fail)

  return {
    onRequestStart() {
      isSent = true
      const used = connection()
      if (used !== undefined) used.unchecked = ''
    },
    onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders) {
      const coding = String(headers['transfer-encoding'] ?? 'chunked')
      if (coding.toLowerCase() !== 'chunked') throw new Error('the answer has a coding that is not undone here')
      if (status < 200) return
      const writeHead = () => {
        if (res.destroyed) return
        res.writeHead(status, answerHeaders(status, controller.rawHeaders as Buffer[]))
        // The head is sent now, in one packet with the first part of the body if that has arrived. Not by
        // flushHeaders(), which sends UTF-8.
        res.write(EMPTY)
      }
      if (status >= 500) {
        controller.pause()
        head = releaseOnce().then(writeHead)
        head.then(
          () => controller.resume(),
          error => controller.abort(error)
        )
      } else writeHead()
      if (status !== 204 && status !== 304) return
      // A faulty application writes a body after all, which would be taken as the next answer on this connection.
      isComplete = true
      controller.abort(new Error('complete'))
    },
    onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
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
    },
    onResponseEnd: () => end(connection()?.isReset ? new Error('the answer was cut off') : undefined),
    onResponseError: (_controller: unknown, error: Error) => end(error)
  } satisfies Dispatcher.DispatchHandler
}

type Upload = ReturnType<typeof watchUpload>

/** Watches a body that may still be arriving from the sender, and the error with which it has failed. */
function watchUpload(whole: Body) {
  let failure: unknown
  async function* pieces(from: AsyncIterable<Uint8Array>) {
    try {
      yield* from
    } catch (error) {
      failure = error
      throw error
    }
  }
  return {
    body: whole instanceof Uint8Array ? whole : pieces(whole),
    hasFailed: (error: Error): boolean => error === failure
  }
}

/** Returns the status for an answer that did not arrive, by the code of the error. */
function statusOf(code: string | undefined, isLate: boolean, isUpload: boolean): number {
  if (isUpload) return code === TOO_LARGE ? 413 : 400
  return isLate ? 504 : 502
}

/** The state of the one connection of a client. */
interface Connection {
  /** the connection is ending, and that by a reset */
  isReset: boolean
  /** the head of the answer to the last request, as far as it was not checked; undefined when it was */
  unchecked: string | undefined
}

/** A request for the pool, with a callback that gets the connection that carries it. */
type ForwardOptions = Dispatcher.DispatchOptions & { onConnection(connection: Connection): void }

/** Makes a client that accepts only complete answers of HTTP/1 on its connections. */
function strictClient(origin: URL, options: object, hostname: string, timeout: number): Client {
  const connection: Connection = { isReset: false, unchecked: '' }
  const client = new Client(origin, { ...options, connect: strictConnector(hostname, timeout, connection) })
  const dispatch = client.dispatch.bind(client)
  client.dispatch = (request, handler) => {
    ;(request as ForwardOptions).onConnection(connection)
    return dispatch(request, handler)
  }
  return client
}

function strictConnector(hostname: string, timeout: number, connection: Connection): buildConnector.connector {
  // Half open, so that a connection that was ended can still be written to.
  const connect = buildConnector({ timeout, allowHalfOpen: true })
  const servername = isIP(hostname) === 0 ? hostname : ''
  return (options, callback) =>
    connect({ ...options, servername, host: hostname }, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      connection.isReset = false
      watch(socket, connection)
      callback(null, socket)
    })
}

function watch(socket: Socket, connection: Connection): void {
  // undici takes a reset as the end of an answer without a length, but that answer was cut off.
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNRESET') error.code = 'CUT_OFF'
  })
  // Node.js reports a reset right behind data as a plain end (libuv). Writing fails after a reset, and not after an
  // end.
  socket.on('end', () => {
    socket.write('\r\n')
    connection.isReset = socket.errored !== null
  })
  // The parser of undici accepts HTTP/2.0 and HTTP/0.9. One request at a time is sent, and one answer comes, which may
  // begin before the request has been sent as a whole.
  socket.on('data', (chunk: Buffer) => {
    if (!isHttp1(connection, chunk)) socket.destroy(new Error('the answer is not HTTP/1'))
  })
}

/** Checks the version of an answer, and of each interim one (1xx) before it. */
function isHttp1(connection: Connection, chunk: Buffer): boolean {
  if (connection.unchecked === undefined) return true
  let searched = connection.unchecked.length - END_OF_HEAD.length
  let text = connection.unchecked + chunk.toString('latin1')
  connection.unchecked = text
  while (text.startsWith(VERSION)) {
    const status = text.charAt('HTTP/1.1 '.length)
    if (status === '') return true
    connection.unchecked = status === '1' ? text : undefined
    if (status !== '1') return true
    const end = text.indexOf(END_OF_HEAD, Math.max(0, searched))
    if (end < 0) return true
    text = text.slice(end + END_OF_HEAD.length)
    connection.unchecked = text
    searched = 0
  }
  return VERSION.startsWith(text)
}

const END_OF_HEAD = '\r\n\r\n'
const VERSION = 'HTTP/1.'
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

import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'

export interface DrainLimits {
  readonly drainBytes: number
  readonly drainTimeout: number
}

type NodeResponse = ServerResponse | Http2ServerResponse

/** HTTP/1 connections that were answered for the last time: what else arrives on them is not handled. */
const closing = new WeakSet<object>()

export const isClosing = (connection: object): boolean => closing.has(connection)

/**
 * Answers without a body, drops what is left of the request, and closes: the connection of HTTP/1, the stream of
 * HTTP/2. Where an answer has begun already, it is broken off.
 */
export function answerAndClose(
  res: NodeResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  limits: DrainLimits
): void {
  if (res.writableEnded || res.destroyed) return
  if ('stream' in res) {
    answerStream(res, status, headers)
    return
  }
  const { req } = res
  closing.add(req.socket)
  if (res.headersSent) {
    req.socket.destroy()
    return
  }

  for (const name of ['Transfer-Encoding', 'Content-Type', 'Content-Encoding', 'Content-Length', 'Trailer']) {
    res.removeHeader(name)
  }
  if (req.complete || req.readableEnded || req.destroyed) {
    res.writeHead(status, { ...headers, 'Content-Length': 0, Connection: 'close' }).end()
    return
  }
  // The head is sent now, and the end of the empty body when the rest was dropped. A proxy in Go (Caddy, Traefik) stops
  // reading from its client once the answer is complete, and resets the connection. Node.js closes ours when the
  // response ends: not sooner, even if a framework ends every response that its handlers have left.
  res.writeHead(status, { ...headers, Connection: 'close' })
  res.flushHeaders()
  const end = res.end.bind(res)
  res.end = () => res
  drain(req, limits, isDone => {
    end()
    if (!isDone) destroyWhenAnswered(res, req.socket)
  })
}

/** RFC 9113 section 8.1: a complete answer, and then a reset without an error, so that the sender stops sending. */
function answerStream(
  res: Http2ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>
): void {
  const { stream } = res
  if (stream === undefined || stream.destroyed) return
  if (res.headersSent) {
    stream.close(INTERNAL_ERROR)
    return
  }
  for (const name of ['content-type', 'content-encoding', 'trailer']) res.removeHeader(name)
  res.writeHead(status, { ...headers, 'Content-Length': 0 })
  res.end()
  // Not together with the answer: a sender on Node.js would then see its stream end and never close.
  const timer = setTimeout(() => stream.close(NO_ERROR), RESET_DELAY)
  stream.once('close', () => clearTimeout(timer))
}

/** Milliseconds. What the sender can send meanwhile is one window of flow control, as nothing is read. */
const RESET_DELAY = 100
const NO_ERROR = 0
const INTERNAL_ERROR = 2

/** Reads and drops the rest. `end` is called once: true when the request has ended, false at a limit. */
function drain(req: ServerResponse['req'], limits: DrainLimits, end: (isDone: boolean) => void): void {
  let left = limits.drainBytes
  const stop = (isDone: boolean) => {
    clearTimeout(timer)
    req.off('data', onData).off('end', onEnd).off('close', onEnd)
    end(isDone)
  }
  const onData = (chunk: Uint8Array) => {
    left -= chunk.length
    if (left < 0) stop(false)
  }
  const onEnd = () => stop(true)
  // From the first byte to the last: a sender that drips cannot prolong it.
  const timer = setTimeout(stop, limits.drainTimeout, false)
  // Who breaks off now must not end the process.
  req.on('error', () => {})
  req.on('data', onData).on('end', onEnd).on('close', onEnd)
  req.resume()
}

/** While an earlier answer on the same connection is under way, this one has no socket yet. */
function destroyWhenAnswered(res: ServerResponse, socket: Socket): void {
  if (res.writableFinished || res.socket !== null) socket.destroy()
  else res.once('finish', () => socket.destroy())
}

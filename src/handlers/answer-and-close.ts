import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import { freeMemory } from './free-memory.ts'

export interface DrainLimits {
  readonly drainBytes: number
  readonly drainTimeout: number
}

type NodeResponse = ServerResponse | Http2ServerResponse

/** HTTP/1 connections that got their last answer: later requests on them are not handled. */
const closing = new WeakSet<object>()

export const isClosing = (connection: object): boolean => closing.has(connection)

/**
 * Answers without a body, drops what is left of the request, and closes the connection of HTTP/1, or the stream of
 * HTTP/2. If an answer has already begun, it is aborted.
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
  // The head is sent now; the empty body ends when the rest was dropped, or when nothing more arrives. A proxy in Go
  // (Caddy, Traefik) stops reading from its client once the answer is complete, and resets the client's connection;
  // nginx stops sending once it has the head, and waits for the end. HTTP/1.0 has no chunks: without a length only
  // closing would end the body.
  const length = req.httpVersion === '1.0' ? { 'Content-Length': 0 } : { 'Transfer-Encoding': 'chunked' }
  res.writeHead(status, { ...headers, ...length, Connection: 'close' })
  res.flushHeaders()
  const { socket } = req
  const end = res.end.bind(res)
  const close = holdClosing(res, socket)
  drain(req, limits, end, isDone => {
    end()
    close(isDone)
  })
}

/**
 * Delays two things until the returned function is called: Node.js closes the connection when the last response on it
 * ends, and some frameworks end every response that a handler has left open.
 */
function holdClosing(res: ServerResponse, socket: Socket): (isDone: boolean) => void {
  res.end = () => res
  socket.destroySoon = () => {}
  return isDone => {
    Reflect.deleteProperty(socket, 'destroySoon')
    if (res.writableFinished) socket.destroySoon?.()
    // While an earlier answer on the same connection is being sent, this one has no socket yet.
    if (!isDone && (res.writableFinished || res.socket !== null)) socket.destroy()
    else if (!isDone) res.once('finish', () => socket.destroy())
  }
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

/** Milliseconds. The sender can send at most one window of flow control meanwhile, because nothing is read. */
const RESET_DELAY = 100
const NO_ERROR = 0
const INTERNAL_ERROR = 2

/** After this many milliseconds without a byte, the sender is assumed to wait for the end of the answer. */
const PAUSE = 250

/**
 * Reads and drops the rest. `pause` is called when nothing arrives for a while; `stop` once, with true when the request
 * has ended, and false at a limit.
 */
function drain(
  req: IncomingMessage,
  limits: DrainLimits,
  pause: () => void,
  stop: (isDone: boolean) => void
): void {
  let dropped = 0
  const finish = (isDone: boolean) => {
    clearTimeout(deadline)
    clearTimeout(pausing)
    req.off('data', onData).off('end', onEnd).off('close', onEnd)
    stop(isDone)
  }
  const onData = (chunk: Uint8Array) => {
    dropped += chunk.length
    if (isAlone(req)) freeMemory(chunk)
    if (dropped > limits.drainBytes) finish(false)
    else pausing.refresh()
  }
  const onEnd = () => finish(true)
  const onPause = () => {
    const before = dropped
    // This process may have been busy: bytes that arrived meanwhile are read first.
    setImmediate(() => dropped === before && pause())
  }
  // For the whole body: a sender that drips bytes cannot extend it.
  const deadline = setTimeout(finish, limits.drainTimeout, false)
  const pausing = setTimeout(onPause, PAUSE)
  // A client that disconnects now must not crash the process.
  req.on('error', () => {})
  req.on('data', onData).on('end', onEnd).on('close', onEnd)
  req.resume()
}

/** Whether nothing else gets the chunks. */
const isAlone = (req: IncomingMessage): boolean =>
  req.listenerCount('data') === 1 && req.listenerCount('readable') === 0

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import { freeMemory } from './free-memory.ts'

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
  // The head is sent now, the end of the empty body when the rest was dropped, or when no more comes. A proxy in Go
  // (Caddy, Traefik) stops reading from its client once the answer is complete, and resets the client's connection;
  // nginx sends no more once it has the head, and waits for the end. In HTTP/1.0 only closing would be an end.
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
 * Node.js closes the connection when the last response on it ends, and some frameworks end every response that a
 * handler has left: neither happens before the returned function is called.
 */
function holdClosing(res: ServerResponse, socket: Socket): (isDone: boolean) => void {
  res.end = () => res
  socket.destroySoon = () => {}
  return isDone => {
    Reflect.deleteProperty(socket, 'destroySoon')
    if (res.writableFinished) socket.destroySoon?.()
    // While an earlier answer on the same connection is under way, this one has no socket yet.
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

/** Milliseconds. What the sender can send meanwhile is one window of flow control, as nothing is read. */
const RESET_DELAY = 100
const NO_ERROR = 0
const INTERNAL_ERROR = 2

/** Milliseconds without a byte after which a sender is taken to wait for the end of the answer. */
const PAUSE = 250

/**
 * Reads and drops the rest. `pause` is called when no more comes for now; `stop` once, with true when the request has
 * ended, and false at a limit.
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
    // This process may have been busy: what has come meanwhile is read first.
    setImmediate(() => dropped === before && pause())
  }
  // From the first byte to the last: a sender that drips cannot prolong it.
  const deadline = setTimeout(finish, limits.drainTimeout, false)
  const pausing = setTimeout(onPause, PAUSE)
  // Who breaks off now must not end the process.
  req.on('error', () => {})
  req.on('data', onData).on('end', onEnd).on('close', onEnd)
  req.resume()
}

/** Nobody else gets the chunks. */
const isAlone = (req: IncomingMessage): boolean =>
  req.listenerCount('data') === 1 && req.listenerCount('readable') === 0

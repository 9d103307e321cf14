import type { IncomingMessage, ServerResponse } from 'node:http'
import { DEFAULTS } from '../../core/options/options.ts'
import { withDeadline } from '../../core/promises.ts'
import type { Refusal } from '../refusal.ts'
import { hasTinyChunks } from './chunks.ts'

/** Limits for the rest of a request, which is read and dropped: bytes, and milliseconds for all of it. */
export interface DrainLimits {
  readonly drainBytes: number
  readonly drainTimeout: number
}

export const DRAIN_LIMITS: DrainLimits = { drainBytes: DEFAULTS.maxBodyBytes, drainTimeout: 5000 }

/**
 * Milliseconds for the sender to read the response: closing a connection with unread bytes resets it, and what was not
 * read is lost. With HTTP/2, the stream of a sender on Node.js would end and never close.
 */
export const CLOSE_DELAY = 100

export interface AnswerOptions {
  /** whether the response ends its connection; it does in any case when a part of the request stays unread */
  readonly isLast: boolean
  /** when left out, the rest of the request stays unread */
  readonly limits?: DrainLimits | undefined
}

/**
 * Answers a request of HTTP/1 without a body, when the rest of the request was read and dropped: a proxy that is still
 * sending when its connection breaks turns any response into a 502. Does nothing when something else has answered
 * meanwhile, or when the sender has gone.
 *
 * The connection stays open only when the request was read to its end, and neither `isLast`, the sender nor a
 * `Connection: close` that the receiver has set, as a server that is closing does, says otherwise.
 */
export async function answerWhenDrained(
  res: ServerResponse,
  answer: Refusal,
  { isLast, limits }: AnswerOptions
): Promise<void> {
  const { req } = res
  const isAskedFor = !res.shouldKeepAlive || String(res.getHeader('Connection')).toLowerCase() === 'close'
  // A sender of tiny chunks would cost as much again.
  const mustEnd = isLast || isAskedFor || hasTinyChunks(req)
  let isRead = isReceived(req)
  // The head is set now as well, because a framework may end the response while the rest is read.
  setHead(res, answer, mustEnd || !isRead)
  if (!isRead && limits !== undefined && !hasTinyChunks(req)) isRead = await drain(req, limits)
  if (res.headersSent || res.destroyed) return
  setHead(res, answer, mustEnd || !isRead)
  const { writeHead, end } = original(res)
  writeHead(res.statusCode)
  if (!isRead) {
    res.flushHeaders()
    await new Promise(resolve => setTimeout(resolve, CLOSE_DELAY))
    // Node.js would read and drop what is left, until its own end of the connection.
    res.once('finish', () => req.socket?.destroy())
  }
  end()
}

/** Returns the headers of a response without a body. */
export const emptyBodyHeaders = ({ headers }: Refusal, isLast: boolean): Record<string, string> => ({
  ...headers,
  'Content-Length': '0',
  ...(isLast && { Connection: 'close' })
})

/** Removes all headers that a middleware or handler has set: a foreign Trailer or length would break the response. */
function setHead(res: ServerResponse, answer: Refusal, isLast: boolean): void {
  const { sendDate } = res
  for (const name of res.getHeaderNames()) res.removeHeader(name)
  res.sendDate = sendDate // removing a Date has changed it
  res.statusCode = answer.status
  res.statusMessage = '' // that of the status
  for (const [name, value] of Object.entries(emptyBodyHeaders(answer, isLast))) res.setHeader(name, value)
}

/** Returns the methods of the class: middleware (on-headers, compression) replaces them to add headers or a body. */
function original(res: ServerResponse): Pick<ServerResponse, 'writeHead' | 'end'> {
  const { writeHead = res.writeHead, end = res.end } = Object.getPrototypeOf(res) as Partial<ServerResponse>
  return { writeHead: writeHead.bind(res), end: end.bind(res) }
}

/** Returns whether nothing of the request is left to read: it is complete, or the sender has gone. */
const isReceived = (req: IncomingMessage): boolean => req.complete || req.readableEnded || req.destroyed

/** Reads and drops the rest of a request. False at a limit; true at its end, or when the sender has gone. */
function drain(req: IncomingMessage, { drainBytes, drainTimeout }: DrainLimits): Promise<boolean> {
  const read = new Promise<boolean>(resolve => {
    let dropped = 0
    req.on('data', (chunk: Uint8Array) => {
      dropped += chunk.length
      if (dropped > drainBytes || hasTinyChunks(req)) resolve(false)
    })
    for (const event of ['end', 'close']) req.on(event, () => resolve(true))
    // A sender that disconnects now must not crash the process.
    req.on('error', () => {}).resume()
  })
  // The time is for the whole rest: a sender that drips bytes cannot extend it.
  return withDeadline(read, drainTimeout, () => false).finally(() => req.pause())
}

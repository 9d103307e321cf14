import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** Seconds after which a sender may try again: long enough for a resolver, short enough for a Date to be recent. */
const RETRY_AFTER = 10

/** What is read and dropped of a body that nobody wants: bytes, and milliseconds. */
const MAX_DROPPED = 10 * 1024 * 1024
const DROP_TIMEOUT = 5000

/** Milliseconds for the sender to read its answer: closing a connection with unread bytes resets it. */
const CLOSE_DELAY = 100

/**
 * The headers of every answer that the gateway makes itself. The body is empty: the sender learns nothing but the
 * status. RFC 9110 section 15.5.2: a 401 names a challenge.
 *
 * @param isLast whether the answer ends its connection
 */
function headersOf(status: number, isLast: boolean): Record<string, string> {
  return {
    ...(status === 401 && { 'WWW-Authenticate': 'Signature' }),
    ...(status === 503 && { 'Retry-After': `${RETRY_AFTER}` }),
    'Content-Length': '0',
    ...(isLast && { Connection: 'close' })
  }
}

interface AnswerOptions {
  readonly isLast: boolean
  /** leaves the rest of the body unread: the connection is needed for others */
  readonly isHurried?: boolean
  /** besides those of every answer */
  readonly headers?: OutgoingHttpHeaders
}

const writeHead = (res: ServerResponse, status: number, { isLast, headers }: AnswerOptions) =>
  res.writeHead(status, { ...headers, ...headersOf(status, isLast) })

/** Answers at once. */
export function answer(res: ServerResponse, status: number, options: AnswerOptions): void {
  writeHead(res, status, options).end()
}

/**
 * Answers when the rest of the body was read and dropped: a proxy that is still sending when its connection breaks
 * turns any answer into a 502. Above the limits the answer is the last on its connection.
 */
export async function answerWhenRead(
  res: ServerResponse,
  status: number,
  { isLast, isHurried = false, headers = {} }: AnswerOptions
): Promise<void> {
  const isRead = isHurried ? res.req.complete : await dropRest(res.req)
  if (res.destroyed || res.headersSent) return
  writeHead(res, status, { headers, isLast: isLast || !isRead })
  if (!isRead) {
    res.flushHeaders()
    await delay(CLOSE_DELAY)
  }
  res.end()
}

/** Answers what Node.js could not parse as a request, and ends the connection. */
export function answerSocket(socket: Socket, status: number): void {
  const lines = Object.entries(headersOf(status, true)).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`, () => socket.destroy())
}

/** Resolves with false at a limit; with true at the end of the body, or when the sender is gone. */
function dropRest(req: IncomingMessage): Promise<boolean> {
  if (req.complete || req.readableEnded || req.destroyed) return Promise.resolve(true)
  let timer: NodeJS.Timeout | undefined
  const read = new Promise<boolean>(resolve => {
    // The time is for the whole rest: a sender that drips bytes cannot extend it.
    timer = setTimeout(resolve, DROP_TIMEOUT, false)
    let dropped = 0
    req.on('data', (chunk: Uint8Array) => {
      dropped += chunk.length
      if (dropped > MAX_DROPPED) resolve(false)
    })
    for (const event of ['end', 'close']) req.on(event, () => resolve(true))
    // Without a listener, a sender that disconnects now would end the process.
    req.on('error', () => {}).resume()
  })
  return read.finally(() => {
    clearTimeout(timer)
    req.pause()
  })
}

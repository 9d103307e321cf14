import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { answerWhenDrained, DRAIN_LIMITS, emptyBodyHeaders, refusalHeaders } from '../../src/internal/index.ts'

interface AnswerOptions {
  /** whether the answer ends its connection; it does in any case when a part of the request stays unread */
  readonly isLast: boolean
  /** leaves the rest of the body unread, because another sender needs the connection */
  readonly skipsBody?: boolean
  /** besides those of every answer */
  readonly headers?: Readonly<Record<string, string>>
  /** says in a 401 what has to be signed */
  readonly challenge?: Readonly<Record<string, string>>
}

const answerOf = (status: number) => ({ status, headers: refusalHeaders(status) })

/** Answers at once. */
export function answer(res: ServerResponse, status: number, { isLast }: AnswerOptions): void {
  res.writeHead(status, emptyBodyHeaders(answerOf(status), isLast)).end()
}

/** Answers when the rest of the body was read and dropped, within the limits of the library. */
export const answerWhenRead = (
  res: ServerResponse,
  status: number,
  { isLast, skipsBody = false, headers, challenge }: AnswerOptions
): Promise<void> => {
  const answer = { status, headers: { ...headers, ...refusalHeaders(status, challenge) } }
  return answerWhenDrained(res, answer, { isLast, limits: skipsBody ? undefined : DRAIN_LIMITS })
}

/** Answers bytes that Node.js could not parse as a request, and ends the connection. */
export function answerSocket(socket: Socket, status: number): void {
  const headers = Object.entries(emptyBodyHeaders(answerOf(status), true))
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`, () => socket.destroy())
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'

type NodeRequest = IncomingMessage | Http2ServerRequest
type NodeResponse = ServerResponse | Http2ServerResponse

/** The last request of each HTTP/1 connection. */
const latest = new WeakMap<object, NodeResponse>()

/**
 * Node.js passes on pipelined requests at once, each with a response that waits for the earlier ones. Here each request
 * waits until the one before was answered. False when that closed the connection: this request cannot be answered, so
 * it must not be handled.
 */
export async function isTurnOf(req: NodeRequest, res: NodeResponse): Promise<boolean> {
  const { socket } = req
  if (req.httpVersionMajor !== 1 || typeof socket !== 'object' || socket === null) return true
  const previous = latest.get(socket)
  latest.set(socket, res)
  if (previous !== undefined && !isOver(previous)) {
    await whenOver(previous)
    if (socket.destroyed || socket.writableEnded) return false
  }
  return true
}

const isOver = (res: NodeResponse): boolean => res.writableFinished || res.destroyed

/** Resolves when a response has ended, or its connection has. */
export const whenOver = (res: NodeResponse): Promise<void> =>
  new Promise(resolve => {
    const over = () => resolve()
    if (isOver(res)) return over()
    res.once('finish', over)
    res.once('close', over)
  })

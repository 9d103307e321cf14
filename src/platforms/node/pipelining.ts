import type { Socket } from 'node:net'
import type { NodeResponse } from './refusal.ts'
import type { NodeRequest } from './request.ts'

/** Requests in progress on one connection: the one that is handled, and those that wait in memory for its response. */
const MAX_PIPELINED = 10

interface Connection {
  /** the response to its last request, until it is over: an idle connection keeps no request in memory */
  last: NodeResponse | undefined
  /** ends the waiting of each request that is not handled yet */
  waiting: Set<() => void>
}

/** HTTP/1 connections, by the socket of their requests. */
const connections = new WeakMap<Socket, Connection>()

/**
 * Waits until the requests before this one on its connection were answered: Node.js emits pipelined requests at once.
 * A connection with more than ten in progress is destroyed. Must be called for each request, as soon as it is emitted.
 *
 * @returns false when the connection was closed meanwhile: the request cannot be answered, so it must not be handled
 */
export async function waitForTurn(req: NodeRequest, res: NodeResponse): Promise<boolean> {
  const { socket } = req
  if (req.httpVersionMajor !== 1 || typeof socket !== 'object' || socket === null) return true
  const known = connections.get(socket)
  const connection = known ?? { last: undefined, waiting: new Set() }
  const previous = connection.last
  // A handler inside a handler has the same response.
  if (previous === res) return true
  connection.last = res
  res.once('close', () => {
    if (connection.last === res) connection.last = undefined
  })
  if (known === undefined) {
    connections.set(socket, connection)
    return true
  }
  if (previous !== undefined && !previous.writableFinished && !previous.destroyed)
    await whenOver(previous, connection, socket)
  return !socket.destroyed && !socket.writableEnded
}

async function whenOver(previous: NodeResponse, { waiting }: Connection, socket: Socket): Promise<void> {
  if (waiting.size >= MAX_PIPELINED - 1) socket.destroy()
  if (socket.destroyed) return
  if (waiting.size === 0) socket.once('close', stopAll)
  await new Promise<void>(resolve => {
    const stop = () => {
      waiting.delete(stop)
      if (waiting.size === 0) socket.off('close', stopAll)
      resolve()
    }
    waiting.add(stop)
    previous.once('finish', stop).once('close', stop)
  })

  /** Node.js emits neither `finish` nor `close` on a response that does not have the connection yet. */
  function stopAll() {
    for (const stop of waiting) stop()
  }
}

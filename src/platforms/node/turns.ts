import type { Socket } from 'node:net'
import type { NodeResponse } from './refusal.ts'
import type { NodeRequest } from './request.ts'

/** Requests that wait on one connection, the one that is handled included. What waits is held in memory. */
const MAX_PIPELINED = 10

interface Connection {
  /** the response to its last request */
  last: NodeResponse
  /** ends the waiting of each request whose turn has not come */
  waiting: Set<() => void>
}

/** HTTP/1 connections, by the socket of their requests. */
const connections = new WeakMap<Socket, Connection>()

/**
 * Node.js passes on pipelined requests at once, each with a response that waits for the earlier ones. Here each request
 * waits until the one before was answered. False when that closed the connection: this request cannot be answered, so
 * it must not be handled. A connection on which too many wait is destroyed.
 */
export async function isTurn(req: NodeRequest, res: NodeResponse): Promise<boolean> {
  const { socket } = req
  if (req.httpVersionMajor !== 1 || typeof socket !== 'object' || socket === null) return true
  const connection = connections.get(socket)
  const previous = connection?.last
  if (connection === undefined) connections.set(socket, { last: res, waiting: new Set() })
  else connection.last = res
  // It is the same response, of a handler inside a handler.
  if (connection === undefined || previous === undefined || previous === res) return true
  if (!previous.writableFinished && !previous.destroyed) await whenOver(previous, connection, socket)
  return !socket.destroyed && !socket.writableEnded
}

async function whenOver(previous: NodeResponse, { waiting }: Connection, socket: Socket): Promise<void> {
  if (waiting.size >= MAX_PIPELINED - 1) socket.destroy()
  if (socket.destroyed) return
  if (waiting.size === 0) socket.once('close', closeAll)
  await new Promise<void>(resolve => {
    const stop = () => {
      waiting.delete(stop)
      if (waiting.size === 0) socket.off('close', closeAll)
      resolve()
    }
    waiting.add(stop)
    previous.once('finish', stop).once('close', stop)
  })

  // A response whose turn never comes emits neither `finish` nor `close`.
  function closeAll() {
    for (const stop of waiting) stop()
  }
}

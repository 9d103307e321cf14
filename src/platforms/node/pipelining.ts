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
 * The caller must `await` the result also when it is not a promise: the body of a request that came in one packet with
 * its head has then arrived.
 *
 * @returns false when the connection was closed meanwhile: the request cannot be answered, so it must not be handled
 */
export function waitForTurn(req: NodeRequest, res: NodeResponse): boolean | Promise<boolean> {
  const { socket } = req
  if (req.httpVersionMajor !== 1 || typeof socket !== 'object' || socket === null) return true
  const known = connections.get(socket)
  const connection = known ?? { last: undefined, waiting: new Set() }
  const previous = connection.last
  // A handler inside a handler has the same response.
  if (previous === res) return true
  connection.last = res
  res.on('close', forgetLast)
  if (known === undefined) {
    connections.set(socket, connection)
    return true
  }
  const isOpen = () => !socket.destroyed && !socket.writableEnded
  if (previous === undefined || previous.writableFinished || previous.destroyed) return isOpen()
  return whenOver(previous, connection, socket).then(nextTurn).then(isOpen)
}

/** Lets other connections be read: pipelined requests would all be handled in one turn of the event loop. */
const nextTurn = (): Promise<void> => new Promise(setImmediate)

/** Listens to a response. One function for all: most requests wait for none. */
function forgetLast(this: NodeResponse): void {
  const connection = connections.get(this.req.socket as Socket)
  if (connection?.last === this) connection.last = undefined
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
}

/**
 * Node.js emits neither `finish` nor `close` on a response that does not have the connection yet. One function for all:
 * the last one that waits removes the listener that the first one has added.
 */
function stopAll(this: Socket): void {
  for (const stop of connections.get(this)?.waiting ?? []) stop()
}

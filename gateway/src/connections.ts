import type { Server, ServerResponse } from 'node:http'
import { type Socket, Server as TcpServer } from 'node:net'

/**
 * Concurrent requests on one connection, pipelined ones included. Node.js passes on all that arrive, and those behind
 * one that waits for DNS would fill the memory.
 */
const MAX_PIPELINED = 10

/** The connections of a server, and their answers in progress. */
export interface Connections {
  /** Call it once for each request. A connection with too many of them is destroyed. */
  add(res: ServerResponse): void
  /**
   * Takes no new connection and closes idle ones; the others are closed as their answers end. Resolves to whether all
   * of them ended in time.
   */
  drain(milliseconds: number): Promise<boolean>
  /** Destroys what is left. */
  destroy(): void
}

export function trackConnections(server: Server, isTls: boolean): Connections {
  const open = new Set<Socket>()
  const running = new Map<Socket, Set<ServerResponse>>()
  let isDraining = false

  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  // The socket of a request; with TLS it is not the socket of the connection.
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    running.set(socket, new Set())
    socket.once('close', () => running.delete(socket))
  })

  return {
    add(res) {
      const { socket } = res.req
      const answers = running.get(socket)
      if (answers === undefined) return // it has closed already
      answers.add(res)
      if (answers.size > MAX_PIPELINED) socket.destroy()
      if (isDraining) res.shouldKeepAlive = false
      res.once('close', () => {
        answers.delete(res)
        if (isDraining && answers.size === 0) socket.destroySoon()
      })
    },
    drain(milliseconds) {
      isDraining = true
      return new Promise(resolve => {
        const timer = setTimeout(
          () => resolve([...running.values()].every(({ size }) => size === 0)),
          milliseconds
        )
        // Not close() of node:http: that destroys connections whose answer was ended but is not sent yet.
        TcpServer.prototype.close.call(server, () => {
          clearTimeout(timer)
          resolve(true)
        })
        for (const [socket, answers] of running) {
          const last = [...answers].at(-1)
          if (last === undefined) socket.destroy()
          else last.shouldKeepAlive = false
        }
      })
    },
    destroy() {
      for (const socket of open) socket.destroy()
    }
  }
}

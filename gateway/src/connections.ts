import type { Server, ServerResponse } from 'node:http'
import { type Socket, Server as TcpServer } from 'node:net'

/**
 * Concurrent requests on one connection, pipelined ones included. Node.js passes on all that arrive, and those behind
 * one that waits for DNS would fill the memory.
 */
const MAX_PIPELINED = 10

/** The connections of a server, and their answers in progress. */
export interface Connections {
  /**
   * Runs a request when those before it on its connection are over, unless one of them has closed it. A connection with
   * too many of them is destroyed.
   *
   * @param serve resolves to whether another request may follow
   */
  run(res: ServerResponse, serve: () => Promise<boolean>): Promise<void>
  /** The last answer in progress. */
  lastAnswer(socket: Socket): ServerResponse | undefined
  /**
   * Takes no new connection and closes idle ones; the others are closed as their answers end. Resolves to whether all
   * of them ended in time.
   */
  drain(milliseconds: number): Promise<boolean>
  /** Destroys what is left. */
  destroy(): void
}

interface Connection {
  readonly answers: Set<ServerResponse>
  /** resolves to whether the next request may be served */
  turn: Promise<boolean> | undefined
}

export function trackConnections(server: Server, isTls: boolean): Connections {
  const open = new Set<Socket>()
  const running = new Map<Socket, Connection>()
  let isDraining = false

  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  // The socket of a request; with TLS it is not the socket of the connection.
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    running.set(socket, { answers: new Set(), turn: undefined })
    socket.once('close', () => running.delete(socket))
  })

  return {
    async run(res, serve) {
      const { socket } = res.req
      const connection = running.get(socket)
      if (connection === undefined) return // it has closed already
      const { answers } = connection
      answers.add(res)
      if (answers.size > MAX_PIPELINED) socket.destroy()
      if (isDraining) res.shouldKeepAlive = false
      res.once('close', () => {
        answers.delete(res)
        if (isDraining && answers.size === 0) socket.destroySoon()
      })
      const serveIfOpen = (isOpen: boolean) => isOpen && !socket.destroyed && !socket.writableEnded && serve()
      connection.turn = connection.turn?.then(serveIfOpen, () => false) ?? serve()
      await connection.turn
    },
    lastAnswer: socket => [...(running.get(socket)?.answers ?? [])].at(-1),
    drain(milliseconds) {
      isDraining = true
      return new Promise(resolve => {
        const timer = setTimeout(
          () => resolve([...running.values()].every(({ answers }) => answers.size === 0)),
          milliseconds
        )
        // Not close() of node:http: that destroys connections whose answer was ended but is not sent yet.
        TcpServer.prototype.close.call(server, () => {
          clearTimeout(timer)
          resolve(true)
        })
        for (const [socket, { answers }] of running) {
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

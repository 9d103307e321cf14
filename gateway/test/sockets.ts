import { createServer, type Socket } from 'node:net'
import { listen } from '../../test/support/listen.ts'

/** Starts a server on loopback that speaks no HTTP. */
export async function startSockets(onSocket: (socket: Socket) => void): Promise<{ url: URL; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    onSocket(socket)
  })
  const url = new URL(`http://127.0.0.1:${await listen(server)}`)
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise<void>(resolve => server.close(() => resolve()))
  }
  return { url, close }
}

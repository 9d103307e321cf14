import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Returns a port of loopback that nothing uses, for TCP and UDP. The system assigns its own from another range, so no
 * other test can get this one first.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 22_000)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const socket = createSocket('udp4')
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    socket.bind(port, '127.0.0.1')
    await once(socket, 'listening')
    return true
  } catch {
    return false
  } finally {
    socket.close()
    server.close()
  }
}

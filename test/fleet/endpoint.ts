import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Source address of those that `cut` separates from the server. All of 127.0.0.0/8 is loopback. */
export const PEERS = '127.0.0.2'

/** An address of a server, as a DNS name or a virtual IP is one. */
export interface Endpoint {
  readonly port: number
  /** Leads new connections to another server; open ones stay where they are. */
  moveTo(port: number): void
  /** Lets no more bytes through between the server and `PEERS`; its clients still reach it. */
  cut(): void
  /** Ends `cut`. */
  heal(): void
}

export async function startEndpoint(target: number): Promise<Endpoint> {
  let to = target
  let isCut = false
  /** the connections of `PEERS` */
  const peers = new Set<Socket>()
  const server = createServer(socket => {
    const upstream = connect(to, '127.0.0.1')
    const ends = [socket, upstream]
    const isPeer = socket.remoteAddress === PEERS
    if (isPeer) peers.add(socket)
    for (const end of ends) {
      end.setNoDelay(true)
      end.on('error', () => {})
      end.on('data', chunk => {
        if (!isPeer || !isCut) (end === socket ? upstream : socket).write(chunk)
      })
      end.on('close', () => {
        peers.delete(socket)
        for (const each of ends) each.destroy()
      })
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return {
    port: (server.address() as AddressInfo).port,
    moveTo(port) {
      to = port
    },
    cut() {
      isCut = true
    },
    heal() {
      isCut = false
      // Bytes are missing on these.
      for (const socket of peers) socket.destroy()
    }
  }
}

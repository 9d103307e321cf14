import { connect, createServer, type Socket } from 'node:net'
import { listen } from './listen.ts'

export interface FaultyProxy {
  readonly port: number
  /** Holds everything back until `resume`, on current and new connections. */
  pause(): void
  resume(): void
  /** Silences the current connections for good; new ones work. */
  silence(): void
  /** Ends every current connection with a reset. */
  reset(): void
  /** Changes the next chunk that the server sends on each current connection. */
  corrupt(change: (chunk: Buffer) => Buffer): void
  close(): void
}

interface Pair {
  client: Socket
  server: Socket
  isSilent: boolean
  change?: (chunk: Buffer) => Buffer
}

/** Starts a TCP proxy on loopback in front of a server, with the faults of a network. */
export async function faultyProxy(serverPort: number): Promise<FaultyProxy> {
  let isPaused = false
  const pairs = new Set<Pair>()
  const proxy = createServer(client => {
    const server = connect(serverPort, '127.0.0.1')
    const pair: Pair = { client, server, isSilent: false }
    pairs.add(pair)
    for (const from of [client, server]) {
      const to = from === client ? server : client
      if (isPaused) from.pause()
      from.setNoDelay(true)
      from.on('data', chunk => {
        if (pair.isSilent) return
        const changed = from === server && pair.change ? pair.change(Buffer.from(chunk)) : chunk
        if (from === server) delete pair.change
        to.write(changed)
      })
      from.on('error', () => {})
      from.on('close', () => {
        pairs.delete(pair)
        if (!pair.isSilent) to.destroy()
      })
    }
  })
  const sockets = () => [...pairs].flatMap(({ client, server }) => [client, server])
  return {
    port: await listen(proxy),
    pause() {
      isPaused = true
      for (const socket of sockets()) socket.pause()
    },
    resume() {
      isPaused = false
      for (const socket of sockets()) socket.resume()
    },
    silence() {
      for (const pair of pairs) pair.isSilent = true
    },
    reset() {
      for (const socket of sockets()) socket.resetAndDestroy()
    },
    corrupt(change) {
      for (const pair of pairs) pair.change = change
    },
    close() {
      proxy.close()
      for (const socket of sockets()) socket.destroy()
    }
  }
}

import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { type ReplayStore, redisReplayStore } from '../../src/replay/index.ts'

export interface Connected {
  store: ReplayStore
  /** Resolves when the client is connected (again). */
  ready(): Promise<void>
  close(): void
}

export type ClientName = 'node-redis' | 'ioredis'

/** Both libraries with the settings the README recommends, and a short wait between two attempts to connect. */
export async function connect(name: ClientName, port: number, prefix?: string): Promise<Connected> {
  const options = prefix === undefined ? {} : { prefix }
  if (name === 'ioredis') {
    const client = new Redis(port, '127.0.0.1', {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => 20
    })
    client.on('error', () => {})
    const ready = async () => {
      if (client.status !== 'ready') await new Promise<void>(resolve => client.once('ready', () => resolve()))
    }
    await ready()
    return { store: redisReplayStore(client, options), ready, close: () => client.disconnect() }
  }
  const client = createClient({
    socket: { port, host: '127.0.0.1', reconnectStrategy: () => 20 },
    disableOfflineQueue: true
  })
  client.on('error', () => {})
  const ready = async () => {
    if (!client.isReady) await new Promise<void>(resolve => client.once('ready', () => resolve()))
  }
  await client.connect()
  return { store: redisReplayStore(client, options), ready, close: () => client.destroy() }
}

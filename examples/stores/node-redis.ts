import { createClient, createCluster, createSentinel } from 'redis'
import { type ReplayStore, redisReplayStore } from 'signed-requests/replay'

// Commands fail while there is no connection, instead of waiting in a queue.
const settings = {
  disableOfflineQueue: true,
  pingInterval: 1000,
  socket: { connectTimeout: 1000, socketTimeout: 2500 }
}

type Address = { host: string; port: number }

export const nodeRedisClient = (url: string) =>
  createClient({ ...settings, url }).on('error', console.error)

export const nodeRedisSentinel = (sentinels: Address[], name: string) =>
  createSentinel({
    name,
    sentinelRootNodes: sentinels,
    masterPoolSize: 10, // a connection carries one claim at a time
    nodeClientOptions: settings,
    sentinelClientOptions: settings
  }).on('error', console.error)

export const nodeRedisCluster = (urls: string[]) =>
  createCluster({ rootNodes: urls.map(url => ({ url })), defaults: settings }).on(
    'error',
    console.error
  )

/** Reconnects if the address leads to a replica: node-redis itself does not. */
export function nodeRedisStore(
  client: ReturnType<typeof nodeRedisClient>
): ReplayStore {
  const store = redisReplayStore(client)
  const reconnectToPrimary = (error: NodeJS.ErrnoException): never => {
    if (error.code === 'READONLY' && client.isReady) {
      client.destroy()
      client.connect().catch(console.error)
    }
    throw error
  }
  return {
    ...store,
    claim: (...call) => store.claim(...call).catch(reconnectToPrimary)
  }
}

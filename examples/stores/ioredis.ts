import { Cluster, Redis } from 'ioredis'

const settings = {
  // Commands fail while there is no connection, instead of waiting in a queue.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 1000,
  socketTimeout: 2500,
  keepAlive: 1000,
  // The address now leads to a replica: look for the primary again.
  reconnectOnError: ({ message }: Error) => message.includes('READONLY')
}

type Address = { host: string; port: number }

export const ioredisClient = (url: string) =>
  new Redis(url, settings).on('error', console.error)

export const ioredisSentinel = (sentinels: Address[], name: string) =>
  new Redis({ ...settings, sentinels, name, failoverDetector: true }).on(
    'error',
    console.error
  )

export const ioredisCluster = (nodes: Address[]) =>
  new Cluster(nodes, { enableOfflineQueue: false, redisOptions: settings }).on(
    'error',
    console.error
  )

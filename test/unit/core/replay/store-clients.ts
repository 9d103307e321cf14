import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import { createClient } from 'redis'
import {
  postgresReplayStore,
  postgresReplayTable,
  type ReplayStore,
  redisReplayStore
} from '../../../../src/replay/index.ts'
import { type PostgresServer, postgresServer } from '../../replay/postgres-server.ts'
import { type RedisServer, redisServer } from '../../replay/redis-server.ts'

export interface Connected {
  store: ReplayStore
  /** Resolves when the client is connected (again). */
  ready(): Promise<void>
  close(): void
}

export const CLIENTS = ['node-redis', 'ioredis', 'pg'] as const
export type ClientName = (typeof CLIENTS)[number]

/** Starts a database for a client, with the table that it needs. A Redis has every answered write on disk. */
export async function startDatabase(name: ClientName): Promise<RedisServer | PostgresServer> {
  const server = name === 'pg' ? await postgresServer() : await redisServer({ durable: true })
  await server.start()
  if (name === 'pg') await createPostgresTable(server.port)
  return server
}

/**
 * Connects with each library by the settings that the documentation recommends, and a short wait between two attempts.
 *
 * @param options.prefix of Redis keys
 */
export async function connect(name: ClientName, port: number, options: { prefix?: string } = {}): Promise<Connected> {
  const { isReady, ...connected } = CONNECT[name](port, options)
  const ready = async () => {
    while (!(await isReady())) await delay(5)
  }
  await ready()
  return { ...connected, ready }
}

interface Connecting extends Omit<Connected, 'ready'> {
  isReady(): unknown
}

const CONNECT: Readonly<Record<ClientName, (port: number, options: { prefix?: string }) => Connecting>> = {
  'node-redis'(port, options) {
    const client = createClient({
      socket: { port, host: '127.0.0.1', connectTimeout: 1000, socketTimeout: 2500, reconnectStrategy: () => 20 },
      pingInterval: 1000,
      disableOfflineQueue: true
    }).on('error', () => {})
    client.connect().catch(() => {})
    return { store: redisReplayStore(client, options), isReady: () => client.isReady, close: () => client.destroy() }
  },
  ioredis(port, options) {
    const client = new Redis(port, '127.0.0.1', {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 1000,
      socketTimeout: 2500,
      keepAlive: 1000,
      retryStrategy: () => 20
    }).on('error', () => {})
    const isReady = () => client.status === 'ready'
    return { store: redisReplayStore(client, options), isReady, close: () => client.disconnect() }
  },
  /** A pool connects with its first query: it is ready when that is answered. */
  pg(port) {
    const pool = postgresPool(port)
    const isReady = () => pool.query('SELECT 1').catch(() => undefined)
    return { store: postgresReplayStore(pool), isReady, close: () => void pool.end().catch(() => {}) }
  }
}

/** Creates the table of the store, by default the one that `connect` uses. */
export async function createPostgresTable(port: number, table?: string): Promise<void> {
  const pool = postgresPool(port)
  await pool.query(postgresReplayTable(table))
  await pool.end()
}

/** Makes a pool as superuser of a server that the tests started. */
export function postgresPool(port: number, max = 5): Pool {
  const pool = new Pool({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    database: 'postgres',
    max,
    connectionTimeoutMillis: 5000,
    query_timeout: 2500,
    keepAlive: true
  })
  return pool.on('error', () => {})
}

import { memoryReplayStore } from '../../src/replay/memory.ts'
import { postgresReplayStore, postgresReplayTable } from '../../src/replay/postgres.ts'
import { redisReplayStore } from '../../src/replay/redis.ts'
import type { ReplayStore } from '../../src/replay/store.ts'
import type { ReplaySetting } from './settings.ts'

export interface ConnectedStore {
  readonly store: ReplayStore | undefined
  close(): Promise<void>
}

/** Milliseconds. */
const CONNECT_TIMEOUT = 5000

/**
 * Connects to the store. If the connection is lost later, it is tried again and again, and claims fail meanwhile. The
 * client library is loaded only when it is needed.
 *
 * @throws (rejects with) Error of one line, without the URL, when the database cannot be reached
 */
export async function connectReplayStore(setting: ReplaySetting): Promise<ConnectedStore> {
  switch (setting.kind) {
    case 'none':
      return { store: undefined, close: async () => {} }
    case 'memory':
      return { store: memoryReplayStore(), close: async () => {} }
    case 'redis':
      return connectRedis(setting.url).catch(error => Promise.reject(unreachable('Redis', error)))
    case 'postgres':
      return connectPostgres(setting.url).catch(error => Promise.reject(unreachable('PostgreSQL', error)))
  }
}

async function connectRedis(url: string): Promise<ConnectedStore> {
  const { default: ioredis } = await import('ioredis')
  let isConnected = false
  const client = new ioredis.Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT,
    // A command fails while there is no connection: sent later, it would claim for a request that was refused.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => (isConnected ? 200 : null)
  })
  let failure: unknown
  client.on('error', error => {
    failure = error
  })
  try {
    await client.connect()
    await client.ping()
  } catch (error) {
    client.disconnect()
    // The client's own error says only that the connection was closed.
    throw failure ?? error
  }
  isConnected = true
  return { store: redisReplayStore(client), close: async () => client.disconnect() }
}

async function connectPostgres(url: string): Promise<ConnectedStore> {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT })
  pool.on('error', () => {})
  try {
    // The table may exist without the right to create one, or another process may just be creating it.
    await pool
      .query(postgresReplayTable())
      .catch(() => pool.query('SELECT FROM signed_requests_replay LIMIT 0'))
  } catch (error) {
    await pool.end()
    throw error
  }
  return { store: postgresReplayStore(pool), close: () => pool.end() }
}

function unreachable(database: string, error: unknown): Error {
  // Where a name has several addresses, the error has no message.
  const { code, message } = error as NodeJS.ErrnoException
  return new Error(`the replay store in ${database} cannot be used: ${message || code}`)
}

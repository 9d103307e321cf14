import type { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import { createClient } from 'redis'
import {
  postgresReplayStore,
  postgresReplayTable,
  type ReplayStore,
  redisReplayStore
} from '../../../src/replay/index.ts'

export interface Connected {
  store: ReplayStore
  /** Resolves when the client is connected (again). */
  ready(): Promise<void>
  close(): void
}

export type ClientName = 'node-redis' | 'ioredis' | 'pg'

/**
 * Each library with the settings that the documentation recommends, and a short wait between two attempts to connect.
 *
 * @param prefix of Redis keys
 */
export async function connect(name: ClientName, port: number, prefix?: string): Promise<Connected> {
  const options = prefix === undefined ? {} : { prefix }
  if (name === 'pg') return connectPostgres(port)
  if (name === 'ioredis') {
    const client = new Redis(port, '127.0.0.1', {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 1000,
      socketTimeout: 2500,
      keepAlive: 1000,
      retryStrategy: () => 20
    })
    client.on('error', () => {})
    const ready = () => untilReady(client, () => client.status)
    await ready()
    return { store: redisReplayStore(client, options), ready, close: () => client.disconnect() }
  }
  const client = createClient({
    socket: { port, host: '127.0.0.1', connectTimeout: 1000, socketTimeout: 2500, reconnectStrategy: () => 20 },
    pingInterval: 1000,
    disableOfflineQueue: true
  })
  client.on('error', () => {})
  const stateOf = () => (client.isReady ? 'ready' : client.isOpen ? 'open' : 'closed')
  const ready = () => untilReady(client, stateOf)
  await client.connect()
  return { store: redisReplayStore(client, options), ready, close: () => client.destroy() }
}

/** Resolves when the client says that it is ready. Rejects with its state when that takes half a minute. */
async function untilReady(client: EventEmitter, stateOf: () => string): Promise<void> {
  if (stateOf() === 'ready') return
  await new Promise<void>((resolve, reject) => {
    const late = () => reject(new Error(`the client is still ${stateOf()}`))
    const timer = setTimeout(late, 30_000)
    client.once('ready', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** A pool connects when it is asked something: ready when it answers. */
async function connectPostgres(port: number): Promise<Connected> {
  const pool = postgresPool(port)
  const ready = async () => {
    while (!(await pool.query('SELECT 1').catch(() => undefined)));
  }
  await ready()
  return { store: postgresReplayStore(pool), ready, close: () => void pool.end().catch(() => {}) }
}

/** Creates the table of the store, by default the one that `connect` uses. */
export async function createPostgresTable(port: number, table?: string): Promise<void> {
  const pool = postgresPool(port)
  await pool.query(postgresReplayTable(table))
  await pool.end()
}

/** `pg` throws on a damaged packet where nobody catches it: this ends the connection instead. */
class GuardedSocket extends Socket {
  override emit(event: string | symbol, ...values: unknown[]): boolean {
    try {
      return super.emit(event, ...values)
    } catch (error) {
      if (event !== 'data') throw error
      this.destroy(error as Error)
      return true
    }
  }
}

/** A pool as superuser of a server that the tests started. */
export function postgresPool(port: number, max = 5): Pool {
  const pool = new Pool({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    database: 'postgres',
    max,
    connectionTimeoutMillis: 5000,
    query_timeout: 2500,
    keepAlive: true,
    stream: () => new GuardedSocket()
  })
  pool.on('error', () => {})
  return pool
}

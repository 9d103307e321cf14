import { closeSync, openSync } from 'node:fs'
import type { ReplayStore } from 'signed-requests'
import * as stores from 'signed-requests/replay'
import { findInPostgres, findInRedis, postgresClock, redisClock } from './engine-findings.ts'
import type { DatabaseSetting, ReplaySetting } from './options/settings.ts'

/** Node.js 20 does not have it, and neither do its types. */
type Sqlite = { DatabaseSync: new (file: string) => stores.SqliteDatabase & { close(): void } }

/** A store, and what the gateway needs besides it. */
export type Connected = Readonly<{
  store: ReplayStore | undefined
  /** settings of the engine that would let a replay in, a line for each */
  findings: readonly string[]
  /** returns milliseconds since 1970 by the clock of the database, where that has one of its own */
  clock?: () => Promise<number | undefined>
  close(): Promise<void>
}>

/** A store that accepts every claim, so that Signed-Request-Id is there for the application to compare. */
export const NO_CLAIMS: ReplayStore = { claim: async () => true, release: async () => {} }

/** Milliseconds. A connection that is silent for this long is replaced, so the store is used again within 5 s. */
const CONNECT_TIMEOUT = 2000
const REPLY_TIMEOUT = 1500

/** The table is the gateway's alone: a library behind it may use the same database. */
const REDIS_PREFIX = 'signed-requests-gateway:'
const TABLE = 'signed_requests_gateway'

/**
 * Connects to the store. If the connection is lost later, connecting is tried again and again, and claims fail
 * meanwhile. The client library is loaded only when it is needed.
 *
 * @throws (rejects with) Error of one line, without the URL, when the database cannot be used
 */
export async function connectReplayStore(setting: ReplaySetting): Promise<Connected> {
  if (!('url' in setting))
    return {
      store: setting.kind === 'memory' ? stores.memoryReplayStore() : undefined,
      findings: [],
      close: async () => {}
    }
  const [database, connect] = DATABASES[setting.kind]
  const place = setting.kind === 'sqlite' ? setting.url : new URL(setting.url).host
  try {
    const { store, findings, clock, close } = await connect(setting.url, setting)
    const name = place === '' ? database : `${database} at ${place}`
    const named = findings.map(finding => `${name}: ${finding}`)
    return { store: { ...store!, name }, findings: named, ...(clock && { clock }), close }
  } catch (error) {
    // If a name has several addresses, the error has no message.
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(`the replay store in ${database} cannot be used: ${message || code}`)
  }
}

async function connectSqlite(file: string): Promise<Connected> {
  closeSync(openSync(file, 'a', 0o600)) // SQLite would let everybody read it
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite') as unknown as Sqlite
  const database = new DatabaseSync(file)
  const store = stores.sqliteReplayStore(database, { table: TABLE })
  await store.release('the start', 'of the gateway', 1) // a file that cannot be written is reported at once
  return { store, findings: [], close: async () => database.close() }
}

async function connectRedis(url: string, { replicas }: Pick<DatabaseSetting, 'replicas'>): Promise<Connected> {
  // With DEBUG=* the client prints its commands, and one of them has the password.
  delete process.env['DEBUG']
  const { Redis } = await import('ioredis')
  let isConnected = false
  // Without a connection a command fails at once: its request would not wait for it.
  const queue = { enableOfflineQueue: false, autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 }
  const timeouts = {
    connectTimeout: CONNECT_TIMEOUT,
    socketTimeout: REPLY_TIMEOUT,
    commandTimeout: REPLY_TIMEOUT
  }
  const retryStrategy = () => (isConnected ? 200 : null)
  // The address of a primary that has failed over may still lead to the old one, which is a replica now. Redis 6 puts
  // the code inside the error of a script.
  const reconnectOnError = ({ message }: Error) => message.includes('READONLY')
  const connection = { lazyConnect: true, keepAlive: 1000, retryStrategy, reconnectOnError }
  const client = new Redis(url, { ...queue, ...timeouts, ...connection })
  let failure: unknown
  client.on('error', error => {
    failure = error
  })
  // The client's own error says only that the connection was closed.
  const withReason = (error: unknown): never => {
    throw client.status === 'ready' ? error : (failure ?? error)
  }
  await client.connect().catch(withReason)
  isConnected = true
  failure = undefined
  const store = stores.redisReplayStore(client, { prefix: REDIS_PREFIX, replicas })
  const claim: ReplayStore['claim'] = (...call) => store.claim(...call).catch(withReason)
  const call = (command: string, ...args: string[]) => client.call(command, ...args)
  const findings = await findInRedis(call, Date.now, replicas)
  const clock = () => redisClock(call)
  return { store: { ...store, claim }, findings, clock, close: async () => client.disconnect() }
}

async function connectPostgres(url: string): Promise<Connected> {
  const { default: pg } = await import('pg')
  const timeouts = { connectionTimeoutMillis: CONNECT_TIMEOUT, query_timeout: REPLY_TIMEOUT }
  const alive = { keepAlive: true, keepAliveInitialDelayMillis: 1000 }
  const pool = new pg.Pool({ connectionString: url, ...timeouts, ...alive })
  pool.on('error', () => {})
  const create = pool.query(stores.postgresReplayTable(TABLE))
  // The table may exist without the right to create one, or another process may just be creating it.
  await create
    .catch(() => pool.query(`SELECT FROM ${TABLE} LIMIT 0`))
    .catch(error => {
      pool.end()
      throw error
    })
  const query = (sql: string) => pool.query(sql)
  const findings = await findInPostgres(query)
  const clock = () => postgresClock(query)
  return { store: stores.postgresReplayStore(pool, { table: TABLE }), findings, clock, close: () => pool.end() }
}

const DATABASES = {
  sqlite: ['SQLite', connectSqlite],
  redis: ['Redis', connectRedis],
  postgres: ['PostgreSQL', connectPostgres]
} as const

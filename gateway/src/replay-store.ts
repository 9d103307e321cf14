import { Socket } from 'node:net'
import type { ReplayStore } from 'signed-requests'
import {
  memoryReplayStore,
  postgresReplayStore,
  postgresReplayTable,
  redisReplayStore
} from 'signed-requests/replay'
import type { ReplaySetting } from './options.ts'

interface ConnectedStore {
  readonly store: ReplayStore | undefined
  close(): Promise<void>
}

/** Milliseconds. A connection that is silent for so long is replaced, so the store is used again within 5 s. */
const CONNECT_TIMEOUT = 2000
const REPLY_TIMEOUT = 1500

/** Of the gateway alone: a library behind it may use the same database. */
const REDIS_PREFIX = 'signed-requests-gateway:'
const POSTGRES_TABLE = 'signed_requests_gateway'

/**
 * Connects to the store. If the connection is lost later, it is tried again and again, and claims fail meanwhile. The
 * client library is loaded only when it is needed.
 *
 * @throws (rejects with) Error of one line, without the URL, when the database cannot be reached
 */
export async function connectReplayStore(setting: ReplaySetting): Promise<ConnectedStore> {
  if (!('url' in setting)) {
    return { store: setting.kind === 'memory' ? memoryReplayStore() : undefined, close: async () => {} }
  }
  const [database, connect] = DATABASES[setting.kind]
  try {
    const { store, close } = await connect(setting.url)
    const { host } = new URL(setting.url)
    return { store: store && { ...store, name: host === '' ? database : `${database} at ${host}` }, close }
  } catch (error) {
    // Where a name has several addresses, the error has no message.
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(`the replay store in ${database} cannot be used: ${message || code}`)
  }
}

async function connectRedis(url: string): Promise<ConnectedStore> {
  // With DEBUG=* the client prints its commands, and one of them has the password.
  delete process.env['DEBUG']
  const { Redis } = await import('ioredis')
  let isConnected = false
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT,
    socketTimeout: REPLY_TIMEOUT,
    commandTimeout: REPLY_TIMEOUT,
    keepAlive: 1000,
    // A command fails while there is no connection: sent later, it would claim for a request that was refused.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
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
  failure = undefined
  const store = redisReplayStore(client, { prefix: REDIS_PREFIX })
  return {
    store: {
      ...store,
      // A client that is not connected does not say why.
      claim: (...claimed) =>
        store.claim(...claimed).catch(error => {
          throw client.status === 'ready' ? error : (failure ?? error)
        })
    },
    close: async () => client.disconnect()
  }
}

async function connectPostgres(url: string): Promise<ConnectedStore> {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    query_timeout: REPLY_TIMEOUT,
    keepAlive: true,
    keepAliveInitialDelayMillis: 1000,
    stream: guardedSocket
  })
  pool.on('error', () => {})
  try {
    // The table may exist without the right to create one, or another process may just be creating it.
    await pool
      .query(postgresReplayTable(POSTGRES_TABLE))
      .catch(() => pool.query(`SELECT FROM ${POSTGRES_TABLE} LIMIT 0`))
  } catch (error) {
    await pool.end()
    throw error
  }
  return { store: postgresReplayStore(pool, { table: POSTGRES_TABLE }), close: () => pool.end() }
}

const DATABASES = { redis: ['Redis', connectRedis], postgres: ['PostgreSQL', connectPostgres] } as const

/**
 * The client throws on a packet that it cannot parse, where nobody can catch it, and reads an error or notice without
 * its last NUL forever: that ends the connection instead.
 */
export function guardedSocket(): Socket {
  const socket = new Socket()
  const emit = socket.emit.bind(socket) as (...args: unknown[]) => boolean
  let pending: Buffer = Buffer.alloc(0)
  socket.emit = (...args: unknown[]) => {
    try {
      if (args[0] === 'data') pending = withoutMessages(Buffer.concat([pending, args[1] as Buffer]))
      return emit(...args)
    } catch (error) {
      socket.destroy(error as Error)
      return true
    }
  }
  return socket
}

/** Bytes: a row of the store has a hundred. Otherwise a damaged length is waited for, and what comes is kept. */
const MAX_MESSAGE = 65_536

/** The beginning of the message that is not complete yet. Throws if one of those before it is broken. */
function withoutMessages(bytes: Buffer): Buffer {
  let rest = bytes
  while (rest.length >= 5) {
    const end = 1 + rest.readUInt32BE(1)
    if (end <= MAX_MESSAGE && rest.length < end) return rest
    const isSound = end <= MAX_MESSAGE && SOUND.test(rest.toString('latin1', 0, end))
    if (!isSound) throw new Error('a message of PostgreSQL is broken')
    rest = rest.subarray(end)
  }
  return rest
}

/** A type and a length of 4 bytes; errors (E) and notices (N) are fields that end with a NUL, and then another NUL. */
const SOUND = /^(?:[^EN].{4}|[EN].{4}(?:[^\0]+\0)*\0$)/s

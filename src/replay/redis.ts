import { ownOptions } from '../mistakes/own-options.ts'
import { claimToken } from './claim-token.ts'
import { assertId, assertTtl, type ReplayStore } from './store.ts'
import { storedId } from './stored-id.ts'

/** What `redisReplayStore` uses of a node-redis client: `createClient`, `createCluster`, a pool or a sentinel, v4 to v6. */
export interface NodeRedisClient {
  readonly isOpen: boolean
  /** resolves to `OK`, or to null when the key was there */
  set(key: string, value: string, options: { NX: true; PX: number }): Promise<unknown>
  /** runs a script */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

/** What `redisReplayStore` uses of an ioredis client: `Redis` or `Cluster`, v4 to v6. */
export interface IoredisClient {
  readonly status: string
  /** resolves to `OK`, or to null when the key was there */
  set(key: string, value: string, px: 'PX', milliseconds: number, nx: 'NX'): Promise<unknown>
  /** runs a script */
  eval(script: string, keyCount: number, key: string, argument: string): Promise<unknown>
}

/** Only a script compares and deletes in one step on every version of Redis, Valkey and KeyDB. */
const DELETE_OWN = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`

/**
 * A replay store in Redis, for a receiver of several processes. A claim is `SET key token PX ttl NX`, a release one
 * script that deletes the key if it still holds this store object's token: one key each, so any Redis Cluster will do.
 * Connecting, reconnecting and closing are the client's work.
 *
 * A claim that fails rejects with the client's error. Configure the client to fail while it is not connected, instead
 * of queueing commands: node-redis `disableOfflineQueue: true`; ioredis `enableOfflineQueue: false` and
 * `maxRetriesPerRequest: 0`.
 *
 * @param client a node-redis or ioredis client; yours to connect and to close
 * @param options.prefix put before every id to make its key, `signed-requests:` by default
 * @throws TypeError for any other object
 *
 * @example
 * const verify = createVerifier({ ...options, replayStore: redisReplayStore(client) })
 */
export function redisReplayStore(
  client: NodeRedisClient | IoredisClient,
  options: { prefix?: string } = {}
): ReplayStore {
  const { setIfNew, deleteIfOwn } = commandsOf(client)
  const { prefix = 'signed-requests:' } = ownOptions('redisReplayStore', options, ['prefix'])
  if (typeof prefix !== 'string') throw new TypeError('prefix must be a string')
  const token = claimToken()
  const keyOf = (id: string) => prefix + storedId(id)
  return {
    async claim(id, ttlSeconds) {
      assertId(id)
      assertTtl(ttlSeconds)
      const reply = await setIfNew(keyOf(id), token(), Math.ceil(ttlSeconds * 1000))
      if (reply === 'OK') return true
      if (reply === null) return false
      throw new Error(
        `Redis answered SET with neither OK nor nil but ${typeof reply}: the claim is not certain`
      )
    },
    async release(id) {
      assertId(id)
      await deleteIfOwn(keyOf(id), token())
    }
  }
}

interface Commands {
  setIfNew(key: string, token: string, ms: number): Promise<unknown>
  deleteIfOwn(key: string, token: string): Promise<unknown>
}

// Each library has a property the other lacks; pipelines, which queue commands, have neither. A stand-in with only the
// commands is called as node-redis is; one that runs no scripts can claim, but its releases reject.
function commandsOf(client: NodeRedisClient | IoredisClient): Commands {
  if (typeof client?.set === 'function' && ('eval' in client || 'del' in client)) {
    if ('status' in client && typeof client.status === 'string') {
      return {
        setIfNew: (key, token, ms) => client.set(key, token, 'PX', ms, 'NX'),
        deleteIfOwn: (key, token) => client.eval(DELETE_OWN, 1, key, token)
      }
    }
    const nodeRedis = client as NodeRedisClient
    if (
      typeof nodeRedis.isOpen === 'boolean' ||
      !('status' in client || 'isOpen' in client || 'exec' in client)
    ) {
      return {
        setIfNew: (key, token, ms) => nodeRedis.set(key, token, { NX: true, PX: ms }),
        deleteIfOwn: (key, token) => nodeRedis.eval(DELETE_OWN, { keys: [key], arguments: [token] })
      }
    }
  }
  throw new TypeError(
    'client must be a node-redis client (createClient or createCluster of "redis", version 4 or later) ' +
      'or an ioredis client (Redis or Cluster of "ioredis", version 4 or later)'
  )
}

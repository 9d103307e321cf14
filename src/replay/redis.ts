import { ownOptions } from '../options/own-options.ts'
import { assertId, assertTtl, type ReplayStore } from './store.ts'

/** What `redisReplayStore` uses of a node-redis client: `createClient`, `createCluster`, a pool or a sentinel, v4 to v6. */
export interface NodeRedisClient {
  readonly isOpen: boolean
  /** resolves to `OK`, or to null when the key was there */
  set(key: string, value: string, options: { NX: true; PX: number }): Promise<unknown>
  /** takes a key away */
  del(key: string): Promise<unknown>
}

/** What `redisReplayStore` uses of an ioredis client: `Redis` or `Cluster`, v4 to v6. */
export interface IoredisClient {
  readonly status: string
  /** resolves to `OK`, or to null when the key was there */
  set(key: string, value: string, px: 'PX', milliseconds: number, nx: 'NX'): Promise<unknown>
  /** takes a key away */
  del(key: string): Promise<unknown>
}

/**
 * A replay store in Redis, for a receiver of several processes. A claim is `SET key 1 PX ttl NX`, a release `DEL key`:
 * one key each, so any Redis Cluster will do. Connecting, reconnecting and closing stay with the client.
 *
 * A claim that fails rejects with the client's error. Configure the client to fail while it is not connected instead
 * of sending later what was asked meanwhile: node-redis `disableOfflineQueue: true`; ioredis
 * `enableOfflineQueue: false` and `maxRetriesPerRequest: 0`.
 *
 * @param client a node-redis or ioredis client; yours to connect and to close
 * @param options.prefix put before every id to make its key, `signed-requests:` by default
 * @throws TypeError for any other object
 */
export function redisReplayStore(
  client: NodeRedisClient | IoredisClient,
  options: { prefix?: string } = {}
): ReplayStore {
  const setIfNew = setIfNewWith(client)
  const { prefix = 'signed-requests:' } = ownOptions('redisReplayStore', options, ['prefix'])
  if (typeof prefix !== 'string') throw new TypeError('prefix must be a string')
  return {
    async claim(id, ttlSeconds) {
      assertId(id)
      assertTtl(ttlSeconds)
      const reply = await setIfNew(prefix + id, Math.ceil(ttlSeconds * 1000))
      if (reply === 'OK') return true
      if (reply === null) return false
      throw new Error(
        `Redis answered SET with neither OK nor nil but ${typeof reply}: the claim is not certain`
      )
    },
    async release(id) {
      assertId(id)
      await client.del(prefix + id)
    }
  }
}

// Each of the two libraries has a property that the other has not, and that neither's pipelines have: those queue a
// command instead of sending it. A stand-in with nothing but the commands is called as node-redis is.
function setIfNewWith(
  client: NodeRedisClient | IoredisClient
): (key: string, ms: number) => Promise<unknown> {
  if (typeof client?.set === 'function' && typeof client.del === 'function') {
    if ('status' in client && typeof client.status === 'string') {
      return (key, ms) => client.set(key, '1', 'PX', ms, 'NX')
    }
    if ('isOpen' in client && typeof client.isOpen === 'boolean') {
      return (key, ms) => client.set(key, '1', { NX: true, PX: ms })
    }
    if (!('status' in client || 'isOpen' in client || 'exec' in client)) {
      return (key, ms) => (client as NodeRedisClient).set(key, '1', { NX: true, PX: ms })
    }
  }
  throw new TypeError(
    'client must be a node-redis client (createClient or createCluster of "redis", version 4 or later) ' +
      'or an ioredis client (Redis or Cluster of "ioredis", version 4 or later)'
  )
}

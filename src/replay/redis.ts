import { ownOptions } from '../mistakes/own-options.ts'
import { sharedReplayStore } from './shared.ts'
import type { ReplayStore } from './store.ts'

/** What `redisReplayStore` uses of a node-redis client: `createClient`, `createCluster`, a pool or a sentinel, v4 to v6. */
export interface NodeRedisClient {
  readonly isOpen: boolean
  /** resolves to `OK`, or to null when the key was there */
  set(key: string, value: string, options: { NX: true; PX: number }): Promise<unknown>
  /** runs a script */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  /** opens it again after `destroy` */
  connect?(): Promise<unknown>
  /** ends the connection at once, in version 5 and later */
  destroy?(): unknown
  /** the same in version 4 */
  disconnect?(): unknown
}

/** What `redisReplayStore` uses of an ioredis client: `Redis` or `Cluster`, v4 to v6. */
export interface IoredisClient {
  readonly status: string
  /** resolves to `OK`, or to null when the key was there */
  set(key: string, value: string, px: 'PX', milliseconds: number, nx: 'NX'): Promise<unknown>
  /** runs a script */
  eval(script: string, keyCount: number, key: string, ...values: string[]): Promise<unknown>
  /** the connection; `Cluster` has several, and no such property */
  readonly stream?: { readonly writable: boolean }
  /** ends the connection; with true, a new one is opened */
  disconnect?(reconnect: boolean): void
}

// Each reply begins with what only its command has: a lost or damaged reply before it would let every later one pass for
// the reply to another command, and `OK` for one claim be taken for that of another. What else it says, it says twice.
const TAKE = `redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], 'NX') local held = redis.call('GET', KEYS[1]) return {ARGV[1], held, held}`

// Only a script compares and writes in one step on every version of Redis, Valkey and KeyDB. SETRANGE keeps the expiry.
const CONFIRM = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('SETRANGE', KEYS[1], 0, ARGV[2]) end
return {ARGV[1], 'done', 'done'}`
const FREE = `local held = redis.call('GET', KEYS[1])
local n = #ARGV[1]
if held and string.sub(held, 1, n) == ARGV[1] and string.sub(held, n + 1) < ARGV[2] then redis.call('DEL', KEYS[1]) end
return {ARGV[1] .. ARGV[2], 'done', 'done'}`

// For a stand-in with the two commands alone: its value is the store object, so a release frees what this object has claimed.
const FREE_OWN = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`
const ownerOf = (token: string): string => token.slice(0, 12)

/**
 * A replay store in Redis, for a receiver of several processes. A claim is a script of `SET key token PX ttl NX` and
 * `GET`, then one without waiting that confirms it; a release is one that deletes the key if it still holds a token of
 * this store object, from a claim before it: one key each, so any Redis Cluster will do. A late claim is withdrawn right behind it on the same
 * connection.
 *
 * Connecting, reconnecting and closing are the client's work, with one exception: when a reply belongs to another
 * command, no later reply on that connection can be trusted, and the client is told to reconnect.
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
  const { setIfNew, run, reconnect } = commandsOf(client)
  const { prefix = 'signed-requests:' } = ownOptions('redisReplayStore', options, ['prefix'])
  if (typeof prefix !== 'string') throw new TypeError('prefix must be a string')

  const runInStep = async (script: string, id: string, token: string, value: string, echo = token) => {
    const reply = await run(script, prefix + id, token, value).catch(failWithCode)
    if (Array.isArray(reply) && reply[0] === echo && typeof reply[1] === 'string' && reply[1] === reply[2])
      return reply[1]
    reconnect()
    throw new Error('Redis replied to another command: the claim is not certain')
  }
  return sharedReplayStore({
    name: 'Redis',
    inOrder: true,
    async take(id, token, ttlSeconds) {
      const milliseconds = Math.ceil(ttlSeconds * 1000)
      if (setIfNew === undefined) return runInStep(TAKE, id, token, `${milliseconds}`)
      const reply = await setIfNew(prefix + id, ownerOf(token), milliseconds)
      if (reply === 'OK') return token
      if (reply === null) return undefined
      throw new Error(
        `SET was answered with neither OK nor nil but ${typeof reply}: the claim is not certain`
      )
    },
    async confirm(id, token, confirmed) {
      if (setIfNew === undefined) await runInStep(CONFIRM, id, token, confirmed)
    },
    async free(id, start, end) {
      if (setIfNew === undefined) await runInStep(FREE, id, start, end, start + end)
      else await run(FREE_OWN, prefix + id, ownerOf(start))
    }
  })
}

/** Both libraries leave in the text what an error reply begins with: `OOM command not allowed`. */
function failWithCode(error: NodeJS.ErrnoException): never {
  const code = error?.code ?? /^[A-Z]{3,20}(?= )/.exec(String(error?.message))?.[0]
  throw code === undefined ? error : Object.assign(error, { code })
}

interface Commands {
  run(script: string, key: string, ...values: string[]): Promise<unknown>
  reconnect(): void
  /** of a stand-in that may run no scripts, as tests write it */
  setIfNew?: (key: string, token: string, ms: number) => Promise<unknown>
}

// Each library has a property the other lacks; pipelines, which queue commands, have neither. A stand-in with only the
// commands is called as node-redis is; one that runs no scripts can claim, but its releases reject.
function commandsOf(client: NodeRedisClient | IoredisClient): Commands {
  if (typeof client?.set === 'function' && ('eval' in client || 'del' in client)) {
    const isStandIn = !('sendCommand' in client)
    if ('status' in client && typeof client.status === 'string') {
      return {
        run: (script, key, ...values) => client.eval(script, 1, key, ...values),
        // Once: each call adds a listener to the connection, and every command in flight may ask for it.
        reconnect: () => void (client.stream?.writable !== false && client.disconnect?.(true)),
        ...(isStandIn && { setIfNew: (key, token, ms) => client.set(key, token, 'PX', ms, 'NX') })
      }
    }
    const nodeRedis = client as NodeRedisClient
    if (
      typeof nodeRedis.isOpen === 'boolean' ||
      !('status' in client || 'isOpen' in client || 'exec' in client)
    ) {
      return {
        run: (script, key, ...values) => nodeRedis.eval(script, { keys: [key], arguments: values }),
        reconnect: reconnecting(nodeRedis),
        ...(isStandIn && {
          setIfNew: (key, token, ms) => nodeRedis.set(key, token, { NX: true, PX: ms })
        })
      }
    }
  }
  throw new TypeError(
    'client must be a node-redis client (createClient or createCluster of "redis", version 4 or later) ' +
      'or an ioredis client (Redis or Cluster of "ioredis", version 4 or later)'
  )
}

/** node-redis has no call for it. Once at a time: every command in flight may ask for it. */
function reconnecting(client: NodeRedisClient): () => void {
  let isUnderWay = false
  return async () => {
    if (isUnderWay || !client.isOpen) return
    isUnderWay = true
    try {
      await (client.destroy ?? client.disconnect)?.call(client) // the latter is version 4
      await client.connect?.()
    } catch {
      // The client reports its errors itself.
    }
    isUnderWay = false
  }
}

import { randomUUID } from 'node:crypto'
import { ownOptions } from '../mistakes/mistakes.ts'
import { shareCalls } from '../promises.ts'
import { sharedReplayStore, storedId } from './shared.ts'
import { assertId, assertTtl, type ReplayStore } from './store.ts'

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
const TAKE = `redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], 'NX') local held = redis.call('GET', KEYS[1])
return {table.concat(ARGV), held, held}`

// Only a script compares and writes in one step on every version of Redis, Valkey and KeyDB. SETRANGE keeps the expiry.
const CONFIRM = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('SETRANGE', KEYS[1], 0, ARGV[2]) end
return {table.concat(ARGV), 'done', 'done'}`
const FREE = `local held = redis.call('GET', KEYS[1])
local n = #ARGV[1]
if held and string.sub(held, 1, n) == ARGV[1] and string.sub(held, n + 1) < ARGV[2] then redis.call('DEL', KEYS[1]) end
return {table.concat(ARGV), 'done', 'done'}`

// For a stand-in.
const FREE_OWN = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`

/**
 * A replay store in Redis, for a receiver of several processes. A claim is a script of `SET key token PX ttl NX` and
 * `GET`, then one without waiting that confirms it; a release is one that deletes the key if it still holds a token of
 * this store object, from a claim before it: one key each, so any Redis Cluster will do. A late claim is withdrawn right
 * behind it on the same connection.
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
  const commands = commandsOf(client)
  const { prefix = 'signed-requests:' } = ownOptions('redisReplayStore', options, ['prefix'])
  if (typeof prefix !== 'string') throw new TypeError('prefix must be a string')
  if (!('sendCommand' in client)) return standInStore(commands, prefix)

  const run = async (script: string, id: string, ...values: string[]) => {
    const reply = await commands.run(script, prefix + id, ...values).catch(failWithCode)
    const [echo, held, again] = Array.isArray(reply) ? reply : []
    if (echo === values.join('') && typeof held === 'string' && held === again) return held
    commands.reconnect()
    throw new Error('Redis replied to another command: the claim is not certain')
  }
  return sharedReplayStore({
    name: 'Redis',
    inOrder: true,
    take: (id, token, ttlSeconds) => run(TAKE, id, token, `${Math.ceil(ttlSeconds * 1000)}`),
    confirm: (id, token, confirmed) => run(CONFIRM, id, token, confirmed),
    free: (id, start, end) => run(FREE, id, start, end)
  })
}

/** Both libraries leave in the text what an error reply begins with: `OOM command not allowed`. */
function failWithCode(error: NodeJS.ErrnoException): never {
  const code = error?.code ?? /^[A-Z]{3,20}(?= )/.exec(String(error?.message))?.[0]
  throw code === undefined ? error : Object.assign(error, { code })
}

/** For a stand-in with `SET` and one script, as tests write it: its releases reject without that. */
function standInStore({ set, run }: Commands, prefix: string): ReplayStore {
  let owner = ''
  return {
    name: 'Redis',
    async claim(id, ttlSeconds) {
      assertId(id)
      assertTtl(ttlSeconds)
      owner ||= randomUUID()
      const reply = await set(prefix + storedId(id), owner, Math.ceil(ttlSeconds * 1000))
      if (reply === 'OK' || reply === null) return reply === 'OK'
      throw new Error('SET was answered with neither OK nor nil: the claim is not certain')
    },
    async release(id) {
      assertId(id)
      await run(FREE_OWN, prefix + storedId(id), owner)
    }
  }
}

type Commands = ReturnType<typeof nodeRedisCommands>

function commandsOf(client: NodeRedisClient | IoredisClient): Commands {
  const { set, status, isOpen } = Object(client)
  if (typeof set === 'function' && ('eval' in client || 'del' in client)) {
    if (typeof status === 'string') return ioredisCommands(client as IoredisClient)
    // A pipeline only queues commands. A stand-in with the commands alone is called as node-redis is.
    if (typeof isOpen === 'boolean' || !('exec' in client))
      return nodeRedisCommands(client as NodeRedisClient)
  }
  throw new TypeError(
    'client must be a node-redis client (createClient, createCluster) or an ioredis client (Redis, Cluster)'
  )
}

const ioredisCommands = (client: IoredisClient): Commands => ({
  run: (script, key, ...values) => client.eval(script, 1, key, ...values),
  set: (key, value, ms) => client.set(key, value, 'PX', ms, 'NX'),
  // Once: each call adds a listener to the connection, and every command in flight may ask for it.
  reconnect: () => client.stream?.writable !== false && client.disconnect?.(true)
})

function nodeRedisCommands(client: NodeRedisClient) {
  // It has no call for it. Once at a time: every command in flight may ask for it.
  const reopen = shareCalls(async () => {
    if (!client.isOpen) return
    await (client.destroy ?? client.disconnect)?.call(client) // the latter is version 4
    await client.connect?.()
  })
  return {
    run: (script: string, key: string, ...values: string[]) =>
      client.eval(script, { keys: [key], arguments: values }),
    set: (key: string, value: string, ms: number) => client.set(key, value, { NX: true, PX: ms }),
    // The client reports its errors itself.
    reconnect: (): unknown => reopen().catch(() => {})
  }
}

import { ownOptions } from '../core/mistakes.ts'
import { assertCall, type ReplayStore } from '../core/replay/store.ts'

/**
 * The part of a node-redis client that `redisReplayStore` uses: `createClient`, `createCluster`, a pool or a sentinel,
 * v4 to v6.
 */
export interface NodeRedisClient {
  readonly isOpen: boolean
  /** runs a script */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

/** The part of an ioredis client that `redisReplayStore` uses: `Redis` or `Cluster`, v4 to v6. */
export interface IoredisClient {
  readonly status: string
  /** runs a script */
  eval(script: string, keyCount: number, key: string, ...values: string[]): Promise<unknown>
}

// The value of a key is the token behind `held:` or `released:`. The reply is the token, or empty for false.
const CLAIM = `local value = redis.call('GET', KEYS[1])
if value == 'held:' .. ARGV[1] then return ARGV[1] end
if value and (value:sub(1, 5) == 'held:' or value == 'released:' .. ARGV[1]) then return '' end
redis.call('SET', KEYS[1], 'held:' .. ARGV[1], 'PX', ARGV[2])
return ARGV[1]`

const RELEASE = `local value = redis.call('GET', KEYS[1])
if not value or value:sub(1, 5) ~= 'held:' or value == 'held:' .. ARGV[1] then
  redis.call('SET', KEYS[1], 'released:' .. ARGV[1], 'PX', ARGV[2])
end
return ARGV[1]`

/**
 * Makes a replay store in Redis, for a receiver of several processes. Each call is one short script on one key, and one
 * round trip; Redis expires the keys. Connecting, reconnecting and closing are the client's work.
 *
 * A call that fails rejects with the client's error. Configure the client to fail while it is not connected, instead of
 * queueing commands: node-redis `disableOfflineQueue: true`; ioredis `enableOfflineQueue: false` and
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
  options: { prefix?: string | undefined } = {}
): ReplayStore {
  const { prefix = 'signed-requests:' } = ownOptions('redisReplayStore', options, ['prefix'])
  const evaluate = evalOf(client)
  if (typeof prefix !== 'string') throw new TypeError('prefix must be a string')

  const run = async (script: string, id: string, token: string, ttlSeconds: number): Promise<boolean> => {
    assertCall(id, token, ttlSeconds)
    const milliseconds = `${Math.ceil(ttlSeconds * 1000)}`
    const reply = await evaluate(script, prefix + id, token, milliseconds).catch(failWithCode)
    if (reply === token || reply === '') return reply === token
    throw new Error('Redis replied with neither the token nor nil: the result of the call is unknown')
  }
  return {
    name: 'Redis',
    claim: (id, token, ttlSeconds) => run(CLAIM, id, token, ttlSeconds),
    async release(id, token, ttlSeconds) {
      await run(RELEASE, id, token, ttlSeconds)
    }
  }
}

/**
 * Throws the error with a code. In both libraries only the text has the word that begins an error reply of the
 * protocol: `OOM command not allowed`.
 */
function failWithCode(error: NodeJS.ErrnoException): never {
  const code = error?.code ?? /^[A-Z]{3,20}(?= )/.exec(String(error?.message))?.[0]
  throw code === undefined ? error : Object.assign(error, { code })
}

type Evaluate = (script: string, key: string, ...values: string[]) => Promise<unknown>

function evalOf(client: NodeRedisClient | IoredisClient): Evaluate {
  const { eval: evaluate, exec, status, isOpen } = Object(client)
  // A pipeline or a transaction has `exec` and no state: it only queues commands.
  const isClient = typeof status === 'string' || typeof isOpen === 'boolean' || exec === undefined
  if (typeof evaluate !== 'function' || !isClient) {
    throw new TypeError(
      'client must be a node-redis client (createClient, createCluster) or an ioredis client (Redis, Cluster)'
    )
  }
  if (typeof status === 'string')
    return (script, key, ...values) => (client as IoredisClient).eval(script, 1, key, ...values)
  return (script, key, ...values) => (client as NodeRedisClient).eval(script, { keys: [key], arguments: values })
}

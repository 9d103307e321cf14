import { atCaller, mistake, validateCall } from '../core/mistakes.ts'
import { validateString } from '../core/options/values.ts'
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

// The value of a key is the token behind `held:` or `released:`. The reply is the token, or empty for false. A claim
// that a client sends twice is written again, so that WAIT behind it waits for the replicas.
const CLAIM = `local value = redis.call('GET', KEYS[1])
if value == 'held:' .. ARGV[1] then
  redis.call('SET', KEYS[1], value, 'KEEPTTL')
  return ARGV[1]
end
if value and (value:sub(1, 5) == 'held:' or value == 'released:' .. ARGV[1]) then return '' end
redis.call('SET', KEYS[1], 'held:' .. ARGV[1], 'PX', ARGV[2])
return ARGV[1]`

const RELEASE = `local value = redis.call('GET', KEYS[1])
if not value or value:sub(1, 5) ~= 'held:' or value == 'held:' .. ARGV[1] then
  redis.call('SET', KEYS[1], 'released:' .. ARGV[1], 'PX', ARGV[2])
end
return ARGV[1]`

/** Options of `redisReplayStore`; none is required. */
export interface RedisReplayStoreOptions {
  /** put before every id to make its key, `signed-requests:` by default */
  prefix?: string | undefined
  /** how many replicas must have a claim; none by default */
  replicas?: number | undefined
  /** milliseconds to wait for them, 500 by default: less than the verifier's `replayTimeout` */
  replicasTimeout?: number | undefined
}

/**
 * Makes a replay store in Redis, for a receiver of several processes. Each call is one short script on one key, and one
 * round trip; Redis expires the keys. Connecting, reconnecting and closing are the client's work.
 *
 * A call that fails rejects with the client's error. Configure the client to fail while it is not connected, instead of
 * queueing commands: node-redis `disableOfflineQueue: true`; ioredis `enableOfflineQueue: false` and
 * `maxRetriesPerRequest: 0`.
 *
 * With `replicas`, a claim is true only when that many replicas have it, too (`WAIT`), and rejects with the code
 * `NOREPLICAS` when fewer have it within `replicasTimeout`: a replica that is promoted then knows the id. The claim and
 * its `WAIT` go over one connection, which takes no other command meanwhile.
 *
 * @param client a node-redis or ioredis client; yours to connect and to close
 * @throws TypeError for any other object, and with `replicas` for a client that cannot send two commands over one
 *   connection
 *
 * @example
 * const verify = createVerifier({ ...options, replayStore: redisReplayStore(client) })
 */
export function redisReplayStore(
  client: NodeRedisClient | IoredisClient,
  options: RedisReplayStoreOptions = {}
): ReplayStore {
  const [evaluate, prefix, replicas, replicasTimeout] = validateCall(
    redisReplayStore,
    'redisReplayStore',
    options,
    OPTIONS,
    ({ prefix = 'signed-requests:', replicas, replicasTimeout = 500 }) => [
      () => evalOf(client),
      () => validateString(prefix, 'prefix', 'signed-requests:'),
      () => validateReplicas(replicas),
      () => validateReplicasTimeout(replicasTimeout)
    ]
  )
  const evaluateClaim =
    replicas === undefined
      ? evaluate
      : atCaller(redisReplayStore, () => evalWithWait(client, evaluate, replicas, replicasTimeout))

  const run = async (
    evaluate: Evaluate,
    script: string,
    id: string,
    token: string,
    ttlSeconds: number
  ): Promise<boolean> => {
    assertCall(id, token, ttlSeconds)
    const milliseconds = `${Math.ceil(ttlSeconds * 1000)}`
    const reply = await evaluate(script, prefix + id, token, milliseconds).catch(error => failWithCode(error, client))
    if (reply === token || reply === '') return reply === token
    throw new Error('Redis replied with neither the token nor nil: the result of the call is unknown')
  }
  return {
    name: 'Redis',
    claim: (id, token, ttlSeconds) => run(evaluateClaim, CLAIM, id, token, ttlSeconds),
    async release(id, token, ttlSeconds) {
      await run(evaluate, RELEASE, id, token, ttlSeconds)
    }
  }
}

const OPTIONS = ['prefix', 'replicas', 'replicasTimeout'] as const

function validateReplicas(replicas: unknown): number | undefined {
  if (replicas === undefined || isPositive(replicas)) return replicas
  throw mistake('replicas is', replicas, 'pass how many replicas must have a claim, such as 1, or leave it out')
}

function validateReplicasTimeout(timeout: unknown): number {
  if (isPositive(timeout)) return timeout
  throw mistake('replicasTimeout is', timeout, 'pass milliseconds, such as 500; 0 would wait forever')
}

const isPositive = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) < 2 ** 31

/**
 * Throws the error with a code. In both libraries only the text has the error code with which a reply of the protocol
 * begins: `OOM command not allowed`. Redis 6 puts that of a command in a script behind its own:
 * `ERR Error running script (...): @user_script:6: @user_script: 6: -READONLY You can't write`. A client that has no
 * connection says so by its own state.
 */
function failWithCode(error: NodeJS.ErrnoException, client: NodeRedisClient | IoredisClient): never {
  const code =
    error?.code ??
    /^(?:ERR Error running script [^-]*-)?([A-Z]{3,20}) /.exec(String(error?.message))?.[1] ??
    (isConnected(client) ? undefined : 'NOT_CONNECTED')
  throw code === undefined ? error : Object.assign(error, { code })
}

/** Clusters and pools of node-redis do not say whether they are ready. */
function isConnected(client: NodeRedisClient | IoredisClient): boolean {
  const { status, isReady, isOpen } = client as Partial<IoredisClient & NodeRedisClient & { isReady: boolean }>
  return status === undefined ? (isReady ?? isOpen) !== false : status === 'ready'
}

type Evaluate = (script: string, key: string, ...values: string[]) => Promise<unknown>

function evalOf(client: NodeRedisClient | IoredisClient): Evaluate {
  const { eval: evaluate, exec, status, isOpen } = Object(client)
  // A pipeline or a transaction has `exec` and no state: it only queues commands.
  const isClient = typeof status === 'string' || typeof isOpen === 'boolean' || exec === undefined
  if (typeof evaluate !== 'function' || !isClient) {
    const rule = 'pass a node-redis client (createClient, createCluster) or an ioredis client (Redis, Cluster)'
    throw mistake('client is', client, rule)
  }
  if (typeof status === 'string')
    return (script, key, ...values) => (client as IoredisClient).eval(script, 1, key, ...values)
  return (script, key, ...values) => (client as NodeRedisClient).eval(script, { keys: [key], arguments: values })
}

/** The part of a node-redis pipeline that is used. */
interface NodeRedisPipeline {
  eval(script: string, options: { keys: string[]; arguments: string[] }): NodeRedisPipeline
  wait(replicas: number, timeout: number): NodeRedisPipeline
  execAsPipeline(): Promise<unknown[]>
}

/** The part of an ioredis pipeline that is used. */
interface IoredisPipeline {
  eval(script: string, keyCount: number, key: string, ...values: string[]): IoredisPipeline
  wait(replicas: number, timeout: number): IoredisPipeline
  exec(): Promise<[error: Error | null, reply: unknown][] | null>
}

/**
 * Runs a script and WAIT behind it. WAIT knows only the writes of its own connection: on another one it would answer
 * for nothing. A pipeline of node-redis or ioredis is sent over one connection, in a Cluster that of the key's node.
 * When the connection is lost between the two replies, neither library sends the second command over a new one.
 */
function evalWithWait(
  client: NodeRedisClient | IoredisClient,
  evaluate: Evaluate,
  replicas: number,
  timeout: number
): Evaluate {
  const sendBoth = pipelineOf(client, replicas, timeout)
  return async (script, key, ...values) => {
    const [reply, acknowledged] = await sendBoth(script, key, ...values).catch(async (error: unknown) => {
      if (!isMoved(error)) throw error
      // A pipeline does not follow a slot to its new node, and a single command does.
      await evaluate(script, key, ...values)
      return sendBoth(script, key, ...values)
    })
    if (reply === '' || acknowledged >= replicas) return reply
    throw Object.assign(new Error(`${acknowledged} of ${replicas} replicas have the claim`), { code: 'NOREPLICAS' })
  }
}

type EvaluateAndWait = (
  script: string,
  key: string,
  ...values: string[]
) => Promise<[reply: unknown, acknowledged: number]>

function pipelineOf(client: NodeRedisClient | IoredisClient, replicas: number, timeout: number): EvaluateAndWait {
  const { pipeline, multi } = client as { pipeline?: () => IoredisPipeline; multi?: () => NodeRedisPipeline }
  if ('status' in client && typeof pipeline === 'function')
    return async (script, key, ...values) => {
      const sent = pipeline
        .call(client)
        .eval(script, 1, key, ...values)
        .wait(replicas, timeout)
      const [claimed, waited] = (await sent.exec()) ?? []
      if (claimed === undefined || waited === undefined) throw new Error('the pipeline was not sent')
      for (const [error] of [claimed, waited]) if (error) throw error
      return [claimed[1], Number(waited[1])]
    }
  const isPipeline = (it: Partial<NodeRedisPipeline>) => it.wait !== undefined && it.execAsPipeline !== undefined
  if (!('status' in client) && typeof multi === 'function' && isPipeline(multi.call(client)))
    return async (script, key, ...values) => {
      const sent = multi
        .call(client)
        .eval(script, { keys: [key], arguments: values })
        .wait(replicas, timeout)
      const [reply, acknowledged] = await sent.execAsPipeline()
      return [reply, Number(acknowledged)]
    }
  throw mistake(
    'client is',
    client,
    'replicas needs a client, pool, sentinel or Cluster of node-redis 5 or later, or of ioredis',
    () => 'one that cannot send two commands over one connection'
  )
}

const isMoved = (error: unknown): boolean => /^(?:MOVED|ASK) /.test(String((error as Error | undefined)?.message))

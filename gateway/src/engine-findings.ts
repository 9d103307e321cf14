/** Runs one command of Redis: of ioredis, `call`. */
type RedisCall = (command: string, ...args: string[]) => Promise<unknown>

/** Runs one query of PostgreSQL without parameters. */
type PostgresQuery = (sql: string) => Promise<{ rows: Record<string, unknown>[] }>

/** Seconds that the clock of a database may be off: an id that expires too early lets a replay in. */
const MAX_CLOCK_OFFSET = 5

/** The oldest Redis that the store is tested with. */
const MIN_REDIS = 6

/**
 * Finds the settings of Redis that would let a replay in, each with its fix, and too few replicas for a claim. A user
 * without the right to look has no finding.
 */
export async function findInRedis(call: RedisCall, now = Date.now, replicas = 0): Promise<string[]> {
  const info = parseInfo(await orNothing(call('INFO')))
  const [policy = info['maxmemory_policy'], save, minReplicas] = [
    await setting(call, 'maxmemory-policy'),
    await setting(call, 'save'),
    await setting(call, 'min-replicas-to-write')
  ]
  const [major] = (info['redis_version'] ?? '').split('.')
  const isLosing = info['aof_enabled'] === '0' && save === ''
  const connected = info['role'] === 'master' ? Number(info['connected_slaves']) : Number.NaN
  const isCutOff = connected > 0 && minReplicas === '0'
  return [
    ...(policy !== undefined && policy !== 'noeviction'
      ? [`maxmemory-policy is ${policy}, so claims may be evicted: set it to noeviction`]
      : []),
    ...(isLosing ? ['nothing is persisted, so a restart forgets every claim: set appendonly yes'] : []),
    ...(isCutOff
      ? [
          'min-replicas-to-write is 0, so a primary that is cut off still grants claims: ' +
            'set it to 1, and min-replicas-max-lag to 2'
        ]
      : []),
    ...(connected < replicas
      ? [`it has ${connected} of the ${replicas} replicas of --redis-replicas, so good requests get 503: connect more`]
      : []),
    ...(major !== undefined && major !== '' && Number(major) < MIN_REDIS
      ? [`Redis is ${info['redis_version']}: update it to ${MIN_REDIS} or later`]
      : []),
    ...clockFinding(await redisClock(call), now())
  ].map(printable)
}

/**
 * Finds the settings of PostgreSQL that would let a replay in, each with its fix. A user without the right to look has
 * no finding.
 */
export async function findInPostgres(query: PostgresQuery, now = Date.now): Promise<string[]> {
  const commit = await firstValue(query('SHOW synchronous_commit'))
  const standby = await firstValue(
    query("SELECT application_name FROM pg_stat_replication WHERE sync_state = 'async' AND state = 'streaming' LIMIT 1")
  )
  return [
    ...(commit === 'off'
      ? ['synchronous_commit is off, so a crash loses the last claims: set it to on, for this role at least']
      : []),
    ...(standby === undefined
      ? []
      : [
          `the standby ${standby} is asynchronous, so a failover loses the last claims: ` +
            'name it in synchronous_standby_names'
        ]),
    ...clockFinding(await postgresClock(query), now())
  ].map(printable)
}

function clockFinding(theirs: number | undefined, ours: number): string[] {
  if (theirs === undefined || !Number.isFinite(theirs)) return []
  const seconds = Math.round((theirs - ours) / 1000)
  if (Math.abs(seconds) <= MAX_CLOCK_OFFSET) return []
  const direction = seconds > 0 ? 'ahead of' : 'behind'
  return [`its clock is ${Math.abs(seconds)} s ${direction} that of this machine: run NTP on both`]
}

/** Returns milliseconds since 1970 by the clock of the database; undefined where it does not say. */
export async function postgresClock(query: PostgresQuery): Promise<number | undefined> {
  const seconds = await firstValue(query('SELECT extract(epoch FROM clock_timestamp())'))
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

/** Returns milliseconds since 1970 by the clock of Redis, in whole seconds; undefined where it does not say. */
export async function redisClock(call: RedisCall): Promise<number | undefined> {
  const time = await orNothing(call('TIME'))
  return Array.isArray(time) ? Number(time[0]) * 1000 : undefined
}

/** Returns a setting; undefined where the user may not look, as at most managed services. */
async function setting(call: RedisCall, name: string): Promise<string | undefined> {
  const reply = await orNothing(call('CONFIG', 'GET', name))
  return Array.isArray(reply) && typeof reply[1] === 'string' ? reply[1] : undefined
}

/** Parses the reply to INFO: lines of `name:value`. */
function parseInfo(reply: unknown): Readonly<Record<string, string | undefined>> {
  const lines = typeof reply === 'string' ? reply.split(/\r?\n/) : []
  return Object.fromEntries(lines.map(line => line.split(/:(.*)/s, 2)).filter(pair => pair.length === 2))
}

async function firstValue(result: ReturnType<PostgresQuery>): Promise<string | undefined> {
  const reply = await orNothing(result)
  const [value] = Object.values(reply?.rows[0] ?? {})
  return value === undefined || value === null ? undefined : String(value)
}

const orNothing = <T>(reply: Promise<T>): Promise<T | undefined> => reply.catch(() => undefined)

const printable = (text: string): string => text.replace(/[^ -~]/g, '?')

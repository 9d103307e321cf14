import { connect, createServer } from 'node:net'
import type { Pool } from 'pg'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type PostgresClient, postgresReplayStore, postgresReplayTable } from '../../../src/replay/index.ts'
import { listen } from '../../support/listen.ts'
import { postgresPool } from '../../unit/core/replay/store-clients.ts'
import { withFreshTokens } from '../../unit/replay/fresh-tokens.ts'
import { type PostgresServer, postgresServer } from '../../unit/replay/postgres-server.ts'

const storeIn = (client: PostgresClient, options?: { table?: string }) =>
  withFreshTokens(postgresReplayStore(client, options))

/** Makes a pool that ends with the test, optionally for another user or with other session settings. */
function poolOf({ port }: PostgresServer, options: { max?: number; user?: string; options?: string } = {}): Pool {
  const pool = postgresPool(port, options.max)
  Object.assign(pool.options, options)
  onTestFinished(() => pool.end())
  return pool
}

describe('postgresReplayStore', () => {
  let server: PostgresServer
  let pool: Pool
  beforeAll(async () => {
    server = await postgresServer()
    await server.start()
    pool = postgresPool(server.port, 20)
    await pool.query(postgresReplayTable())
    return async () => {
      await pool.end()
      await server.remove()
    }
  })
  beforeEach(() => pool.query('TRUNCATE signed_requests_replay'))

  const count = async () => Number((await pool.query('SELECT count(*) FROM signed_requests_replay')).rows[0].count)
  /** Inserts rows `row 1` to `row n` that expire after this interval; every other one is a release. */
  const insert = (n: number, interval: string) =>
    pool.query(
      `INSERT INTO signed_requests_replay
       SELECT 'row ' || n, 'token', n % 2 = 0, clock_timestamp() + $2::interval FROM generate_series(1, $1) n`,
      [n, interval]
    )
  const connected = async () => {
    const client = await pool.connect()
    onTestFinished(() => client.release())
    return client
  }

  test('is created by statements that can run again, also in a schema', async () => {
    await pool.query(postgresReplayTable())
    await pool.query('CREATE SCHEMA "Audit"')
    for (let n = 0; n < 2; n++) await pool.query(postgresReplayTable('Audit.select'))
    const store = storeIn(pool, { table: 'Audit.select' })
    expect(await store.claim('a', 60)).toBe(true)
    expect(await store.claim('a', 60)).toBe(false)
    await store.release('a')
    expect(await store.claim('a', 60)).toBe(true)
    expect(await count()).toBe(0)
  })

  test('removes a few expired rows with each claim, none with a refused one, and no other', async () => {
    const store = storeIn(pool)
    await store.claim('held', 60)
    await insert(10, '-1 second')
    expect(await store.claim('a', 60)).toBe(true)
    expect(await count()).toBe(12 - 4)
    expect(await store.claim('held', 60)).toBe(false)
    expect(await count()).toBe(12 - 4)
    for (const id of ['b', 'c', 'd']) expect(await store.claim(id, 60)).toBe(true)
    expect(await count()).toBe(5)
    expect(await store.claim('held', 60)).toBe(false)
  })

  test('neither deadlocks nor grants an id twice while many claims of expired ids remove rows', async () => {
    const stores = [storeIn(pool), storeIn(pool)]
    const ids = Array.from({ length: 40 }, (_, n) => `row ${n + 1}`)
    for (let round = 0; round < 10; round++) {
      await pool.query('TRUNCATE signed_requests_replay')
      await insert(40, '-1 second')
      const order = [...ids, ...[...ids].reverse(), ...ids]
      const claims = await Promise.all(order.map((id, n) => stores[n % 2]!.claim(id, 60)))
      const won = order.filter((_, n) => claims[n])
      expect(won.sort()).toEqual([...ids].sort())
    }
  })

  test('a claim does not wait for expired rows that another session holds, and leaves them', async () => {
    await insert(4, '-1 second')
    const client = await connected()
    await client.query('BEGIN')
    await client.query('SELECT FROM signed_requests_replay FOR UPDATE')
    expect(await storeIn(poolOf(server, { options: '-c lock_timeout=2s' })).claim('a', 60)).toBe(true)
    await client.query('ROLLBACK')
    expect(await count()).toBe(5)
  })

  test.each([
    ['ROLLBACK', 'grants', true],
    ['COMMIT', 'refuses', false]
  ])('waits for a claim in an open transaction, and after its %s %s the id', async (end, _, isGranted) => {
    const client = await connected()
    await client.query('BEGIN')
    expect(await storeIn(client).claim('t', 60)).toBe(true)
    const waiting = storeIn(pool).claim('t', 60)
    const locks = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    while ((await pool.query(locks)).rows.length === 0);
    await client.query(end)
    expect(await waiting).toBe(isGranted)
  })

  test('counts the time to live from the current time, not from the start of a transaction', async () => {
    const client = await connected()
    const store = storeIn(client)
    await client.query('BEGIN')
    await client.query('SELECT pg_sleep(0.3)')
    expect(await store.claim('v', 0.2)).toBe(true)
    expect(await store.claim('v', 60)).toBe(false) // it began 0.3 s ago: now() would make the id free
    await client.query('SELECT pg_sleep(0.3)')
    expect(await store.claim('v', 60)).toBe(true)
    await client.query('COMMIT')
  })

  test.each(['repeatable read', 'serializable'])('lets one of many in under %s too', async level => {
    const strict = poolOf(server, { max: 10, options: `-c default_transaction_isolation=${level.replace(' ', '\\ ')}` })
    expect((await strict.query('SHOW transaction_isolation')).rows).toEqual([{ transaction_isolation: level }])
    const store = storeIn(strict)
    const claims = await Promise.allSettled(Array.from({ length: 50 }, () => store.claim('w', 60)))
    expect(claims.filter(claim => claim.status === 'fulfilled' && claim.value)).toHaveLength(1)
  })

  test('rejects when there is no table, no permission or no connection left, and claims nothing', async () => {
    await expect(storeIn(pool, { table: 'absent' }).claim('x', 60)).rejects.toThrow('does not exist')
    await pool.query('CREATE ROLE reader LOGIN')
    await pool.query('GRANT SELECT ON signed_requests_replay TO reader')
    const claimAsReader = () => storeIn(poolOf(server, { user: 'reader' })).claim('x', 60)
    await expect(claimAsReader()).rejects.toThrow('permission denied')
    await pool.query('ALTER ROLE reader CONNECTION LIMIT 0')
    await expect(claimAsReader()).rejects.toThrow('too many connections')
    expect(await count()).toBe(0)
  })

  test('uses the index for what it removes, however many rows are held', async () => {
    await insert(20_000, '1 hour')
    await pool.query('ANALYZE signed_requests_replay')
    const explained: unknown[] = []
    const explain = async (text: string, values: unknown[]) => {
      explained.push(...(await pool.query(`EXPLAIN ${text}`, values)).rows)
      return { rows: [] }
    }
    await postgresReplayStore({ query: explain }).claim('a', 'token', 60)
    expect(JSON.stringify(explained)).toContain('Index Scan using signed_requests_replay_expires_at')
  })
})

describe('a Postgres that is not available', () => {
  const start = async () => {
    const server = await postgresServer()
    onTestFinished(server.remove)
    await server.start()
    const pool = poolOf(server)
    await pool.query(postgresReplayTable())
    return { server, store: storeIn(pool) }
  }

  test('makes a claim reject in recovery, on a read-only standby', async () => {
    const { server, store } = await start()
    expect(await store.claim('a', 60)).toBe(true)
    await server.kill()
    server.makeStandby()
    await server.start()
    for (const call of [() => store.claim('a', 60), () => store.claim('b', 60), () => store.release('a')])
      await expect(call()).rejects.toThrow('read-only transaction')
  })

  test('makes a claim reject when every connection is in use, and grants it when one is free', async () => {
    const { server } = await start()
    await server.kill()
    server.configure('max_connections = 5\nsuperuser_reserved_connections = 0\nmax_wal_senders = 0')
    await server.start()
    const greedy = poolOf(server)
    const clients = await Promise.all(Array.from({ length: 5 }, () => greedy.connect()))
    const late = storeIn(poolOf(server))
    await expect(late.claim('a', 60)).rejects.toThrow(/too many clients|connection slots/)
    for (const client of clients) client.release(true)
    let claimed: boolean | undefined
    while (claimed === undefined) claimed = await late.claim('a', 60).catch(() => undefined)
    expect(claimed).toBe(true)
  })

  test('never reports a claim as granted when its answer was lost, although it was committed', async () => {
    const { server, store } = await start()
    let losesAnswers = false
    const proxy = createServer(client => {
      const upstream = connect(server.port, '127.0.0.1')
      for (const socket of [client, upstream]) socket.on('error', () => {})
      client.pipe(upstream)
      upstream.on('data', answer => (losesAnswers ? client.destroy() : client.write(answer)))
      upstream.on('close', () => client.destroy())
      client.on('close', () => upstream.destroy())
    })
    const pool = postgresPool(await listen(proxy))
    onTestFinished(async () => {
      await pool.end()
      proxy.close()
    })
    await pool.query('SELECT 1') // connected
    losesAnswers = true
    await expect(storeIn(pool).claim('a', 60)).rejects.toThrow('terminated')
    expect(await store.claim('a', 60)).toBe(false)
  })
})

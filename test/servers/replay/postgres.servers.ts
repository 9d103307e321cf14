import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type PostgresClient, postgresReplayStore, postgresReplayTable } from '../../../src/replay/index.ts'
import { replayStoreContract } from '../../../src/testing/index.ts'
import { withFreshTokens } from '../../unit/replay/fresh-tokens.ts'
import { type PostgresServer, postgresServer } from '../../unit/replay/postgres-server.ts'
import { postgresPool } from '../../unit/replay/store-clients.ts'

const storeIn = (client: PostgresClient, options?: { table?: string }) =>
  withFreshTokens(postgresReplayStore(client, options))

describe('postgresReplayStore', () => {
  let server: PostgresServer
  let pool: Pool
  beforeAll(async () => {
    server = await postgresServer()
    await server.start()
    pool = postgresPool(server.port, 20)
    await pool.query(postgresReplayTable())
  })
  afterAll(async () => {
    await pool?.end()
    await server?.remove()
  })
  beforeEach(() => pool.query('TRUNCATE signed_requests_replay'))

  const count = async () => Number((await pool.query('SELECT count(*) FROM signed_requests_replay')).rows[0].count)
  const expired = (n: number) =>
    pool.query(
      `INSERT INTO signed_requests_replay
       SELECT 'old ' || n, 'token', false, clock_timestamp() - interval '1 second' FROM generate_series(1, $1) n`,
      [n]
    )

  describe('keeps the contract of a store', () => {
    const makeUnreachable = async () => {
      const ended = postgresPool(server.port)
      await ended.end()
      return postgresReplayStore(ended)
    }
    const cases = replayStoreContract(() => postgresReplayStore(pool), { makeUnreachable })
    for (const { name, run } of cases) test(name, run)
  })

  test('is created by statements that can run again, also in a schema', async () => {
    await pool.query(postgresReplayTable())
    await pool.query('CREATE SCHEMA "Audit"')
    await pool.query(postgresReplayTable('Audit.select'))
    await pool.query(postgresReplayTable('Audit.select'))
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
    await expired(10)
    expect(await store.claim('a', 60)).toBe(true)
    expect(await count()).toBe(12 - 4)
    expect(await store.claim('held', 60)).toBe(false)
    expect(await count()).toBe(12 - 4)
    for (const id of ['b', 'c', 'd']) expect(await store.claim(id, 60)).toBe(true)
    expect(await count()).toBe(5)
    expect(await store.claim('held', 60)).toBe(false)
  })

  test('takes over an expired row that nobody removed', async () => {
    const store = storeIn(pool)
    await expired(20)
    expect(await store.claim('old 20', 60)).toBe(true)
    expect(await store.claim('old 20', 60)).toBe(false)
  })

  test('neither deadlocks nor grants an id twice while many claims of expired ids remove rows', async () => {
    const stores = [storeIn(pool), storeIn(pool)]
    const ids = Array.from({ length: 40 }, (_, n) => `expired-${n}`)
    for (let round = 0; round < 10; round++) {
      await pool.query('TRUNCATE signed_requests_replay')
      await pool.query(
        `INSERT INTO signed_requests_replay
         SELECT 'expired-' || n, 'token', n % 2 = 0, clock_timestamp() - interval '1 second' FROM generate_series(0, 39) n`
      )
      const order = [...ids, ...[...ids].reverse(), ...ids]
      const claims = await Promise.all(order.map((id, n) => stores[n % 2]!.claim(id, 60)))
      const won = order.filter((_, n) => claims[n])
      expect(won.sort()).toEqual([...ids].sort())
    }
  })

  test('waits for a claim in an open transaction, and grants the id when that is rolled back', async () => {
    const client = await pool.connect()
    onTestFinished(() => client.release())
    await client.query('BEGIN')
    expect(await storeIn(client).claim('t', 60)).toBe(true)
    const waiting = storeIn(pool).claim('t', 60)
    await untilWaiting(pool)
    await client.query('ROLLBACK')
    expect(await waiting).toBe(true)
  })

  test('refuses an id whose claim, in a transaction, commits while it waits', async () => {
    const client = await pool.connect()
    onTestFinished(() => client.release())
    await client.query('BEGIN')
    expect(await storeIn(client).claim('u', 60)).toBe(true)
    const waiting = storeIn(pool).claim('u', 60)
    await untilWaiting(pool)
    await client.query('COMMIT')
    expect(await waiting).toBe(false)
  })

  test('counts the time to live from the current time, not from the start of a transaction', async () => {
    const client = await pool.connect()
    onTestFinished(() => client.release())
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
    const strict = postgresPool(server.port, 10)
    onTestFinished(() => strict.end())
    strict.options.options = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`
    const { rows } = await strict.query('SHOW transaction_isolation')
    expect(rows).toEqual([{ transaction_isolation: level }])
    const store = storeIn(strict)
    const claims = await Promise.allSettled(Array.from({ length: 50 }, () => store.claim('w', 60)))
    expect(claims.filter(claim => claim.status === 'fulfilled' && claim.value)).toHaveLength(1)
  })

  test('rejects when there is no table, no permission or no connection left, and claims nothing', async () => {
    await expect(storeIn(pool, { table: 'absent' }).claim('x', 60)).rejects.toThrow('does not exist')
    await pool.query('CREATE ROLE reader LOGIN')
    await pool.query('GRANT SELECT ON signed_requests_replay TO reader')
    const reader = postgresPool(server.port)
    onTestFinished(() => reader.end())
    reader.options.user = 'reader'
    await expect(storeIn(reader).claim('x', 60)).rejects.toThrow('permission denied')
    await pool.query('ALTER ROLE reader CONNECTION LIMIT 0')
    const another = postgresPool(server.port)
    onTestFinished(() => another.end())
    another.options.user = 'reader'
    await expect(storeIn(another).claim('x', 60)).rejects.toThrow('too many connections')
    expect(await count()).toBe(0)
  })

  test('uses the index for what it removes, however many rows are held', async () => {
    await pool.query(
      `INSERT INTO signed_requests_replay
       SELECT 'held ' || n, 'token', false, clock_timestamp() + interval '1 hour' FROM generate_series(1, 20000) n`
    )
    await pool.query('ANALYZE signed_requests_replay')
    const plan = await pool.query(
      `EXPLAIN SELECT id FROM signed_requests_replay
       WHERE expires_at <= statement_timestamp() AND id <> 'a' ORDER BY expires_at LIMIT 4 FOR UPDATE SKIP LOCKED`
    )
    expect(JSON.stringify(plan.rows)).toContain('Index Scan using signed_requests_replay_expires_at')
  })
})

describe('a Postgres that is not available', () => {
  const start = async () => {
    const server = await postgresServer()
    onTestFinished(() => server.remove())
    await server.start()
    const pool = postgresPool(server.port)
    onTestFinished(() => pool.end())
    await pool.query(postgresReplayTable())
    return { server, pool, store: storeIn(pool) }
  }

  test('makes a claim reject in recovery, on a read-only standby', async () => {
    const { server, store } = await start()
    expect(await store.claim('a', 60)).toBe(true)
    await server.kill()
    server.makeStandby()
    await server.start()
    await expect(store.claim('a', 60)).rejects.toThrow('read-only transaction')
    await expect(store.claim('b', 60)).rejects.toThrow('read-only transaction')
    await expect(store.release('a')).rejects.toThrow('read-only transaction')
  })

  test('makes a claim reject when every connection is in use, and grants it when one is free', async () => {
    const { server } = await start()
    await server.kill()
    server.configure('max_connections = 5\nsuperuser_reserved_connections = 0\nmax_wal_senders = 0')
    await server.start()
    const greedy = postgresPool(server.port, 5)
    onTestFinished(() => greedy.end())
    const clients = await Promise.all(Array.from({ length: 5 }, () => greedy.connect()))
    const late = postgresPool(server.port)
    onTestFinished(() => late.end())
    const lateStore = storeIn(late)
    await expect(lateStore.claim('a', 60)).rejects.toThrow(/too many clients|connection slots/)
    for (const client of clients) client.release(true)
    let claimed: boolean | undefined
    while (claimed === undefined) claimed = await lateStore.claim('a', 60).catch(() => undefined)
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
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void proxy.close())
    const pool = postgresPool((proxy.address() as AddressInfo).port)
    onTestFinished(() => pool.end())
    await pool.query('SELECT 1') // connected
    losesAnswers = true
    await expect(storeIn(pool).claim('a', 60)).rejects.toThrow('terminated')
    expect(await store.claim('a', 60)).toBe(false)
  })
})

/** Until a statement waits for a lock. */
async function untilWaiting(pool: Pool): Promise<void> {
  for (;;) {
    const { rows } = await pool.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
    if (rows.length > 0) return
  }
}

import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { postgresReplayStore, postgresReplayTable } from '../../../src/replay/index.ts'
import { differingOrders } from '../../unit/replay/orders.ts'
import { postgresServer } from '../../unit/replay/postgres-server.ts'
import { redisServer } from '../../unit/replay/redis-server.ts'
import { connect, postgresPool } from '../../unit/replay/store-clients.ts'

test.each(['node-redis', 'ioredis'] as const)('Redis does what the table says, in every order, with %s', async name => {
  const server = await redisServer()
  onTestFinished(server.remove)
  await server.start()
  const inspector = new Redis(server.port, '127.0.0.1')
  onTestFinished(() => inspector.disconnect())
  const { store, close } = await connect(name, server.port)
  onTestFinished(close)
  const expire = async (ids: readonly string[]) => {
    if (ids.length > 0) await inspector.del(...ids.map(id => `signed-requests:${id}`))
  }
  expect(await differingOrders(store, expire)).toEqual([])
})

test('PostgreSQL does what the table says, in every order', { timeout: 600_000 }, async () => {
  const server = await postgresServer()
  onTestFinished(server.remove)
  await server.start()
  const pool = postgresPool(server.port, 10)
  onTestFinished(() => pool.end())
  await pool.query(postgresReplayTable())
  const expire = async (ids: readonly string[]) =>
    void (await pool.query(`UPDATE signed_requests_replay SET expires_at = clock_timestamp() WHERE id = ANY ($1)`, [
      ids
    ]))
  expect(await differingOrders(postgresReplayStore(pool), expire)).toEqual([])
})

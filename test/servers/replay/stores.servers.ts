import { Redis } from 'ioredis'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { replayStoreContract } from '../../../src/testing/index.ts'
import { CLIENTS, type Connected, connect, postgresPool, startDatabase } from '../../unit/core/replay/store-clients.ts'
import { differingOrders } from '../../unit/replay/orders.ts'

/** Makes ids expire, as their time would. */
const EXPIRE: Record<'redis' | 'pg', (port: number) => (ids: readonly string[]) => Promise<unknown>> = {
  redis(port) {
    const inspector = new Redis(port, '127.0.0.1')
    onTestFinished(() => inspector.disconnect())
    return async ids => ids.length > 0 && inspector.del(...ids.map(id => `signed-requests:${id}`))
  },
  pg(port) {
    const pool = postgresPool(port)
    onTestFinished(() => pool.end())
    const expire = 'UPDATE signed_requests_replay SET expires_at = clock_timestamp() WHERE id = ANY ($1)'
    return ids => pool.query(expire, [ids])
  }
}

describe.each(CLIENTS)('a store of %s, with its database', name => {
  let database: Awaited<ReturnType<typeof startDatabase>>
  let connections: [Connected, Connected]
  beforeAll(async () => {
    database = await startDatabase(name)
    connections = [await connect(name, database.port), await connect(name, database.port)]
    return async () => {
      for (const { close } of connections) close()
      await database.remove()
    }
  })

  describe('keeps the contract', () => {
    let made = 0
    const makeStore = () => connections[made++ % 2]!.store
    const makeUnreachable = async () => {
      const { store, close } = await connect(name, database.port)
      close()
      return store
    }
    for (const { name: promise, run } of replayStoreContract(makeStore, { makeUnreachable })) test(promise, run)
  })

  test('does what the table says, in every order', { timeout: 600_000 }, async () => {
    const expire = EXPIRE[name === 'pg' ? 'pg' : 'redis'](database.port)
    expect(await differingOrders(connections[0].store, expire)).toEqual([])
  })
})

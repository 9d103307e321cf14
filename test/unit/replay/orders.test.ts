import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { memoryReplayStore, type ReplayStore, sqliteReplayStore } from '../../../src/replay/index.ts'
import { DatabaseSync } from '../../support/sqlite.ts'
import { allOrders, differingOrders } from './orders.ts'

afterEach(() => void vi.useRealTimers())

test('a store in memory does what the table says, in every order', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  const orders = allOrders()
  // An order has up to five calls by up to three tokens, with an expiry anywhere or none.
  expect(orders).toHaveLength(35_988)
  const differing: string[] = []
  // Orders that expire before the same call share a store, because all have one clock.
  for (const expiresBefore of [undefined, 1, 2, 3, 4]) {
    const expire = async (ids: readonly string[]) => void (ids.length > 0 && vi.advanceTimersByTime(601_000))
    const alike = orders.filter(order => order.expiresBefore === expiresBefore)
    differing.push(...(await differingOrders(memoryReplayStore(), expire, alike)))
  }
  expect(differing).toEqual([])
})

test('a store in SQLite does what the table says, in every order of up to four calls', async () => {
  const database = new DatabaseSync(':memory:')
  onTestFinished(() => database.close())
  const update = `UPDATE signed_requests_replay SET expires_at = 1 WHERE id = ?`
  const store = sqliteReplayStore(database)
  await store.release('any', 'token', 1) // creates the table
  const expiring = database.prepare(update)
  const expire = async (ids: readonly string[]) => ids.forEach(id => void expiring.run(id))
  const orders = allOrders().filter(({ calls }) => calls.length <= 4)
  expect(await differingOrders(store, expire, orders)).toEqual([])
})

test.each<[string, (store: ReplayStore) => ReplayStore]>([
  ['ignores the token', ({ claim, release }) => ({ claim: (id, _, ttl) => claim(id, 't', ttl), release })],
  ['remembers no release', store => ({ ...store, release: async () => {} })]
])('the comparison finds a store that %s', async (_, broken) => {
  const orders = allOrders().filter(({ calls, expiresBefore }) => calls.length <= 3 && !expiresBefore)
  expect(await differingOrders(broken(memoryReplayStore()), async () => {}, orders)).not.toEqual([])
})

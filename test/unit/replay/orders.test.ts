import { afterEach, expect, test, vi } from 'vitest'
import { memoryReplayStore, type ReplayStore, sqliteReplayStore } from '../../../src/replay/index.ts'
import { allOrders, differingOrders } from './orders.ts'

afterEach(() => void vi.useRealTimers())

test('a store in memory does what the table says, in every order', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  const orders = allOrders()
  // Up to five calls by up to three tokens, with an expiry anywhere or none.
  expect(orders).toHaveLength(35_988)
  const differing: string[] = []
  // Those that expire before the same call share a store, because the clock is one for all.
  for (const expiresBefore of [undefined, 1, 2, 3, 4]) {
    const expire = async (ids: readonly string[]) => void (ids.length > 0 && vi.advanceTimersByTime(601_000))
    const alike = orders.filter(order => order.expiresBefore === expiresBefore)
    differing.push(...(await differingOrders(memoryReplayStore(), expire, alike)))
  }
  expect(differing).toEqual([])
})

const sqlite = process.getBuiltinModule('node:sqlite') as typeof import('node:sqlite') | undefined
if (sqlite === undefined) console.warn('SQLite is left out: this Node.js has no node:sqlite. See test/runtimes.')

test.skipIf(sqlite === undefined)('a store in SQLite does what the table says, in every order', async () => {
  const database = new sqlite!.DatabaseSync(':memory:')
  const expire = async (ids: readonly string[]) => {
    const update = database.prepare('UPDATE signed_requests_replay SET expires_at = 1 WHERE id = ?')
    for (const id of ids) update.run(id)
  }
  const store = sqliteReplayStore(database)
  await store.release('any', 'token', 1) // creates the table
  expect(await differingOrders(store, expire)).toEqual([])
})

test.each<[string, (store: ReplayStore) => ReplayStore]>([
  ['ignores the token', ({ claim, release }) => ({ claim: (id, _, ttl) => claim(id, 't', ttl), release })],
  ['remembers no release', store => ({ ...store, release: async () => {} })]
])('the comparison finds a store that %s', async (_, broken) => {
  const orders = allOrders().filter(({ calls, expiresBefore }) => calls.length <= 3 && !expiresBefore)
  expect(await differingOrders(broken(memoryReplayStore()), async () => {}, orders)).not.toEqual([])
})

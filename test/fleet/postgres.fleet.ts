import { expect, onTestFinished, test, vi } from 'vitest'
import { postgresPool, postgresStore } from '../../examples/stores/postgres.ts'
import { ALL_ONCE, createWork, startReceiver, underLoad } from './load.ts'
import { startStandbys } from './standbys.ts'

test('a standby of PostgreSQL that must have each commit is promoted, and lets no request in twice', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const { url, failOver } = await startStandbys()
  const work = createWork()
  const start = async () => {
    const pool = postgresPool(url)
    onTestFinished(() => pool.end())
    return startReceiver(postgresStore(pool), work)
  }
  const counts = await underLoad(await Promise.all([start(), start(), start()]), work, failOver)
  console.log('PostgreSQL, standby promoted:', counts)
  expect(counts).toMatchObject(ALL_ONCE)
})

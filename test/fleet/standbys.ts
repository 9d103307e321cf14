import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { postgresReplayTable } from '../../src/replay/index.ts'
import { postgresPool } from '../unit/core/replay/store-clients.ts'
import { postgresServer } from '../unit/replay/postgres-server.ts'
import { startEndpoint } from './endpoint.ts'

/**
 * Starts a primary with the table of the store, two standbys of which one must have each commit, and an address that
 * leads to the primary and that the standbys follow, too.
 */
export async function startStandbys() {
  const first = await postgresServer()
  onTestFinished(first.remove)
  await first.start()
  const endpoint = await startEndpoint(first.port)
  const startStandby = async (name: string) => {
    const standby = await postgresServer({ standby: { name, primary: first.port, follows: endpoint.port } })
    onTestFinished(standby.remove)
    // The others, for when it is promoted.
    standby.configure("synchronous_standby_names = 'ANY 1 (one, two)'")
    await standby.start()
    return { ...standby, pool: poolOf(standby.port) }
  }
  const standbys = [await startStandby('one'), await startStandby('two')]
  const pool = poolOf(first.port)
  await pool.query("ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (one, two)'")
  await pool.query('SELECT pg_reload_conf()')
  await pool.query(postgresReplayTable())
  return {
    url: `postgres://postgres@127.0.0.1:${endpoint.port}/postgres`,
    /** Kills the primary, promotes the standby that has received most, and leads the address to it. */
    async failOver(): Promise<void> {
      await first.kill()
      const received = await Promise.all(standbys.map(({ pool }) => receivedBy(pool)))
      const next = standbys[received[0]! >= received[1]! ? 0 : 1]!
      await next.pool.query('SELECT pg_promote()')
      endpoint.moveTo(next.port)
      while ((await next.pool.query('SELECT FROM pg_stat_replication')).rows.length === 0) await sleep(50)
    }
  }
}

function poolOf(port: number) {
  const pool = postgresPool(port)
  onTestFinished(() => pool.end())
  return pool
}

/** Returns how many bytes of the primary's log a standby has. */
async function receivedBy(pool: ReturnType<typeof postgresPool>): Promise<number> {
  const { rows } = await pool.query("SELECT pg_wal_lsn_diff(pg_last_wal_receive_lsn(), '0/0') AS bytes")
  return Number(rows[0].bytes)
}

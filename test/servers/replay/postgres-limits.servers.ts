import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startProcess } from '../../../gateway/test/support/process.ts'
import { postgresReplayStore, postgresReplayTable } from '../../../src/replay/index.ts'
import { replayStoreContract } from '../../../src/testing/index.ts'
import { freePort } from '../../support/free-port.ts'
import { postgresPool } from '../../unit/core/replay/store-clients.ts'
import { type PostgresServer, postgresAccount, postgresServer } from '../../unit/replay/postgres-server.ts'

/** Connections that users other than the superuser may have. */
const CONNECTIONS = 20

let server: PostgresServer
let admin: Pool

beforeEach(async () => {
  server = await postgresServer()
  server.configure(`max_connections = ${CONNECTIONS + 5}\nsuperuser_reserved_connections = 5`)
  await server.start()
  admin = postgresPool(server.port)
  await admin.query(postgresReplayTable())
  for (const role of ['receiver', 'other']) await admin.query(`CREATE ROLE ${role} LOGIN`)
  await admin.query('GRANT SELECT, INSERT, UPDATE, DELETE ON signed_requests_replay TO receiver')
  return async () => {
    await admin.end()
    await server.remove()
  }
})

/** Without the standby of this name every commit waits. */
async function setSynchronousStandby(name: string): Promise<void> {
  await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`)
  await admin.query('SELECT pg_reload_conf()')
}

/** Makes a pool with the time limits of docs/replay-stores.md, shorter. */
function poolOf(port: number, user: string): Pool {
  const limits = { connectionTimeoutMillis: 1000, query_timeout: 300 }
  const pool = new Pool({ host: '127.0.0.1', port, user, database: 'postgres', ...limits }).on('error', () => {})
  onTestFinished(() => pool.end())
  return pool
}

/** Makes claims that wait for a standby, each on a connection that its client gives up. */
async function claimInVain(pool: Pool): Promise<void> {
  const store = postgresReplayStore(pool)
  for (let round = 0; round < 6; round++)
    await Promise.allSettled(Array.from({ length: 10 }, (_, n) => store.claim(`${round}-${n}`, 'token', 60)))
}

const isReached = (pool: Pool): Promise<boolean> =>
  pool.query('SELECT 1').then(
    () => true,
    () => false
  )

describe('when the only synchronous standby has died', () => {
  test('claims take every connection of the database', async () => {
    await setSynchronousStandby('dead')
    await claimInVain(poolOf(server.port, 'receiver'))
    expect(await isReached(poolOf(server.port, 'other'))).toBe(false)
  })

  test('with a CONNECTION LIMIT, others are served, and so are claims when a standby is back', async () => {
    await admin.query('ALTER ROLE receiver CONNECTION LIMIT 5')
    await setSynchronousStandby('dead')
    const pool = poolOf(server.port, 'receiver')
    await claimInVain(pool)
    expect(await isReached(poolOf(server.port, 'other'))).toBe(true)
    await expect(postgresReplayStore(pool).claim('late', 'token', 60)).rejects.toMatchObject({ code: '53300' })
    await setSynchronousStandby('')
    await expect
      .poll(() =>
        postgresReplayStore(pool)
          .claim('id', 'token', 60)
          .catch(() => false)
      )
      .toBe(true)
  })

  test('a statement_timeout does not end the wait: no claim is true that a standby does not have', async () => {
    await admin.query("ALTER ROLE receiver SET statement_timeout = '50ms'")
    await setSynchronousStandby('dead')
    await expect(postgresReplayStore(poolOf(server.port, 'receiver')).claim('id', 'token', 60)).rejects.toThrow(
      'Query read timeout'
    )
  })
})

test('a statement_timeout ends the wait for a lock', async () => {
  await admin.query("ALTER ROLE receiver SET statement_timeout = '50ms'")
  const client = await admin.connect()
  await client.query('BEGIN')
  await client.query('LOCK TABLE signed_requests_replay')
  await expect(postgresReplayStore(poolOf(server.port, 'receiver')).claim('id', 'token', 60)).rejects.toMatchObject({
    code: '57014'
  })
  await client.query('ROLLBACK')
  client.release()
})

describe('through PgBouncer in transaction mode', () => {
  async function startBouncer(): Promise<number> {
    const port = await freePort()
    const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'))
    onTestFinished(() => rmSync(folder, { recursive: true, maxRetries: 5 }))
    const file = join(folder, 'pgbouncer.ini')
    writeFileSync(
      file,
      `[databases]
postgres = host=127.0.0.1 port=${server.port} user=receiver
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 5
query_wait_timeout = 1
`
    )
    // It refuses to run as root.
    const account = userInfo().uid === 0 ? postgresAccount() : undefined
    if (account !== undefined) for (const path of [folder, file]) chownSync(path, account.uid, account.gid)
    await startProcess(['/usr/sbin/pgbouncer', file], account).says(/process up/)
    return port
  }

  test('the store keeps its contract', async () => {
    const store = postgresReplayStore(postgresPoolOf(await startBouncer()))
    for (const { run } of replayStoreContract(() => store)) await run()
  })

  // It closes the connection of a query that its client gave up, but the server process goes on waiting.
  test('its pool size does not keep connections for others when the standby has died: a CONNECTION LIMIT does', async () => {
    const pool = poolOf(await startBouncer(), 'receiver')
    await setSynchronousStandby('dead')
    await claimInVain(pool)
    expect(await isReached(poolOf(server.port, 'other'))).toBe(false)

    await setSynchronousStandby('')
    await expect.poll(() => isReached(poolOf(server.port, 'other')), { timeout: 20_000 }).toBe(true)
    await admin.query('ALTER ROLE receiver CONNECTION LIMIT 5')
    await setSynchronousStandby('dead')
    await claimInVain(pool)
    expect(await isReached(poolOf(server.port, 'other'))).toBe(true)
  })
})

function postgresPoolOf(port: number): Pool {
  const pool = postgresPool(port)
  onTestFinished(() => pool.end())
  return pool
}

import { Redis } from 'ioredis'
import { postgresReplayTable } from 'signed-requests/replay'
import { describe, expect, onTestFinished, test } from 'vitest'
import { untilReplicated } from '../../test/fleet/redis.ts'
import { postgresPool } from '../../test/unit/core/replay/store-clients.ts'
import { postgresServer } from '../../test/unit/replay/postgres-server.ts'
import { redisServer } from '../../test/unit/replay/redis-server.ts'
import { findInRedis } from '../src/engine-findings.ts'
import { connectReplayStore } from '../src/replay-store.ts'
import { type Kind, urlOf } from './support/databases.ts'

/** Connects as the gateway does at its start; returns what it found, and whether a claim works. */
async function start(kind: Kind, url: string) {
  const { store, findings, close } = await connectReplayStore({ kind, url })
  onTestFinished(close)
  return { findings, isServed: () => store!.claim('id', 'token', 60) }
}

describe('of a real Redis', () => {
  async function startRedis(options: Parameters<typeof redisServer>[0] = {}) {
    const server = await redisServer({ durable: true, ...options })
    onTestFinished(server.remove)
    await server.start()
    const admin = new Redis(server.port, '127.0.0.1')
    onTestFinished(() => admin.disconnect())
    return { admin, port: server.port, url: urlOf('redis', server.port) }
  }

  test('a primary that may be cut off from its replica', async () => {
    const { admin, port, url } = await startRedis()
    await startRedis({ primary: port })
    await untilReplicated(admin, 1)
    expect((await start('redis', url)).findings).toEqual([expect.stringContaining(': min-replicas-to-write is 0')])
    await admin.config('SET', 'min-replicas-to-write', 1)
    expect((await start('redis', url)).findings).toEqual([])
  })

  // faketime and the allocator of Redis do not go together, so it is this clock that is off.
  test.each([
    [660_000, /^its clock is 6[56]\d s behind/],
    [-660_000, /^its clock is 6[56]\d s ahead of/]
  ])('a clock that is off by %i ms', async (ahead, expected) => {
    const { admin } = await startRedis()
    const call = (command: string, ...args: string[]) => admin.call(command, ...args)
    expect(await findInRedis(call, () => Date.now() + ahead)).toEqual([expect.stringMatching(expected)])
    expect(await findInRedis(call)).toEqual([])
  })

  test('none for a user without the right to look, who is served', async () => {
    const { admin, port } = await startRedis({ settings: ['--maxmemory-policy', 'allkeys-lru'] })
    const rights = 'on >secret ~signed-requests-gateway:* +eval +get +set'
    await admin.call('ACL', 'SETUSER', 'gateway', ...rights.split(' '))
    const { findings, isServed } = await start('redis', `redis://gateway:secret@127.0.0.1:${port}`)
    expect(findings).toEqual([])
    expect(await isServed()).toBe(true)
  })
})

describe('of a real PostgreSQL', () => {
  async function startPostgres(options: Parameters<typeof postgresServer>[0] = {}) {
    const server = await postgresServer(options)
    onTestFinished(server.remove)
    await server.start()
    const admin = postgresPool(server.port)
    onTestFinished(() => admin.end())
    return { admin, port: server.port, url: urlOf('postgres', server.port) }
  }

  test('commits that do not wait for the disk', async () => {
    const { admin, url } = await startPostgres()
    expect((await start('postgres', url)).findings).toEqual([])
    await admin.query('ALTER ROLE postgres SET synchronous_commit = off')
    expect((await start('postgres', url)).findings).toEqual([expect.stringContaining(': synchronous_commit is off')])
  })

  test('an asynchronous standby, which a user without the right to look is not told of', async () => {
    const { admin, port, url } = await startPostgres()
    await startPostgres({ standby: { name: 'two', primary: port } })
    const streaming = "SELECT FROM pg_stat_replication WHERE state = 'streaming'"
    await expect.poll(async () => (await admin.query(streaming)).rows.length, { timeout: 20_000 }).toBe(1)
    expect((await start('postgres', url)).findings).toEqual([
      expect.stringContaining(': the standby two is asynchronous')
    ])
    await admin.query("CREATE ROLE gateway LOGIN PASSWORD 'secret'")
    await admin.query(postgresReplayTable('signed_requests_gateway'))
    await admin.query('GRANT SELECT, INSERT, UPDATE, DELETE ON signed_requests_gateway TO gateway')
    const limited = await start('postgres', `postgres://gateway:secret@127.0.0.1:${port}/postgres`)
    expect(limited.findings).toEqual([])
    expect(await limited.isServed()).toBe(true)
    await admin.query("ALTER SYSTEM SET synchronous_standby_names = 'two'")
    await admin.query('SELECT pg_reload_conf()')
    await expect.poll(async () => (await start('postgres', url)).findings, { timeout: 20_000 }).toEqual([])
  })

  test('a clock that is 11 minutes behind', async () => {
    const { url } = await startPostgres({ clock: '-11m' })
    expect((await start('postgres', url)).findings).toEqual([expect.stringMatching(/: its clock is 6[56]\d s behind/)])
  })
})

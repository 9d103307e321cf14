import { Redis } from 'ioredis'
import pg from 'pg'
import { createVerifier, type ReplayStore } from 'signed-requests'
import { postgresReplayStore, postgresReplayTable, redisReplayStore } from 'signed-requests/replay'
import { afterEach, describe, expect, test } from 'vitest'
import { faultyProxy } from '../../test/support/faulty-proxy.ts'
import { freePort } from '../../test/support/free-port.ts'
import { send } from '../../test/support/wire.ts'
import { postgresServer } from '../../test/unit/replay/postgres-server.ts'
import { redisServer } from '../../test/unit/replay/redis-server.ts'
import { postgresPool } from '../../test/unit/replay/store-clients.ts'
import { connectReplayStore } from '../src/replay-store.ts'
import { type Application, startApplication, startTestGateway, type TestGateway } from './start.ts'

/** Claims until the store answers. A claim whose answer was lost may hold the id, so each try has its own. */
async function claimWhenBack(store: ReplayStore, id: string): Promise<boolean> {
  for (let i = 0; ; i++) {
    try {
      return await store.claim(`${id}-${i}`, 'token', 60)
    } catch {
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
}

type Signed = ReturnType<TestGateway['service']['sign']>

/** A receiver that uses the library's own store, with its own prefix and table. */
async function libraryWith(kind: 'redis' | 'postgres', url: string, options: TestGateway['service']['options']) {
  if (kind === 'redis') {
    const client = new Redis(url)
    undo.push(async () => client.disconnect())
    return createVerifier({ ...options, replayStore: redisReplayStore(client) })
  }
  const pool = new pg.Pool({ connectionString: url })
  undo.push(() => pool.end())
  await pool.query(postgresReplayTable())
  return createVerifier({ ...options, replayStore: postgresReplayStore(pool) })
}

const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

async function start(
  kind: 'redis' | 'postgres',
  url: string
): Promise<{ application: Application; gateway: TestGateway }> {
  const application = await startApplication()
  undo.push(application.close)
  const gateway = await startTestGateway(application.url, { replay: { kind, url } })
  undo.push(gateway.close)
  return { application, gateway }
}

async function startRedis() {
  const redis = await redisServer({ durable: true })
  undo.push(redis.remove)
  await redis.start()
  return redis
}

async function startPostgres() {
  const postgres = await postgresServer()
  undo.push(postgres.remove)
  await postgres.start()
  return postgres
}

test('a store whose URL has no host is named by its database alone', async () => {
  const { port } = await startPostgres()
  const url = `postgres:///postgres?user=postgres&host=127.0.0.1&port=${port}`
  const { store, close } = await connectReplayStore({ kind: 'postgres', url })
  undo.push(close)
  expect(store!.name).toBe('PostgreSQL')
})

describe.each([
  ['redis', startRedis, (port: number) => `redis://127.0.0.1:${port}/1`],
  ['postgres', startPostgres, (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`]
] as const)('%s', (kind, startDatabase, urlOf) => {
  test('accepts a request once, also after a restart of the gateway', async () => {
    const database = await startDatabase()
    const { application, gateway } = await start(kind, urlOf(database.port))
    const signed = gateway.service.sign({ target: '/hook', body: 'once' })
    expect(await send(gateway.address, signed)).toMatch(/^HTTP\/1\.1 200 /)
    expect(await send(gateway.address, signed)).toMatch(/^HTTP\/1\.1 401 /)
    await gateway.close()
    const second = await startTestGateway(
      application.url,
      { replay: { kind, url: urlOf(database.port) } },
      gateway.service
    )
    undo.push(second.close)
    expect(await send(second.address, signed)).toMatch(/^HTTP\/1\.1 401 /)
    expect(application.seen).toHaveLength(1)
  })

  test('observing claims nothing', async () => {
    const database = await startDatabase()
    const { gateway } = await start(kind, urlOf(database.port))
    const { store, close } = await connectReplayStore({ kind, url: urlOf(database.port) })
    undo.push(close)
    const settings = { replay: { kind, url: urlOf(database.port) }, observe: true } as const
    const application = await startApplication()
    undo.push(application.close)
    const observing = await startTestGateway(application.url, settings, gateway.service)
    undo.push(observing.close)
    const signed = gateway.service.sign({ target: '/hook' })
    for (let i = 0; i < 2; i++) expect(await send(observing.address, signed)).toMatch(/^HTTP\/1\.1 200 /)
    expect(await send(gateway.address, signed)).toMatch(/^HTTP\/1\.1 200 /)
    expect(await store?.claim('another', 'token', 60)).toBe(true)
  })

  test('takes no id from a library behind it that uses the same database, and none the other way', async () => {
    const database = await startDatabase()
    const { gateway } = await start(kind, urlOf(database.port))
    const verify = await libraryWith(kind, urlOf(database.port), gateway.service.options)
    const [first, second] = [1, 2].map(n => gateway.service.sign({ target: `/${n}` })) as [Signed, Signed]
    expect(await send(gateway.address, first)).toMatch(/^HTTP\/1\.1 200 /)
    expect([(await verify(first)).status, (await verify(second)).status]).toEqual(['verified', 'verified'])
    expect((await verify(first)).failures).toMatchObject([{ code: 'replayed' }])
    expect(await send(gateway.address, second)).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('a connection that goes silent is replaced within 5 seconds', async () => {
    const database = await startDatabase()
    const between = await faultyProxy(database.port)
    undo.push(async () => between.close())
    const { store, close } = await connectReplayStore({ kind, url: urlOf(between.port) })
    undo.push(close)
    expect(await store!.claim('before', 'token', 60)).toBe(true)
    expect(store!.name).toBe(`${kind === 'redis' ? 'Redis' : 'PostgreSQL'} at 127.0.0.1:${between.port}`)
    between.silence()
    const start = performance.now()
    expect(await claimWhenBack(store!, 'after')).toBe(true)
    expect(performance.now() - start).toBeLessThan(5000)
  })

  test('does not start while the database cannot be reached, and says so without the URL', async () => {
    const url = urlOf(await freePort())
      .replace('127.0.0.1', 'user:secret@127.0.0.1')
      .replace('postgres@user', 'user')
    await expect(connectReplayStore({ kind, url })).rejects.toThrow(
      /^the replay store in (?:Redis|PostgreSQL) cannot be used: connect ECONNREFUSED 127\.0\.0\.1:\d+$/
    )
  })
})

test('a claim while Redis is down fails with what broke the connection', async () => {
  const database = await startRedis()
  const url = `redis://127.0.0.1:${database.port}`
  const { store, close } = await connectReplayStore({ kind: 'redis', url })
  undo.push(close)
  await database.kill()
  const codeOfClaim = () => store!.claim('id', 'token', 60).catch((error: NodeJS.ErrnoException) => error.code)
  await expect.poll(codeOfClaim).toBe('ECONNREFUSED')
})

test('uses a table of PostgreSQL that it may not create', async () => {
  const database = await startPostgres()
  const pool = postgresPool(database.port)
  undo.push(() => pool.end())
  const url = `postgres://gateway:secret@127.0.0.1:${database.port}/postgres`
  await pool.query("CREATE ROLE gateway LOGIN PASSWORD 'secret'")
  await pool.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC')
  await expect(connectReplayStore({ kind: 'postgres', url })).rejects.toThrow(
    'cannot be used: relation "signed_requests_gateway" does not exist'
  )
  await pool.query(postgresReplayTable('signed_requests_gateway'))
  await pool.query('GRANT SELECT, INSERT, UPDATE, DELETE ON signed_requests_gateway TO gateway')
  const { store, close } = await connectReplayStore({ kind: 'postgres', url })
  undo.push(close)
  expect(await store?.claim('id', 'token', 60)).toBe(true)
})

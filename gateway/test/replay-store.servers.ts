import { Redis } from 'ioredis'
import { createVerifier } from 'signed-requests'
import { postgresReplayStore, postgresReplayTable, redisReplayStore } from 'signed-requests/replay'
import { describe, expect, onTestFinished, test } from 'vitest'
import { faultyProxy } from '../../test/support/faulty-proxy.ts'
import { freePort } from '../../test/support/free-port.ts'
import { service } from '../../test/support/service.ts'
import { send, statusesOf } from '../../test/support/wire.ts'
import { postgresPool } from '../../test/unit/core/replay/store-clients.ts'
import type { GatewaySettings } from '../src/options/settings.ts'
import { connectReplayStore } from '../src/replay-store.ts'
import { startApplication, startTestGateway } from './start.ts'
import { type Kind, startDatabase, urlOf } from './support/databases.ts'
import { runGatewayInside } from './support/run-inside.ts'

async function connect(kind: Kind, url: string) {
  const { store, close } = await connectReplayStore({ kind, url })
  onTestFinished(close)
  return store!
}

/** Starts a gateway with this store; returns its answer to a request, and the requests of its application. */
async function start(settings: Partial<GatewaySettings>) {
  const application = await startApplication()
  onTestFinished(application.close)
  const gateway = await startTestGateway(application.url, settings)
  onTestFinished(async () => void (await gateway.close()))
  const post = async (signed: Parameters<typeof send>[1]) => statusesOf(await send(gateway.address, signed))[0]
  return { post, seen: application.seen, close: gateway.close }
}

/** Makes a receiver that uses the library's own store, with its own prefix and table. */
async function libraryWith(kind: Kind, port: number) {
  if (kind === 'redis') {
    const client = new Redis(urlOf(kind, port))
    onTestFinished(() => client.disconnect())
    return createVerifier({ ...service.options, replayStore: redisReplayStore(client) })
  }
  const pool = await poolOf(port)
  await pool.query(postgresReplayTable())
  return createVerifier({ ...service.options, replayStore: postgresReplayStore(pool) })
}

function poolOf(port: number) {
  const pool = postgresPool(port)
  onTestFinished(() => pool.end())
  return pool
}

test('a store whose URL has no host is named by its database alone', async () => {
  const { port } = await startDatabase('postgres')
  const store = await connect('postgres', `postgres:///postgres?user=postgres&host=127.0.0.1&port=${port}`)
  expect(store.name).toBe('PostgreSQL')
})

describe.each(['redis', 'postgres'] as const)('%s', kind => {
  test('accepts a request once, also after a restart of the gateway', async () => {
    const { url } = await startDatabase(kind)
    const first = await start({ replay: { kind, url } })
    const signed = service.sign({ target: '/hook', body: 'once' })
    expect([await first.post(signed), await first.post(signed)]).toEqual([200, 401])
    await first.close()
    const second = await start({ replay: { kind, url } })
    expect(await second.post(signed)).toBe(401)
    expect([first.seen.length, second.seen.length]).toEqual([1, 0])
  })

  test('observing claims nothing', async () => {
    const { url } = await startDatabase(kind)
    const gateway = await start({ replay: { kind, url } })
    const observing = await start({ replay: { kind, url }, observe: true })
    const signed = service.sign({ target: '/hook' })
    expect([await observing.post(signed), await observing.post(signed), await gateway.post(signed)]).toEqual([
      200, 200, 200
    ])
    expect(await gateway.post(signed)).toBe(401)
  })

  test('takes no id from a library behind it that uses the same database, and none the other way', async () => {
    const { url, port } = await startDatabase(kind)
    const { post } = await start({ replay: { kind, url } })
    const verify = await libraryWith(kind, port)
    const [first, second] = [service.sign({ target: '/1' }), service.sign({ target: '/2' })]
    expect(await post(first)).toBe(200)
    expect([(await verify(first)).status, (await verify(second)).status]).toEqual(['verified', 'verified'])
    expect((await verify(first)).failures).toMatchObject([{ code: 'replayed' }])
    expect(await post(second)).toBe(200)
  })

  test('a connection that goes silent is replaced within 5 seconds', async () => {
    const { port } = await startDatabase(kind)
    const between = await faultyProxy(port)
    onTestFinished(between.close)
    const store = await connect(kind, urlOf(kind, between.port))
    expect(await store.claim('before', 'token', 60)).toBe(true)
    expect(store.name).toBe(`${kind === 'redis' ? 'Redis' : 'PostgreSQL'} at 127.0.0.1:${between.port}`)
    between.silence()
    const begin = performance.now()
    // A claim whose answer was lost may hold the id, so each try has its own.
    let tries = 0
    const claim = () => store.claim(`after-${tries++}`, 'token', 60).catch(() => 'failed')
    await expect.poll(claim, { timeout: 10_000 }).toBe(true)
    expect(performance.now() - begin).toBeLessThan(5000)
  })

  test('does not start while the database cannot be reached, and says so without the URL', async () => {
    const url = urlOf(kind, await freePort()).replace(/(?:postgres@)?127/, 'user:secret@127')
    await expect(connectReplayStore({ kind, url })).rejects.toThrow(
      /^the replay store in (?:Redis|PostgreSQL) cannot be used: connect ECONNREFUSED 127\.0\.0\.1:\d+$/
    )
  })
})

test('a claim while Redis is down fails with what broke the connection', async () => {
  const { url, kill } = await startDatabase('redis')
  const store = await connect('redis', url)
  await kill()
  const codeOfClaim = () => store.claim('id', 'token', 60).catch((error: NodeJS.ErrnoException) => error.code)
  await expect.poll(codeOfClaim).toBe('ECONNREFUSED')
})

test('uses a table of PostgreSQL that it may not create', async () => {
  const { port } = await startDatabase('postgres')
  const pool = poolOf(port)
  const url = `postgres://gateway:secret@127.0.0.1:${port}/postgres`
  await pool.query("CREATE ROLE gateway LOGIN PASSWORD 'secret'")
  await pool.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC')
  await expect(connectReplayStore({ kind: 'postgres', url })).rejects.toThrow(
    'cannot be used: relation "signed_requests_gateway" does not exist'
  )
  await pool.query(postgresReplayTable('signed_requests_gateway'))
  await pool.query('GRANT SELECT, INSERT, UPDATE, DELETE ON signed_requests_gateway TO gateway')
  expect(await (await connect('postgres', url)).claim('id', 'token', 60)).toBe(true)
})

describe('redis, at the start and after a failover', () => {
  const findings = async (url: string) => {
    const connected = await connectReplayStore({ kind: 'redis', url })
    await connected.close()
    return connected.findings
  }

  test('settings that would let a replay in are named', async () => {
    const { url, port } = await startDatabase('redis')
    const admin = new Redis(urlOf('redis', port))
    onTestFinished(() => admin.disconnect())
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
    await admin.config('SET', 'appendonly', 'no')
    expect(await findings(url)).toEqual([
      expect.stringMatching(/^Redis at 127\.0\.0\.1:\d+: maxmemory-policy is allkeys-lru/),
      expect.stringContaining('nothing is persisted')
    ])
    await admin.config('SET', 'maxmemory-policy', 'noeviction')
    await admin.config('SET', 'save', '900 1')
    expect(await findings(url)).toEqual([])
  })

  test('--check names them, and ends with 2 where the store cannot be reached', async () => {
    const { url, port } = await startDatabase('redis')
    const admin = new Redis(urlOf('redis', port))
    onTestFinished(() => admin.disconnect())
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
    const flags =
      '--upstream http://127.0.0.1:9 --domain service.example --host a.example --account 1 --https always --check'
    const check = (redis: string) => runGatewayInside([...flags.split(' '), '--redis', redis])
    expect(await check(url)).toMatchObject({ code: 0, stderr: expect.stringContaining('warning: Redis at') })
    expect(await check(`redis://127.0.0.1:${await freePort()}`)).toMatchObject({ code: 2 })
  })

  test('an address that leads to a replica is left when it has a primary again', async () => {
    const { url, port } = await startDatabase('redis')
    const admin = new Redis(urlOf('redis', port))
    onTestFinished(() => admin.disconnect())
    const store = await connect('redis', url)
    const moved = await connect('redis', url)
    await admin.replicaof('127.0.0.1', `${await freePort()}`)
    await expect(moved.claim('id', 'token', 60)).rejects.toThrow('READONLY')
    await admin.replicaof('NO', 'ONE')
    await expect.poll(() => moved.claim('id', 'token', 60).catch(() => false), { timeout: 5000 }).toBe(true)
    expect(await store.claim('id', 'other', 60)).toBe(false)
  })
})

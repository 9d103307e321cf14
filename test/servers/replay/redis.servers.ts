import { Cluster, Redis } from 'ioredis'
import { createCluster } from 'redis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { redisReplayStore } from '../../../src/replay/index.ts'
import { replayStoreContract } from '../../../src/testing/index.ts'
import { withFreshTokens } from '../../unit/replay/fresh-tokens.ts'
import { redisServer } from '../../unit/replay/redis-server.ts'
import { type Connected, connect } from '../../unit/replay/store-clients.ts'

describe.each(['node-redis', 'ioredis'] as const)('redisReplayStore with %s', name => {
  let server: Awaited<ReturnType<typeof redisServer>>
  let inspector: Redis
  let connected: Connected
  const cleanUp: (() => unknown)[] = []

  beforeAll(async () => {
    server = await redisServer()
    cleanUp.push(server.remove)
    await server.start()
    inspector = new Redis(server.port, '127.0.0.1')
    cleanUp.push(() => inspector.disconnect())
    inspector.on('error', () => {})
    connected = await connect(name, server.port)
    cleanUp.push(connected.close)
  })
  afterAll(async () => {
    for (const undo of cleanUp.reverse()) await undo()
  })

  describe('keeps the contract of a store', () => {
    const stores: Connected[] = []
    const makeStore = async () => {
      stores.push(await connect(name, server.port, 'contract:'))
      return stores.at(-1)!.store
    }
    const makeUnreachable = async () => {
      const { store, close } = await connect(name, server.port)
      close()
      return store
    }
    afterAll(() => {
      for (const { close } of stores) close()
    })

    for (const { name: promise, run } of replayStoreContract(makeStore, { makeUnreachable })) test(promise, run)
  })

  test('writes one key with an expiry, rounded up to a millisecond, for a claim and for a release', async () => {
    const { store } = connected
    await store.claim('b', 'token', 600.0001)
    expect(await inspector.get('signed-requests:b')).toBe('held:token')
    expect(await inspector.pttl('signed-requests:b')).toBeGreaterThan(590_000)
    expect(await inspector.pttl('signed-requests:b')).toBeLessThanOrEqual(600_001)
    await store.release('b', 'token', 60)
    expect(await inspector.get('signed-requests:b')).toBe('released:token')
    expect(await inspector.pttl('signed-requests:b')).toBeLessThanOrEqual(60_000)
    expect(await store.claim('c', 'token', 0.000001)).toBe(true)
  })

  test('keeps stores of different prefixes apart', async () => {
    const other = await connect(name, server.port, 'other:')
    expect(await connected.store.claim('e', 'token', 60)).toBe(true)
    expect(await other.store.claim('e', 'token', 60)).toBe(true)
    expect(await inspector.exists('other:e')).toBe(1)
    other.close()
  })

  test('rejects when Redis is full, and claims nothing', async () => {
    await inspector.config('SET', 'maxmemory', '1')
    await expect(connected.store.claim('f', 'token', 60)).rejects.toThrow('OOM')
    await inspector.config('SET', 'maxmemory', '0')
    expect(await connected.store.claim('f', 'token', 60)).toBe(true)
  })

  test('rejects once the client is closed', async () => {
    const { store, close } = await connect(name, server.port)
    close()
    await expect(store.claim('h', 'token', 60)).rejects.toThrow()
    await expect(store.release('h', 'token', 60)).rejects.toThrow()
    expect(await inspector.exists('signed-requests:h')).toBe(0)
  })
})

type Store = ReturnType<typeof withFreshTokens>

describe('redisReplayStore with a Redis Cluster', () => {
  let server: Awaited<ReturnType<typeof redisServer>>
  beforeAll(async () => {
    server = await redisServer({ cluster: true })
    await server.start()
    const node = new Redis(server.port, '127.0.0.1')
    await node.cluster('ADDSLOTSRANGE', 0, 16_383)
    while (!(await node.cluster('INFO')).includes('cluster_state:ok'));
    node.disconnect()
  })
  afterAll(() => server?.remove())

  test.each(['node-redis', 'ioredis'] as const)('claims and releases with %s', async name => {
    const { port } = server
    const client =
      name === 'ioredis'
        ? new Cluster([{ host: '127.0.0.1', port }])
        : await createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }] }).connect()
    onTestFinished(() => (client instanceof Cluster ? client.disconnect() : client.destroy()))
    const stores = [redisReplayStore(client), redisReplayStore(client)].map(withFreshTokens) as [Store, Store]
    for (let n = 0; n < 20; n++) {
      const id = `${name} ${n}` // anywhere in the slots
      expect(await stores[0].claim(id, 60)).toBe(true)
      await stores[1].release(id)
      expect(await stores[1].claim(id, 60)).toBe(false)
      await stores[0].release(id)
      expect(await stores[1].claim(id, 60)).toBe(true)
    }
  })
})

import { Cluster, Redis } from 'ioredis'
import { createCluster } from 'redis'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { redisReplayStore } from '../../../src/replay/index.ts'
import { type Connected, connect } from '../../unit/core/replay/store-clients.ts'
import { redisServer } from '../../unit/replay/redis-server.ts'

const NAMES = ['node-redis', 'ioredis'] as const

describe.each(NAMES)('redisReplayStore with %s', name => {
  let port: number
  let inspector: Redis
  let connected: Connected
  beforeAll(async () => {
    const server = await redisServer()
    await server.start()
    port = server.port
    inspector = new Redis(port, '127.0.0.1')
    connected = await connect(name, port)
    return async () => {
      connected.close()
      inspector.disconnect()
      await server.remove()
    }
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
    const other = await connect(name, port, { prefix: 'other:' })
    onTestFinished(other.close)
    for (const { store } of [connected, other]) expect(await store.claim('e', 'token', 60)).toBe(true)
    expect(await inspector.exists('other:e')).toBe(1)
  })

  test('rejects when Redis is full, and claims nothing', async () => {
    await inspector.config('SET', 'maxmemory', '1')
    await expect(connected.store.claim('f', 'token', 60)).rejects.toThrow('OOM')
    await inspector.config('SET', 'maxmemory', '0')
    expect(await connected.store.claim('f', 'token', 60)).toBe(true)
  })
})

describe('redisReplayStore with a Redis Cluster', () => {
  let port: number
  beforeAll(async () => {
    const server = await redisServer({ cluster: true })
    await server.start()
    port = server.port
    const node = new Redis(port, '127.0.0.1')
    await node.cluster('ADDSLOTSRANGE', 0, 16_383)
    while (!(await node.cluster('INFO')).includes('cluster_state:ok'));
    node.disconnect()
    return server.remove
  })

  test.each(NAMES)('claims and releases with %s', async name => {
    const client =
      name === 'ioredis'
        ? new Cluster([{ host: '127.0.0.1', port }])
        : await createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }] }).connect()
    onTestFinished(() => (client instanceof Cluster ? client.disconnect() : client.destroy()))
    const store = redisReplayStore(client)
    for (let n = 0; n < 20; n++) {
      const id = `${name} ${n}` // anywhere in the slots
      expect(await store.claim(id, 't', 60)).toBe(true)
      expect(await store.claim(id, 'u', 60)).toBe(false)
      await store.release(id, 't', 60)
      expect(await store.claim(id, 'u', 60)).toBe(true)
    }
  })
})

import { Cluster, Redis } from 'ioredis'
import { createClient, createCluster } from 'redis'
import { describe, expect, it } from 'vitest'
import { type IoredisClient, redisReplayStore } from '../../../src/replay/index.ts'

describe('redisReplayStore', () => {
  it('accepts the types of the clients of both libraries', () => {
    const cluster = new Cluster([], { lazyConnect: true })
    expect(redisReplayStore(new Redis({ lazyConnect: true }))).toBeTypeOf('object')
    expect(redisReplayStore(cluster)).toBeTypeOf('object')
    expect(redisReplayStore(createClient())).toBeTypeOf('object')
    expect(redisReplayStore(createClient({ RESP: 2 }))).toBeTypeOf('object')
    expect(redisReplayStore(createCluster({ rootNodes: [{ url: 'redis://127.0.0.1:1' }] }))).toBeTypeOf(
      'object'
    )
  })

  it('refuses any other object, and names those that fit', () => {
    const pipeline = new Redis({ lazyConnect: true }).pipeline()
    const transaction = createClient().multi()
    for (const other of [undefined, null, {}, 'redis://localhost', new Map(), pipeline, transaction]) {
      expect(() => redisReplayStore(other as IoredisClient)).toThrow(
        /^client must be a node-redis client .* or an ioredis/
      )
      expect(() => redisReplayStore(other as IoredisClient)).toThrow(TypeError)
    }
    // @ts-expect-error: a pipeline queues what it is asked for
    expect(() => redisReplayStore(pipeline)).toThrow(TypeError)
    // @ts-expect-error: and so does a transaction
    expect(() => redisReplayStore(transaction)).toThrow(TypeError)
  })

  it('rejects a prefix that is not a string', () => {
    const client = new Redis({ lazyConnect: true })
    expect(() => redisReplayStore(client, { prefix: 7 as unknown as string })).toThrow(TypeError)
  })

  it.each([[undefined], [1], ['QUEUED'], [Buffer.from('OK')], [false]])(
    'rejects when SET is answered with %s',
    async reply => {
      const client = { status: 'ready', set: async () => reply, eval: async () => 0 }
      await expect(redisReplayStore(client).claim('a', 60)).rejects.toThrow('neither OK nor nil')
    }
  )

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses ttlSeconds %s without a command',
    async ttl => {
      const client = { status: 'ready', set: () => expect.unreachable(), eval: async () => 0 }
      await expect(redisReplayStore(client).claim('a', ttl)).rejects.toThrow(TypeError)
    }
  )

  it('holds what it granted when a later claim of the same id fails', async () => {
    const held = new Map<string, string>()
    let isDown = false
    const client = {
      status: 'ready',
      set: async (key: string, value: string) => {
        if (isDown) throw new Error('the connection is lost')
        return held.has(key) ? null : held.set(key, value) && 'OK'
      },
      eval: async (_: string, _count: number, key: string, value: string) =>
        Number(held.get(key) === value && held.delete(key))
    }
    const store = redisReplayStore(client)
    expect(await store.claim('a', 60)).toBe(true)
    isDown = true
    await expect(store.claim('a', 60)).rejects.toThrow('the connection is lost')
    isDown = false
    expect(await store.claim('a', 60)).toBe(false)
    await store.release('a')
    expect(await store.claim('a', 60)).toBe(true)
  })
})

import { setImmediate } from 'node:timers/promises'
import { Cluster, Redis } from 'ioredis'
import { createClient, createCluster } from 'redis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type IoredisClient, redisReplayStore } from '../../src/replay/index.ts'
import { type Connected, connect } from './redis-clients.ts'
import { hasRedisServer, redisServer } from './redis-server.ts'

const noRedis = !hasRedisServer()

describe('redisReplayStore', () => {
  it('takes the clients of both libraries, as they are typed', () => {
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

  it('refuses a prefix that is no string', () => {
    const client = new Redis({ lazyConnect: true })
    expect(() => redisReplayStore(client, { prefix: 7 as unknown as string })).toThrow(TypeError)
  })

  it.each([[undefined], [1], ['QUEUED'], [Buffer.from('OK')], [false]])(
    'rejects when SET is answered with %s',
    async reply => {
      const client = { status: 'ready', set: async () => reply, del: async () => 0 }
      await expect(redisReplayStore(client).claim('a', 60)).rejects.toThrow('neither OK nor nil')
    }
  )

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses ttlSeconds %s without a command',
    async ttl => {
      const client = { status: 'ready', set: () => expect.unreachable(), del: async () => 0 }
      await expect(redisReplayStore(client).claim('a', ttl)).rejects.toThrow(TypeError)
    }
  )
})

describe.skipIf(noRedis).each(['node-redis', 'ioredis'] as const)('redisReplayStore with %s', name => {
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

  it('claims once, until released', async () => {
    const { store } = connected
    expect(await store.claim('a', 60)).toBe(true)
    expect(await store.claim('a', 60)).toBe(false)
    await store.release('a')
    expect(await store.claim('a', 60)).toBe(true)
  })

  it('writes one key with an expiry, rounded up to a millisecond', async () => {
    const { store } = connected
    await store.claim('b', 600.0001)
    expect(await inspector.get('signed-requests:b')).toBe('1')
    expect(await inspector.pttl('signed-requests:b')).toBeGreaterThan(590_000)
    expect(await inspector.pttl('signed-requests:b')).toBeLessThanOrEqual(600_001)
    expect(await store.claim('c', 0.000001)).toBe(true)
  })

  it('sends commands of one key only', async () => {
    const seen: string[][] = []
    const monitor = await inspector.monitor()
    const last = new Promise<void>(resolve => {
      monitor.on('monitor', (_time: string, args: string[]) => {
        seen.push(args)
        if (/^del$/i.test(args[0]!)) resolve()
      })
    })
    await connected.store.claim('d', 2)
    await connected.store.release('d')
    await last
    monitor.disconnect()
    expect(seen.map(([command, ...args]) => [command!.toUpperCase(), ...args])).toEqual([
      ['SET', 'signed-requests:d', '1', 'PX', '2000', 'NX'],
      ['DEL', 'signed-requests:d']
    ])
  })

  it('keeps stores of different prefixes apart', async () => {
    const other = await connect(name, server.port, 'other:')
    expect(await connected.store.claim('e', 60)).toBe(true)
    expect(await other.store.claim('e', 60)).toBe(true)
    expect(await inspector.exists('other:e')).toBe(1)
    other.close()
  })

  it('rejects when Redis is full, and claims nothing', async () => {
    await inspector.config('SET', 'maxmemory', '1')
    await expect(connected.store.claim('f', 60)).rejects.toThrow('OOM')
    await inspector.config('SET', 'maxmemory', '0')
    expect(await connected.store.claim('f', 60)).toBe(true)
  })

  it('tells the truth however late Redis answers', async () => {
    server.pause()
    const claim = connected.store.claim('g', 60)
    const answer = await Promise.race([claim, new Promise(resolve => setTimeout(resolve, 50, 'none yet'))])
    server.resume()
    expect(answer).toBe('none yet')
    expect(await claim).toBe(true)
    await connected.store.release('g')
    expect(await connected.store.claim('g', 60)).toBe(true)
  })

  it('rejects once the client is closed', async () => {
    const { store, close } = await connect(name, server.port)
    close()
    await expect(store.claim('h', 60)).rejects.toThrow()
    await expect(store.release('h')).rejects.toThrow()
    expect(await inspector.exists('signed-requests:h')).toBe(0)
  })
})

// Redis writes each claim to disk before it answers, so after a crash every claim that was granted must still be there.
describe.skipIf(noRedis).each(['node-redis', 'ioredis'] as const)('%s while Redis is killed', name => {
  it('grants no claim that Redis does not hold, rejects while it is down, and recovers by itself', async () => {
    const server = await redisServer({ durable: true })
    onTestFinished(() => server.remove())
    await server.start()
    const { store, ready, close } = await connect(name, server.port)
    onTestFinished(close)
    const granted: string[] = []
    const refused: string[] = []
    const rejected: string[] = []
    let next = 0
    const claimNew = async () => {
      const id = `load-${next++}`
      await store.claim(id, 600).then(
        won => (won ? granted : refused).push(id),
        () => rejected.push(id)
      )
    }
    const load = async (until: () => boolean) => {
      while (!until()) {
        await Promise.all(Array.from({ length: 20 }, claimNew))
        await setImmediate() // a refusal may come at once, and sockets need their turn
      }
    }

    let down = false
    const loadUntilDown = load(() => down)
    await load(() => granted.length >= 500)
    await server.kill()
    await load(() => rejected.length >= 20)
    const whileDown = granted.length
    await load(() => rejected.length >= 500)
    down = true
    await loadUntilDown
    expect(granted).toHaveLength(whileDown)

    await server.start()
    await ready()
    await load(() => granted.length >= whileDown + 500)

    const inspector = new Redis(server.port, '127.0.0.1')
    const held = await Promise.all(granted.map(id => inspector.exists(`signed-requests:${id}`)))
    expect(held.filter(exists => exists === 0)).toEqual([])
    expect(refused).toEqual([]) // none of these ids was claimed twice
    for (const id of granted.slice(0, 100)) expect(await store.claim(id, 600)).toBe(false)
    inspector.disconnect()
  })
})

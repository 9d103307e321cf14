import { once } from 'node:events'
import { type AddressInfo, connect as connectTo, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Cluster, Redis } from 'ioredis'
import { createClient, createClientPool, createCluster } from 'redis'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { redisReplayStore } from '../../../src/replay/index.ts'
import { replayStoreContract } from '../../../src/testing/index.ts'
import { allOrders, differingOrders } from '../../unit/replay/orders.ts'
import { type RedisServer, redisServer } from '../../unit/replay/redis-server.ts'

/** Starts a Redis, which the end of the test removes. */
async function start(options: Parameters<typeof redisServer>[0] = {}): Promise<RedisServer> {
  const server = await redisServer(options)
  await server.start()
  onTestFinished(server.remove)
  return server
}

function inspect(port: number): Redis {
  const inspector = new Redis(port, '127.0.0.1')
  onTestFinished(() => inspector.disconnect())
  return inspector
}

/** A connection of a replica to its primary, over which nothing more arrives once it is stopped. */
async function startLink(target: number) {
  let isStopped = false
  const server = createServer(socket => {
    const upstream = connectTo(target, '127.0.0.1')
    for (const end of [socket, upstream])
      end
        .on('error', () => {})
        .on('close', () => {
          socket.destroy()
          upstream.destroy()
        })
    socket.pipe(upstream)
    upstream.on('data', chunk => isStopped || socket.write(chunk))
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const stop = () => {
    isStopped = true
  }
  return { port: (server.address() as AddressInfo).port, stop }
}

/** Clients with the defaults of their library, which queue and send again. */
const CLIENTS = {
  async 'node-redis'(port: number) {
    const client = createClient({ url: `redis://127.0.0.1:${port}` }).on('error', () => {})
    onTestFinished(() => client.destroy())
    return client.connect()
  },
  async 'a pool of node-redis'(port: number) {
    const pool = createClientPool({ url: `redis://127.0.0.1:${port}` }, { minimum: 3 }).on('error', () => {})
    onTestFinished(() => pool.destroy())
    await pool.connect()
    return pool
  },
  async ioredis(port: number) {
    const client = new Redis(port, '127.0.0.1').on('error', () => {})
    onTestFinished(() => client.disconnect())
    return client
  }
} as const
const NAMES = Object.keys(CLIENTS) as (keyof typeof CLIENTS)[]

let primary: RedisServer
let replica: RedisServer

beforeEach(async () => {
  primary = await start()
  replica = await start({ primary: primary.port })
  const inspector = inspect(primary.port)
  while (!(await inspector.info('replication')).includes('state=online')) await delay(10)
})

/** Milliseconds, for a busy machine. */
const TIMEOUT = 5000

const ids = Array.from({ length: 20 }, (_, n) => `id-${n}`)

describe.each(NAMES)('a store with replicas, by %s', name => {
  const connect = (port = primary.port) => CLIENTS[name](port)

  test('a claim is true when the replica has it', async () => {
    const [store, copy] = [
      redisReplayStore(await connect(), { replicas: 1, replicasTimeout: TIMEOUT }),
      inspect(replica.port)
    ]
    for (const id of ids) {
      expect(await store.claim(id, 'token', 60)).toBe(true)
      expect(await copy.get(`signed-requests:${id}`)).toBe('held:token')
    }
    expect(await Promise.all(ids.map(id => store.claim(id, 'other', 60)))).toEqual(ids.map(() => false))
  })

  test('a claim rejects with NOREPLICAS when the replica lags, and one more replica than there is, too', async () => {
    const client = await connect()
    const two = redisReplayStore(client, { replicas: 2, replicasTimeout: 50 })
    await expect(two.claim('id', 'token', 60)).rejects.toMatchObject({ code: 'NOREPLICAS' })
    replica.pause()
    const store = redisReplayStore(client, { replicas: 1, replicasTimeout: 50 })
    await expect(store.claim('other', 'token', 60)).rejects.toMatchObject({ code: 'NOREPLICAS' })
    await store.release('other', 'token', 60)
    replica.resume()
    const patient = redisReplayStore(client, { replicas: 1, replicasTimeout: TIMEOUT })
    expect(await patient.claim('other', 'next', 60)).toBe(true)
  })

  test('a lagging replica that is promoted lets in no request again; without replicas it does', async () => {
    const link = await startLink(primary.port)
    const lagging = await start({ primary: link.port })
    const inspector = inspect(primary.port)
    while (!/slave1:.*state=online/.test(await inspector.info('replication'))) await delay(10)
    const client = await connect()
    const stores = {
      with: redisReplayStore(client, { prefix: 'with:', replicas: 2, replicasTimeout: TIMEOUT }),
      without: redisReplayStore(client, { prefix: 'without:' })
    }
    for (const store of Object.values(stores)) expect(await store.claim('early', 'token', 60)).toBe(true)
    await stores.with.claim('last', 'token', 60) // and with it all before
    link.stop()
    stores.with = redisReplayStore(client, { prefix: 'with:', replicas: 2, replicasTimeout: 20 })
    const accepted: string[] = []
    for (const [prefix, store] of Object.entries(stores))
      for (const id of ids) if (await store.claim(id, 'token', 60).catch(() => false)) accepted.push(`${prefix}:${id}`)
    await primary.kill()
    await inspect(lagging.port).replicaof('NO', 'ONE')

    const promoted = redisReplayStore(await connect(lagging.port), { prefix: '' })
    const acceptedTwice: string[] = []
    for (const id of ['with:early', 'without:early', ...accepted])
      if (await promoted.claim(id, 'copy', 60)) acceptedTwice.push(id)
    expect(acceptedTwice).toEqual(ids.map(id => `without:${id}`))
  })

  test('a claim is not true when its connection is lost before the reply of WAIT', async () => {
    const store = redisReplayStore(await connect(), { replicas: 1, replicasTimeout: 60_000 })
    await store.claim('before', 'token', 60)
    const [inspector] = [inspect(primary.port)]
    for (const id of ids.slice(0, 3)) {
      replica.pause()
      const claim = store.claim(id, 'token', 60).then(
        value => value,
        () => 'rejected'
      )
      while ((await inspector.get(`signed-requests:${id}`)) === null) await delay(5)
      await inspector.call('CLIENT', 'KILL', 'TYPE', 'normal')
      // A new connection has nothing to wait for: there WAIT would answer 1 at once.
      await delay(300)
      replica.resume()
      expect(await claim).toBe('rejected')
    }
  })

  test('does what the table says, in every order of up to three calls', async () => {
    const store = redisReplayStore(await connect(), { replicas: 1, replicasTimeout: TIMEOUT })
    const inspector = inspect(primary.port)
    const expire = async (expired: readonly string[]) =>
      expired.length > 0 && inspector.del(...expired.map(id => `signed-requests:${id}`))
    const orders = allOrders().filter(({ calls }) => calls.length <= 3)
    expect(await differingOrders(store, expire, orders)).toEqual([])
  })

  test('keeps the contract', async () => {
    const store = redisReplayStore(await connect(), { replicas: 1, replicasTimeout: TIMEOUT })
    for (const { run } of replayStoreContract(() => store)) await run()
  })
})

describe('a store with replicas in a Redis Cluster', () => {
  /** Starts two primaries, each with a replica; the first has all slots. */
  async function startCluster() {
    const servers = await Promise.all([1, 2, 3, 4].map(() => start({ cluster: true })))
    const nodes = servers.map(({ port }) => inspect(port))
    const [one, two, copyOfOne, copyOfTwo] = nodes as [Redis, Redis, Redis, Redis]
    await one.cluster('ADDSLOTSRANGE', 0, 16_383)
    const busPort = async (node: Redis) => Number(/:(\d+)@(\d+)/.exec((await node.cluster('NODES')) as string)![2])
    for (const [at, node] of nodes.entries())
      if (at > 0) await one.call('CLUSTER', 'MEET', '127.0.0.1', servers[at]!.port, await busPort(node))
    const idOf = async (node: Redis) => String(await node.cluster('MYID'))
    for (const [copy, of] of [
      [copyOfOne, one],
      [copyOfTwo, two]
    ] as const) {
      const id = await idOf(of)
      while (!String(await copy.cluster('NODES')).includes(id)) await delay(20)
      await copy.cluster('REPLICATE', id)
    }
    for (const node of [one, two]) while (!(await node.info('replication')).includes('state=online')) await delay(20)
    for (const node of nodes) while (!String(await node.cluster('INFO')).includes('cluster_state:ok')) await delay(20)
    const moveSlot = async (slot: number, to: Redis) => {
      const id = await idOf(to)
      for (const node of [to, one, two]) await node.call('CLUSTER', 'SETSLOT', slot, 'NODE', id)
    }
    return { port: servers[0]!.port, nodes, moveSlot, one, two }
  }

  test.each(['node-redis', 'ioredis'] as const)('waits at the node of the key, and follows a slot: %s', async name => {
    const { port, nodes, moveSlot, two } = await startCluster()
    const client =
      name === 'ioredis'
        ? new Cluster([{ host: '127.0.0.1', port }])
        : await createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }] }).connect()
    onTestFinished(() => (client instanceof Cluster ? client.disconnect() : client.destroy()))
    const store = redisReplayStore(client, { replicas: 1, replicasTimeout: TIMEOUT })
    for (const id of ids) {
      expect(await store.claim(id, 't', 60)).toBe(true)
      expect(await store.claim(id, 'u', 60)).toBe(false)
    }
    expect(await nodes[2]!.dbsize()).toBe(ids.length)

    const moved = 'moved'
    await moveSlot(Number(await two.cluster('KEYSLOT', `signed-requests:${moved}`)), two)
    for (const [token, isHeld] of [
      ['t', true],
      ['u', false]
    ] as const)
      expect(await store.claim(moved, token, 60)).toBe(isHeld)
    while ((await nodes[3]!.dbsize()) === 0) await delay(20)
    expect(await two.dbsize()).toBe(1)
    await expect(
      redisReplayStore(client, { replicas: 2, replicasTimeout: 20 }).claim('two', 't', 60)
    ).rejects.toMatchObject({ code: 'NOREPLICAS' })
  })
})

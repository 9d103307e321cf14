import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { ioredisCluster } from '../../examples/stores/ioredis.ts'
import { nodeRedisCluster } from '../../examples/stores/node-redis.ts'
import { type ReplayStore, redisReplayStore } from '../../src/replay/index.ts'
import { until } from '../support/until.ts'
import { startCluster } from './cluster.ts'
import { ALL_ONCE, createWork, startReceiver, underLoad } from './load.ts'

/** The clients of docs/replay-stores.md. A claim is true when the replica of its node has it. */
const CLIENTS: Readonly<Record<string, (ports: readonly number[]) => Promise<ReplayStore>>> = {
  async ioredis(ports) {
    const client = ioredisCluster(ports.map(port => ({ host: '127.0.0.1', port })))
    onTestFinished(() => client.disconnect())
    await until(() => client.status === 'ready')
    return redisReplayStore(client, { replicas: 1, replicasTimeout: 500 })
  },
  async 'node-redis'(ports) {
    const client = nodeRedisCluster(ports.map(port => `redis://127.0.0.1:${port}`))
    onTestFinished(() => client.destroy())
    await client.connect()
    return redisReplayStore(client, { replicas: 1, replicasTimeout: 500 })
  }
}

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))

describe.each(Object.keys(CLIENTS))('%s with a Redis Cluster', name => {
  test('slots that migrate and a primary that is killed let no request in twice', async () => {
    const { ports, servers, migrate, failedOver } = await startCluster()
    const work = createWork()
    const start = async () => startReceiver(await CLIENTS[name]!(ports), work)
    const receivers = await Promise.all([start(), start(), start()])
    const counts = await underLoad(receivers, work, async () => {
      await migrate(100)
      await servers[0]!.kill()
      await failedOver()
      // It becomes the replica that the new primary needs for a claim.
      await servers[0]!.start()
    })
    console.log(`Cluster, migration and failover, ${name}:`, counts)
    expect(counts).toMatchObject(ALL_ONCE)
  })
})

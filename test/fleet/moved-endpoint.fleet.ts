import { expect, onTestFinished, test, vi } from 'vitest'
import { ioredisClient } from '../../examples/stores/ioredis.ts'
import { nodeRedisClient, nodeRedisStore } from '../../examples/stores/node-redis.ts'
import { type ReplayStore, redisReplayStore } from '../../src/replay/index.ts'
import { ALL_ONCE, createWork, startReceiver, underLoad } from './load.ts'
import { startMovablePrimary } from './redis.ts'

/** The clients of docs/replay-stores.md. */
const CLIENTS: Readonly<Record<string, (url: string) => Promise<ReplayStore>>> = {
  async 'node-redis'(url) {
    const client = nodeRedisClient(url)
    onTestFinished(() => client.destroy())
    await client.connect()
    return nodeRedisStore(client)
  },
  async ioredis(url) {
    const client = ioredisClient(url)
    onTestFinished(() => client.disconnect())
    return redisReplayStore(client)
  }
}

test.each(Object.keys(CLIENTS))('%s follows an address that moves to a new primary, within 5 s', async name => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const { url, move } = await startMovablePrimary()
  const work = createWork()
  const receivers = await Promise.all([1, 2, 3].map(async () => startReceiver(await CLIENTS[name]!(url), work)))
  const counts = await underLoad(receivers, work, move)
  console.log(name, counts)
  expect(counts).toMatchObject(ALL_ONCE)
  expect(counts.outage).toBeLessThan(5000)
})

import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { ioredisSentinel } from '../../examples/stores/ioredis.ts'
import { nodeRedisSentinel } from '../../examples/stores/node-redis.ts'
import { type ReplayStore, redisReplayStore } from '../../src/replay/index.ts'
import { until } from '../support/until.ts'
import { ALL_ONCE, createWork, startReceiver, underLoad } from './load.ts'
import { NAME, startSentinels } from './sentinels.ts'

type Sentinels = Awaited<ReturnType<typeof startSentinels>>['sentinels']
type Options = Parameters<typeof redisReplayStore>[1]

/** The clients of docs/replay-stores.md. */
const CLIENTS: Readonly<Record<string, (sentinels: Sentinels, options?: Options) => Promise<ReplayStore>>> = {
  async ioredis(sentinels, options) {
    const client = ioredisSentinel(sentinels, NAME)
    onTestFinished(() => client.disconnect())
    await until(() => client.status === 'ready')
    return redisReplayStore(client, options)
  },
  async 'node-redis'(sentinels, options) {
    const client = nodeRedisSentinel(sentinels, NAME)
    onTestFinished(() => client.destroy())
    await client.connect()
    return redisReplayStore(client, options)
  }
}

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))

/** Redis that refuses writes as long as it is cut off from its replicas, two seconds after it was. */
const MIN_REPLICAS = ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '2']

const REPLICAS = { replicas: 1, replicasTimeout: 500 }

/** Runs receivers while the sentinels replace a primary that is cut off from its replicas and from them. */
async function cutOff(name: string, settings: readonly string[], options: Options) {
  const { sentinels, cut, heal, failedOver, demoted } = await startSentinels(settings)
  const { work, receivers } = await startReceivers(name, sentinels, options)
  return underLoad(receivers, work, async () => {
    cut()
    await failedOver()
    heal()
    await demoted()
  })
}

async function startReceivers(name: string, sentinels: Sentinels, options?: Options) {
  const work = createWork()
  const start = async () => startReceiver(await CLIENTS[name]!(sentinels, options), work)
  return { work, receivers: await Promise.all([start(), start(), start()]) }
}

describe.each(Object.keys(CLIENTS))('%s with Sentinel', name => {
  test('a failover for which writes are paused lets no request in twice', async () => {
    const { sentinels, admin, primary, failedOver, demoted } = await startSentinels(MIN_REPLICAS)
    const { work, receivers } = await startReceivers(name, sentinels)
    const counts = await underLoad(receivers, work, async () => {
      await primary.client('PAUSE', 20_000, 'WRITE')
      await admin.call('SENTINEL', 'FAILOVER', NAME)
      await failedOver()
      await demoted()
    })
    console.log(`Sentinel, paused failover, ${name}:`, counts)
    expect(counts).toMatchObject(ALL_ONCE)
  })

  test('a primary that is cut off lets no request in twice, if a replica must have each claim', async () => {
    const counts = await cutOff(name, MIN_REPLICAS, REPLICAS)
    console.log(`Sentinel, primary cut off, ${name}:`, counts)
    expect(counts).toMatchObject(ALL_ONCE)
  })
})

test('min-replicas alone lets the copies of the last seconds in', async () => {
  const { replays, ...counts } = await cutOff('ioredis', MIN_REPLICAS, {})
  console.log('Sentinel, primary cut off, without WAIT:', { replays, ...counts })
  expect(replays).toBeGreaterThan(0)
  expect(counts).toMatchObject({ twice: 0, never: 0, refused: 0 })
})

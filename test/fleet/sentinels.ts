import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import { startProcess } from '../../gateway/test/support/process.ts'
import { freePort } from '../support/free-port.ts'
import { PEERS, startEndpoint } from './endpoint.ts'
import { inspect, startRedis, untilReplicated } from './redis.ts'

/** What the sentinels call the primary. */
export const NAME = 'replay'

/** Sentinels and replicas connect from `PEERS`, and listen where every other server does. */
const AS_PEER = ['--bind-source-addr', PEERS, '--replica-announce-ip', '127.0.0.1', '--protected-mode', 'no']

/**
 * Starts a primary with two replicas and three sentinels, which take two seconds to notice a fault.
 *
 * @param settings of all three Redis servers, such as `--min-replicas-to-write`
 */
export async function startSentinels(settings: readonly string[] = []) {
  const first = await startRedis({ durable: true, settings })
  // Clients, replicas and sentinels reach the first primary by this address, so that it can be cut off.
  const endpoint = await startEndpoint(first.port)
  const options = { durable: true, primary: endpoint.port, settings: [...settings, ...AS_PEER] }
  const replicas = [await startRedis(options), await startRedis(options)]
  const primary = inspect(first.port)
  await primary.config('SET', 'replica-announce-port', endpoint.port)
  await untilReplicated(primary, 2)
  const sentinels = await Promise.all([1, 2, 3].map(() => startSentinel(endpoint.port)))
  const admin = inspect(sentinels[0]!)
  // A failover needs a majority that knows of each other and of the replicas.
  while (!(await knowsAll(admin))) await sleep(50)
  return {
    sentinels: sentinels.map(port => ({ host: '127.0.0.1', port })),
    admin,
    primary,
    cut: endpoint.cut,
    heal: endpoint.heal,
    /** Waits until the sentinels have another primary. */
    async failedOver(): Promise<void> {
      while ((await primaryPort(admin)) === endpoint.port) await sleep(50)
    },
    /** Waits until the first primary is a replica, as the sentinels make it when they reach it again. */
    async demoted(): Promise<void> {
      while (!(await primary.info('replication').catch(() => '')).includes('role:slave')) await sleep(50)
    },
    replicas: replicas.map(({ port }) => inspect(port))
  }
}

async function startSentinel(primary: number): Promise<number> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-'))
  onTestFinished(() => rmSync(folder, { recursive: true, maxRetries: 5 }))
  const file = join(folder, 'sentinel.conf')
  writeFileSync(
    file,
    `port ${port}
bind 127.0.0.1
protected-mode no
bind-source-addr ${PEERS}
dir ${folder}
sentinel announce-ip 127.0.0.1
sentinel monitor ${NAME} 127.0.0.1 ${primary} 2
sentinel down-after-milliseconds ${NAME} 2000
sentinel failover-timeout ${NAME} 10000
`
  )
  const running = startProcess(['redis-server', file, '--sentinel'])
  await running.says(/\+monitor/)
  return port
}

async function knowsAll(sentinel: Redis): Promise<boolean> {
  const fields = (reply: unknown) => {
    const words = reply as string[]
    return (name: string) => words[words.indexOf(name) + 1]
  }
  const master = fields(await sentinel.call('SENTINEL', 'MASTER', NAME))
  const replicas = ((await sentinel.call('SENTINEL', 'REPLICAS', NAME)) as string[][]).map(fields)
  const areReached = replicas.every(of => of('flags') === 'slave' && of('master-link-status') === 'ok')
  return master('num-other-sentinels') === '2' && replicas.length === 2 && areReached
}

async function primaryPort(sentinel: Redis): Promise<number> {
  const reply = (await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)) as string[]
  return Number(reply[1])
}

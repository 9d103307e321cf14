import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import { type RedisServer, redisServer } from '../unit/replay/redis-server.ts'
import { startEndpoint } from './endpoint.ts'

/** Starts a Redis that the end of the test removes. */
export async function startRedis(options: Parameters<typeof redisServer>[0] = {}): Promise<RedisServer> {
  const server = await redisServer(options)
  onTestFinished(server.remove)
  await server.start()
  return server
}

/** Connects to a Redis for the test itself, until it is over. */
export function inspect(port: number): Redis {
  const inspector = new Redis(port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => inspector.disconnect())
  return inspector
}

/** Waits until so many replicas of a primary have all that it has written. */
export async function untilReplicated(primary: Redis, replicas: number): Promise<void> {
  for (;;) {
    const info = await primary.info('replication')
    const offset = /^master_repl_offset:(\d+)/m.exec(info)?.[1]
    const caughtUp = [...info.matchAll(/^slave\d+:.*state=online,offset=(\d+)/gm)].filter(([, its]) => its === offset)
    if (caughtUp.length >= replicas) return
    await sleep(20)
  }
}

/**
 * Starts a primary, its replica, and an address that leads to the primary. `move` promotes the replica as managed
 * services do: the old primary becomes its replica and keeps its connections, and the address leads to the new one.
 */
export async function startMovablePrimary() {
  const old = await startRedis({ durable: true })
  const next = await startRedis({ durable: true, primary: old.port })
  const endpoint = await startEndpoint(old.port)
  const [oldPrimary, newPrimary] = [inspect(old.port), inspect(next.port)]
  await untilReplicated(oldPrimary, 1)
  return {
    url: `redis://127.0.0.1:${endpoint.port}`,
    async move() {
      await oldPrimary.client('PAUSE', 2000, 'WRITE')
      await untilReplicated(oldPrimary, 1)
      await newPrimary.replicaof('NO', 'ONE')
      await oldPrimary.replicaof('127.0.0.1', next.port)
      await oldPrimary.client('UNPAUSE')
      endpoint.moveTo(next.port)
    }
  }
}

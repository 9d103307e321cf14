import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestService } from '../../src/testing/index.ts'
import { hasRedisServer, type RedisServer, redisServer } from './redis-server.ts'
import type { Work } from './verify-worker.ts'

const answers = async <T>(workers: ChildProcess[]): Promise<T[]> =>
  (await Promise.all(workers.map(worker => once(worker, 'message')))).map(([answer]) => answer as T)

describe.skipIf(!hasRedisServer())('four processes that share a Redis', () => {
  let server: RedisServer
  let workers: ChildProcess[] = []

  beforeEach(async () => {
    server = await redisServer()
    await server.start()
  })
  afterEach(async () => {
    for (const worker of workers) worker.kill()
    await server.remove()
  })

  const start = (script: string, ...args: string[]) => {
    const path = fileURLToPath(new URL(script, import.meta.url))
    workers = ['node-redis', 'ioredis', 'node-redis', 'ioredis'].map(client =>
      fork(path, [client, `${server.port}`, ...args], {
        execArgv: ['--import', 'tsx'],
        serialization: 'advanced'
      })
    )
  }

  it('give each of 10,000 ids that all of them claim at once to one of them', async () => {
    start('claim-worker.ts', '10000')
    await answers(workers)
    for (const [n, worker] of workers.entries()) worker.send(n * 2500)
    const won = await answers<string[]>(workers)

    expect(won.flat()).toHaveLength(10_000)
    expect(new Set(won.flat()).size).toBe(10_000)
    expect(won.filter(ids => ids.length > 0).length).toBeGreaterThan(1) // it was a race
  })

  it('verify each of 10,000 requests that all of them receive in one of them, and lose none', async () => {
    start('verify-worker.ts')
    const connected = answers(workers)
    const service = createTestService({ rsaBits: 1024 })
    const requests = Array.from({ length: 10_000 }, (_, n) =>
      service.sign({ target: `/hook/${n}`, body: `{"n":${n}}` })
    )
    await connected
    const { lookupTxt: _, ...options } = service.options
    const work: Work = { options, records: { ...service.records }, requests }
    const ready = answers(workers)
    for (const worker of workers) worker.send(work)
    await ready
    for (const [n, worker] of workers.entries()) worker.send(n * 2500)
    const outcomes = await answers<string[]>(workers)

    expect(outcomes.flat().filter(outcome => outcome === 'verified')).toHaveLength(10_000)
    expect(outcomes.flat().filter(outcome => outcome === 'replayed')).toHaveLength(30_000)
    const lost = requests.filter((_, n) => !outcomes.some(received => received[n] === 'verified'))
    expect(lost).toEqual([])
    expect(outcomes.filter(received => received.includes('verified')).length).toBeGreaterThan(1) // it was a race
  })
})

import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { service } from '../../support/service.ts'
import { postgresServer } from '../../unit/replay/postgres-server.ts'
import { redisServer } from '../../unit/replay/redis-server.ts'
import { type ClientName, createPostgresTable } from '../../unit/replay/store-clients.ts'
import type { Work } from '../../unit/replay/verify-worker.ts'

const redis = async () => {
  const server = await redisServer({ durable: true })
  await server.start()
  return server
}

const postgres = async () => {
  const server = await postgresServer()
  await server.start()
  await createPostgresTable(server.port)
  return server
}

const DATABASES: readonly [string, () => ReturnType<typeof redisServer>, ClientName[]][] = [
  ['Redis', redis, ['node-redis', 'ioredis', 'node-redis', 'ioredis']],
  ['Postgres', postgres, ['pg', 'pg', 'pg', 'pg']]
]

describe.each(DATABASES)('four processes that share %s', { timeout: 300_000 }, (_, startServer, clients) => {
  let server: Awaited<ReturnType<typeof startServer>>
  let workers: ChildProcess[] = []

  /** What each process sends next that `isAnswer`. Rejects when one of them is gone before. */
  const answers = <T>(isAnswer: (message: unknown) => boolean = () => true): Promise<T[]> =>
    Promise.all(
      workers.map(
        (worker, n) =>
          new Promise<T>((resolve, reject) => {
            worker.on('message', message => isAnswer(message) && resolve(message as T))
            worker.once('disconnect', () => reject(new Error(`the process with ${clients[n]} did not answer`)))
          })
      )
    )

  beforeEach(async () => {
    server = await startServer()
  })
  afterEach(async () => {
    for (const worker of workers) worker.kill()
    await server.remove()
  })

  const start = (script: string, ...args: string[]) => {
    const path = fileURLToPath(new URL(`../../unit/replay/${script}`, import.meta.url))
    workers = clients.map(client =>
      fork(path, [client, `${server.port}`, ...args], { execArgv: ['--import', 'tsx'], serialization: 'advanced' })
    )
  }

  /** Four processes that are ready to judge the same requests. */
  async function receiversOf(target: string) {
    start('verify-worker.ts')
    const connected = answers()
    const requests = Array.from({ length: 10_000 }, (_, n) =>
      service.sign({ target: `${target}/${n}`, body: `{"n":${n}}` })
    )
    await connected
    const { lookupTxt: _, ...options } = service.options
    const work: Work = { options, records: { ...service.records }, requests }
    const ready = answers()
    for (const worker of workers) worker.send(work)
    await ready
    return requests
  }

  /** What became of each request in each process. */
  const receive = (): Promise<string[][]> => {
    const outcomes = answers<string[]>(Array.isArray)
    for (const [n, worker] of workers.entries()) worker.send(n * 2500)
    return outcomes
  }

  test('grant each of 10,000 ids that all of them claim at once to one of them', async () => {
    start('claim-worker.ts', '10000')
    await answers()
    for (const [n, worker] of workers.entries()) worker.send(n * 2500)
    const won = await answers<string[]>()

    expect(won.flat()).toHaveLength(10_000)
    expect(new Set(won.flat()).size).toBe(10_000)
    expect(won.filter(ids => ids.length > 0).length).toBeGreaterThan(1) // it was a race
  })

  test('verify each of 10,000 requests that all of them receive in exactly one, and lose none', async () => {
    const requests = await receiversOf('/hook')
    const outcomes = await receive()

    // On a busy machine a claim may be undecided when another process meets it: that one asks again.
    const last = outcomes.flat().map(outcome => outcome.split(' ').at(-1))
    expect(last.filter(outcome => outcome === 'verified')).toHaveLength(10_000)
    expect(last.filter(outcome => outcome === 'replayed')).toHaveLength(30_000)
    const lost = requests.filter((_, n) => !outcomes.some(received => received[n]?.endsWith('verified')))
    expect(lost).toEqual([])
    expect(outcomes.filter(received => received.includes('verified')).length).toBeGreaterThan(1) // it was a race
  })

  test('verify none of 10,000 requests twice while the database is killed and started again', async () => {
    const requests = await receiversOf('/killed')
    const halfway = new Promise<void>(resolve => {
      workers[0]!.on('message', message => message === 'halfway' && resolve())
    })
    const received = receive()
    await halfway
    await server.kill()
    await server.start()
    const outcomes = await received

    const all = outcomes.flatMap(ofOne => ofOne.flatMap(outcome => outcome.split(' ')))
    expect([...new Set(all)].sort()).toEqual(['replay-store-failed', 'replayed', 'verified'])
    const isVerified = (outcome: string | undefined) => outcome?.endsWith('verified')
    const timesVerified = requests.map((_, n) => outcomes.filter(ofOne => isVerified(ofOne[n])).length)
    expect(timesVerified.filter(times => times > 1)).toEqual([])
    expect(timesVerified.filter(times => times === 0)).toEqual([])
  })
})

import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { service } from '../../support/service.ts'
import { type ClientName, startDatabase } from '../../unit/core/replay/store-clients.ts'
import type { Work } from '../../unit/replay/verify-worker.ts'

const COUNT = 10_000
const WORKER = fileURLToPath(new URL('../../unit/replay/verify-worker.ts', import.meta.url))
const FLEETS: readonly (readonly [string, ClientName[]])[] = [
  ['Redis', ['node-redis', 'ioredis', 'node-redis', 'ioredis']],
  ['Postgres', ['pg', 'pg', 'pg', 'pg']]
]

describe.each(FLEETS)('four processes that share %s', { timeout: 300_000 }, (_, clients) => {
  let server: Awaited<ReturnType<typeof startDatabase>>
  let workers: ChildProcess[] = []

  /** Returns the next message of each process for which `isAnswer` holds. Rejects when one of them ends before. */
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
    server = await startDatabase(clients[0]!)
    workers = clients.map(client =>
      fork(WORKER, [client, `${server.port}`], { execArgv: ['--import', 'tsx'], serialization: 'advanced' })
    )
    return async () => {
      for (const worker of workers) worker.kill()
      await server.remove()
    }
  })

  /** Sends the same requests to all four; returns the outcome of each request in each process. */
  async function receive(): Promise<{ outcomes: Promise<string[][]> }> {
    const connected = answers()
    const requests = Array.from({ length: COUNT }, (_, n) => service.sign({ target: `/${n}`, body: `{"n":${n}}` }))
    await connected
    const { lookupTxt: _, ...options } = service.options
    const work: Work = { options, records: { ...service.records }, requests }
    const ready = answers()
    for (const worker of workers) worker.send(work)
    await ready
    const outcomes = answers<string[]>(Array.isArray)
    for (const [n, worker] of workers.entries()) worker.send((n * COUNT) / 4)
    return { outcomes }
  }

  /** Counts the processes in which each request was verified. */
  const timesVerified = (outcomes: readonly string[][]): number[] =>
    Array.from({ length: COUNT }, (_, n) => outcomes.filter(ofOne => ofOne[n]?.endsWith('verified')).length)

  test('verify each of 10,000 requests that all of them receive in exactly one, and lose none', async () => {
    const outcomes = await (await receive()).outcomes
    // On a busy machine a claim may be undecided when another process meets it: that process then asks again.
    const last = outcomes.flat().map(outcome => outcome.split(' ').at(-1))
    expect(last.filter(outcome => outcome === 'replayed')).toHaveLength(3 * COUNT)
    expect(timesVerified(outcomes).filter(times => times !== 1)).toEqual([])
    expect(outcomes.filter(received => received.includes('verified')).length).toBeGreaterThan(1) // it was a race
  })

  test('verify none of 10,000 requests twice while the database is killed and started again', async () => {
    const { outcomes } = await receive()
    await new Promise<void>(resolve => {
      workers[0]!.on('message', message => message === 'halfway' && resolve())
    })
    await server.kill()
    await server.start()
    const all = (await outcomes).flatMap(ofOne => ofOne.flatMap(outcome => outcome.split(' ')))
    expect([...new Set(all)].sort()).toEqual(['replay-store-failed', 'replayed', 'verified'])
    expect(timesVerified(await outcomes).filter(times => times !== 1)).toEqual([])
  })
})

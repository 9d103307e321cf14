import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import { createClient } from 'redis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createVerifier, type ReceivedRequest, type Verdict } from '../../../src/index.ts'
import { type ReplayStore, redisReplayStore } from '../../../src/replay/index.ts'
import { service } from '../../support/service.ts'
import { postgresServer } from '../../unit/replay/postgres-server.ts'
import { redisServer } from '../../unit/replay/redis-server.ts'
import { type ClientName, connect, createPostgresTable } from '../../unit/replay/store-clients.ts'

const verifierWith = (replayStore: ReplayStore) => createVerifier({ ...service.options, replayStore })
const outcome = (verdict: Verdict) =>
  verdict.status === 'verified' ? verdict.status : `${verdict.status}: ${verdict.failures.map(f => f.code).join()}`

async function startServer(name: ClientName) {
  const server = name === 'pg' ? await postgresServer() : await redisServer()
  onTestFinished(() => server.remove())
  await server.start()
  if (name === 'pg') await createPostgresTable(server.port)
  return server
}

describe.each(['node-redis', 'ioredis', 'pg'] as const)('a verifier with %s', name => {
  test('is unavailable while the database is down, verifies nothing without a claim, and recovers by itself', async () => {
    const server = await startServer(name)
    const { store, ready, close } = await connect(name, server.port)
    onTestFinished(close)
    let granted = 0
    const counting: ReplayStore = {
      async claim(...call) {
        const won = await store.claim(...call)
        if (won) granted += 1
        return won
      },
      release: store.release
    }
    const verify = verifierWith(counting)
    const verified: ReceivedRequest[] = []
    const unavailable: ReceivedRequest[] = []
    const receive = async (request: ReceivedRequest) => {
      const verdict = await verify(request)
      if (verdict.status === 'verified') verified.push(request)
      else {
        expect(outcome(verdict)).toBe('unavailable: replay-store-failed')
        unavailable.push(request)
      }
    }
    const load = async (until: () => boolean) => {
      while (!until()) {
        await Promise.all(Array.from({ length: 20 }, () => receive(service.sign())))
        await setImmediate()
      }
    }

    let down = false
    const loadUntilDown = load(() => down)
    await load(() => verified.length >= 100)
    await server.kill()
    await load(() => unavailable.length >= 20)
    const whileDown = verified.length
    await load(() => unavailable.length >= 200)
    down = true
    await loadUntilDown
    expect(verified).toHaveLength(whileDown)

    await server.start()
    await ready()
    // A sender asks again until its request is decided: the releases of the outage are on their way.
    while (unavailable.length > 0) {
      const repeated = unavailable.splice(0)
      while (repeated.length > 0) await Promise.all(repeated.splice(0, 20).map(receive))
      await delay(50)
    }
    await load(() => verified.length >= whileDown + 300)
    expect(unavailable).toEqual([])
    expect(granted).toBe(verified.length)
    expect(outcome(await verify(verified.at(-1)!))).toBe('rejected: replayed')
  })
})

describe('a claim that Redis grants after the deadline', () => {
  test('is released, so that a retry of the request is accepted once', async () => {
    const server = await redisServer()
    onTestFinished(() => server.remove())
    await server.start()
    const client = createClient({ socket: { port: server.port } })
    client.on('error', () => {})
    onTestFinished(() => client.destroy())
    await client.connect()
    const verify = createVerifier({ ...service.options, replayStore: redisReplayStore(client), replayTimeout: 100 })
    const request = service.sign()
    server.pause()
    expect(outcome(await verify(request))).toBe('unavailable: replay-store-failed')
    server.resume()

    const repetitions: string[] = []
    while (!repetitions.includes('verified')) {
      repetitions.push(outcome(await verify(request)))
      // An undecided claim is refused at once: the reply of Redis needs its turn.
      await setImmediate()
    }
    expect(outcome(await verify(request))).toBe('rejected: replayed')
  })
})

describe('a copy sent at the last moment of its Date, while Redis is stopped', () => {
  test('is not verified when Redis answers later', async () => {
    const server = await redisServer()
    onTestFinished(() => server.remove())
    await server.start()
    const { store, close } = await connect('node-redis', server.port)
    onTestFinished(close)
    let claims = 0
    const counting: ReplayStore = {
      claim(...call) {
        claims += 1
        return store.claim(...call)
      },
      release: store.release
    }
    const verify = createVerifier({ ...service.options, replayStore: counting, dateTolerance: 2, replayTimeout: 5000 })
    const date = new Date(Math.ceil(Date.now() / 1000) * 1000) // an HTTP Date has whole seconds
    const request = service.sign({ date })
    const at = async (milliseconds: number) => {
      while (Date.now() < date.getTime() + milliseconds) await new Promise(resolve => setTimeout(resolve, 5))
    }
    await at(0)
    expect(outcome(await verify(request))).toBe('verified')
    await at(1900)
    server.pause()
    const copy = verify(request)
    while (claims < 2) await setImmediate() // else the copy was too old already, and nothing is shown
    await at(4200)
    server.resume()
    expect(outcome(await copy)).toBe('rejected: replayed')
  })
})

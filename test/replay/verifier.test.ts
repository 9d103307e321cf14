import { setImmediate } from 'node:timers/promises'
import { createClient } from 'redis'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createVerifier, httpStatus, type ReceivedRequest, type Verdict } from '../../src/index.ts'
import { memoryReplayStore, type ReplayStore, redisReplayStore } from '../../src/replay/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import { connect } from './redis-clients.ts'
import { hasRedisServer, redisServer } from './redis-server.ts'

const noRedis = !hasRedisServer()
const service = createTestService({ rsaBits: 1024 })
const verifierWith = (replayStore: ReplayStore) => createVerifier({ ...service.options, replayStore })
const outcome = (verdict: Verdict) =>
  verdict.status === 'verified'
    ? verdict.status
    : `${verdict.status}: ${verdict.failures.map(f => f.code).join()}`

afterEach(() => {
  vi.useRealTimers()
})

describe('a verifier with a memory store', () => {
  it('accepts a request once, until it is released', async () => {
    const store = memoryReplayStore()
    const verify = verifierWith(store)
    const request = service.sign({ body: '{}' })
    const first = await verify(request)
    expect(first.status).toBe('verified')
    expect(outcome(await verify(request))).toBe('rejected: replayed')

    await store.release(first.status === 'verified' ? first.replayId! : expect.unreachable())
    expect(outcome(await verify(request))).toBe('verified')
    expect(outcome(await verify(request))).toBe('rejected: replayed')
  })

  it('accepts no other layout or spelling of the same signature', async () => {
    const verify = verifierWith(memoryReplayStore())
    const request = service.sign({ body: '{}' })
    expect(outcome(await verify(request))).toBe('verified')

    const headers = request.headers as [string, string][]
    const withSignature = (change: (value: string) => string): ReceivedRequest => ({
      ...request,
      headers: headers.map(([name, value]) => [name, name === 'Signature' ? change(value) : value] as const)
    })
    const reordered = (value: string) => value.split(',').reverse().join(' ,\t')
    const upperCase = headers.map(([name, value]) => [name.toUpperCase(), value] as const)
    expect(outcome(await verify(withSignature(reordered)))).toBe('rejected: replayed')
    expect(outcome(await verify(withSignature(value => `${value},x="y"`)))).toBe('rejected: replayed')
    expect(outcome(await verify({ ...request, headers: [...upperCase].reverse() }))).toBe(
      'rejected: replayed'
    )
    for (const change of [
      (value: string) => value.replace(/=+"$/, '"'),
      (value: string) => value.replaceAll('+', '-').replaceAll('/', '_').replace(/"$/, ' "')
    ]) {
      expect((await verify(withSignature(change))).status).toBe('rejected')
    }
    // The last character before the padding carries bits that decode to nothing.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
    const strayBits = (value: string) =>
      value.replace(/(.)(==?)"$/, (_, last, padding) => `${alphabet[alphabet.indexOf(last) + 1]}${padding}"`)
    expect(strayBits(headers.at(-1)![1])).not.toBe(headers.at(-1)![1])
    expect(outcome(await verify(withSignature(strayBits)))).toBe('rejected: signature-not-base64')
  })

  it.each([-299, 0, 299])(
    'refuses a replay for as long as a Date %s s from now is accepted',
    async offset => {
      vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.UTC(2026, 10, 20, 12) })
      const verify = verifierWith(memoryReplayStore())
      const request = service.sign({ date: new Date(Date.now() + offset * 1000) })
      expect(outcome(await verify(request))).toBe('verified')
      for (let second = 0; second < offset + 300; second++) {
        vi.advanceTimersByTime(1000)
        expect(outcome(await verify(request))).toBe('rejected: replayed')
      }
      vi.advanceTimersByTime(1000)
      expect(outcome(await verify(request))).toBe('rejected: date-too-old')
    }
  )

  it('refuses a replay that the system clock, set back, makes recent again', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.UTC(2026, 10, 20, 12) })
    const verify = verifierWith(memoryReplayStore())
    const request = service.sign()
    expect(outcome(await verify(request))).toBe('verified')
    vi.setSystemTime(Date.now() - 10_000)
    for (let second = 0; second < 310; second++) {
      vi.advanceTimersByTime(1000)
      expect(outcome(await verify(request))).toBe('rejected: replayed')
    }
    vi.advanceTimersByTime(1000)
    expect(outcome(await verify(request))).toBe('rejected: date-too-old')
  })

  it('asks for a new request again later when the store is full, and keeps refusing the held ones', async () => {
    const store = memoryReplayStore({ maxEntries: 1 })
    const verify = verifierWith(store)
    const [one, two] = [service.sign(), service.sign()]
    const first = await verify(one)
    expect(first.status).toBe('verified')
    const refused = await verify(two)
    expect(outcome(refused)).toBe('unavailable: replay-store-failed')
    expect(refused.checks.replay).toMatchObject({ evidence: { error: 'REPLAY_STORE_FULL' } })
    expect(httpStatus(refused)).toBe(503)
    expect(outcome(await verify(one))).toBe('rejected: replayed')
    await store.release(first.status === 'verified' ? first.replayId! : expect.unreachable())
    expect(outcome(await verify(two))).toBe('verified')
  })
})

describe.skipIf(noRedis).each(['node-redis', 'ioredis'] as const)('a verifier with %s', name => {
  it('is unavailable while Redis is down, verifies nothing without a claim, and recovers by itself', async () => {
    const server = await redisServer()
    onTestFinished(() => server.remove())
    await server.start()
    const { store, ready, close } = await connect(name, server.port)
    onTestFinished(close)
    let granted = 0
    const counting: ReplayStore = {
      async claim(id, ttlSeconds) {
        const won = await store.claim(id, ttlSeconds)
        if (won) granted += 1
        return won
      },
      release: id => store.release(id)
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
    await Promise.all(unavailable.splice(0).map(receive))
    await load(() => verified.length >= whileDown + 300)
    expect(unavailable).toEqual([])
    expect(granted).toBe(verified.length)
    expect(outcome(await verify(verified.at(-1)!))).toBe('rejected: replayed')
  })
})

describe.skipIf(noRedis)('a claim that Redis grants after the deadline', () => {
  it('is given back, so that the repetition of the request is accepted, once', async () => {
    const server = await redisServer()
    onTestFinished(() => server.remove())
    await server.start()
    const client = createClient({ socket: { port: server.port } })
    client.on('error', () => {})
    onTestFinished(() => client.destroy())
    await client.connect()
    const verify = createVerifier({
      ...service.options,
      replayStore: redisReplayStore(client),
      replayTimeout: 100
    })
    const request = service.sign()
    server.pause()
    expect(outcome(await verify(request))).toBe('unavailable: replay-store-failed')
    server.resume()

    const repetitions: string[] = []
    while (!repetitions.includes('verified')) repetitions.push(outcome(await verify(request)))
    expect(outcome(await verify(request))).toBe('rejected: replayed')
  })
})

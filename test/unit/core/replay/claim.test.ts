import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createClaims } from '../../../../src/core/replay/claim.ts'
import type { ReplayStore } from '../../../../src/core/replay/store.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Reply<T> = { resolve(value: T): void; reject(error: Error): void }

/** Makes a store whose replies the test gives; `calls` lists its calls. */
function slowStore() {
  const calls: [method: string, id: string, token: string, ttlSeconds: number][] = []
  const claims: Reply<boolean>[] = []
  const releases: Reply<void>[] = []
  const store: ReplayStore = {
    claim: (...call) =>
      new Promise((resolve, reject) => calls.push(['claim', ...call]) && claims.push({ resolve, reject })),
    release: (...call) =>
      new Promise((resolve, reject) => calls.push(['release', ...call]) && releases.push({ resolve, reject }))
  }
  return { store, calls, claims, releases }
}

const settle = () => vi.advanceTimersByTimeAsync(0)
const failure = (error: string, problem: string) => ({
  ok: false,
  code: 'replay-store-failed',
  evidence: { error, problem }
})

test('each claim has a random UUID as its token, with 122 random bits', async () => {
  const tokens: string[] = []
  const store = { claim: async (_: string, token: string) => tokens.push(token) > 0, release: async () => {} }
  const { claim } = createClaims(store, 1000)
  for (let n = 0; n < 1000; n++) await claim('id', 60)
  expect(new Set(tokens).size).toBe(1000)
  for (const token of tokens)
    expect(token).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

const throwing = (code: string) => () => {
  throw Object.assign(new Error('x'), { code })
}

test.each<[string, () => unknown, string, string]>([
  ['throws', throwing('EOTHER'), 'EOTHER', 'threw'],
  ['cannot be reached', throwing('ECONNREFUSED'), 'ECONNREFUSED', 'unreachable'],
  ['rejects', () => Promise.reject(new RangeError('x')), 'RangeError', 'threw'],
  ['resolves to OK', async () => 'OK', 'not a boolean', 'wrong-type']
])('fails when the store %s, and releases the token', async (_, claim, error, problem) => {
  const release = vi.fn(async () => {})
  const { claim: claimId } = createClaims({ claim: claim as () => Promise<boolean>, release }, 1000)
  expect(await claimId('id', 60)).toMatchObject(failure(error, problem))
  expect(release).toHaveBeenCalledExactlyOnceWith('id', expect.any(String), 60)
})

describe('a claim that is later than the deadline', () => {
  /** Makes a claim that is unanswered at its deadline. */
  async function lateClaim() {
    const store = slowStore()
    const { claim } = createClaims(store.store, 1000)
    const late = claim('id', 60)
    await vi.advanceTimersByTimeAsync(1000)
    return { ...store, claim, late }
  }

  test('a claim that is late is released at the deadline, with its own token, and nobody waits for that', async () => {
    const { calls, late } = await lateClaim()
    expect(await late).toMatchObject(failure('no answer within 1000 ms', 'late'))
    expect(calls).toEqual([
      ['claim', 'id', expect.any(String), 60],
      ['release', 'id', calls[0]![2], 60]
    ])
  })

  test('a claim that is later than the deadline is released again when it was granted behind its release', async () => {
    const { calls, claims, releases } = await lateClaim()
    releases[0]!.resolve()
    await settle()
    claims[0]!.resolve(true)
    await settle()
    expect(calls.map(([method]) => method)).toEqual(['claim', 'release', 'release'])
    expect(new Set(calls.map(([, , token]) => token)).size).toBe(1)
  })

  test('makes a retry unavailable, without asking the store, while its release is under way', async () => {
    const { calls, claim, claims, releases } = await lateClaim()
    expect(await claim('id', 60)).toMatchObject(failure('an earlier claim is undecided', 'undecided'))
    expect(calls.map(([method]) => method)).toEqual(['claim', 'release'])
    releases[0]!.resolve()
    await vi.advanceTimersByTimeAsync(10_000)
    const replay = claim('id', 60)
    claims[1]!.resolve(false)
    expect(await replay).toMatchObject({ code: 'replayed', evidence: { replayId: 'id' } })
  })

  test('makes a retry unavailable until the id has expired, when its release is never answered', async () => {
    const { claim, claims } = await lateClaim()
    await vi.advanceTimersByTimeAsync(58_999)
    expect(await claim('id', 60)).toMatchObject(failure('an earlier claim is undecided', 'undecided'))
    await vi.advanceTimersByTimeAsync(1)
    const next = claim('id', 60)
    claims[1]!.resolve(true)
    expect(await next).toMatchObject({ ok: true })
  })
})

test('the error of the first claim stays the reason of every retry until its release has arrived', async () => {
  const errors = [new Error('READONLY'), new Error('ECONNREFUSED')]
  const store = { claim: () => Promise.reject(errors.shift()), release: () => Promise.reject(new Error('still down')) }
  const { claim } = createClaims(store, 1000)
  const first = await claim('id', 60)
  await claim('other', 60)
  for (let retry = 0; retry < 2; retry++) {
    const failed = await claim('id', 60)
    expect(failed).toMatchObject(failure('an earlier claim is undecided', 'undecided'))
    expect((failed as { cause?: unknown }).cause).toBe((first as { cause?: unknown }).cause)
  }
})

describe('an id that another claim holds', () => {
  const held = () => fakeStore(async () => false)
  const fakeStore = (claim: () => Promise<boolean>, release = async () => {}) => ({
    claim: vi.fn(claim),
    release: vi.fn(release)
  })
  const UNDECIDED = failure('the store has just failed', 'undecided')
  const down = () => Promise.reject(new Error('down'))

  test('is replayed at once while the store answers', async () => {
    const store = held()
    expect(await createClaims(store, 1000).claim('id', 60)).toMatchObject({ code: 'replayed' })
  })

  test('is undecided for ten seconds from when a claim was rejected, and nothing is written for it', async () => {
    const store = held()
    const { claim } = createClaims(store, 1000)
    store.claim.mockImplementationOnce(down)
    await claim('other', 60)
    store.release.mockClear()
    expect(await claim('id', 60)).toMatchObject(UNDECIDED)
    await vi.advanceTimersByTimeAsync(9999)
    expect(await claim('id', 60)).toMatchObject(UNDECIDED)
    await vi.advanceTimersByTimeAsync(1)
    expect(await claim('id', 60)).toMatchObject({ code: 'replayed' })
    expect(store.release).not.toHaveBeenCalled()
  })

  test('is undecided for ten seconds from when a claim was given up, not from when it was made', async () => {
    const store = held()
    const { claim } = createClaims(store, 1000)
    store.claim.mockImplementationOnce(() => new Promise(() => {}))
    const late = claim('other', 60)
    await vi.advanceTimersByTimeAsync(999)
    expect(await claim('id', 60)).toMatchObject({ code: 'replayed' })
    await vi.advanceTimersByTimeAsync(1)
    await late
    await vi.advanceTimersByTimeAsync(9999)
    expect(await claim('id', 60)).toMatchObject(UNDECIDED)
    await vi.advanceTimersByTimeAsync(1)
    expect(await claim('id', 60)).toMatchObject({ code: 'replayed' })
  })

  test.each<[string, () => Promise<void>]>([
    ['was rejected', down],
    ['was given up', () => new Promise(() => {})]
  ])('is undecided for ten seconds from when a release %s', async (_, release) => {
    const store = fakeStore(async () => true, release)
    const { claim, release: releaseClaim } = createClaims(store, 1000)
    const claimed = await claim('other', 1)
    if (!claimed.ok) throw new Error('a claim is expected')
    releaseClaim(claimed.value).catch(() => {})
    await vi.advanceTimersByTimeAsync(1000)
    store.claim.mockResolvedValue(false)
    expect(await claim('id', 60)).toMatchObject(UNDECIDED)
    // The retries end with the id, after a second, and fail a last time within six.
    await vi.advanceTimersByTimeAsync(6000 + 10_000)
    expect(await claim('id', 60)).toMatchObject({ code: 'replayed' })
  })

  test('is undecided for every verifier of the process that has the same store, and for no other store', async () => {
    const store = held()
    store.claim.mockImplementationOnce(down)
    await createClaims(store, 1000).claim('other', 60)
    expect(await createClaims(store, 1000).claim('id', 60)).toMatchObject(UNDECIDED)
    expect(await createClaims(held(), 1000).claim('id', 60)).toMatchObject({ code: 'replayed' })
  })

  test('is not let in: an id that is free is', async () => {
    const store = held()
    const { claim } = createClaims(store, 1000)
    store.claim.mockImplementationOnce(down)
    await claim('other', 60)
    store.claim.mockResolvedValueOnce(true)
    expect(await claim('id', 60)).toMatchObject({ ok: true })
  })
})

describe('a release that fails', () => {
  const down = () => Promise.reject(new Error('down'))

  test('a release that fails is tried again with pauses until it succeeds', async () => {
    const release = vi.fn(down as () => Promise<void>)
    createClaims({ claim: down, release }, 1000).claim('id', 60)
    await settle()
    expect(release).toHaveBeenCalledOnce()
    await vi.advanceTimersByTimeAsync(1000)
    expect(release.mock.calls.length).toBeGreaterThan(2)
    expect(release.mock.calls.length).toBeLessThan(7)
    release.mockResolvedValue(undefined)
    await vi.advanceTimersByTimeAsync(400)
    const { length } = release.mock.calls
    await vi.advanceTimersByTimeAsync(10_000)
    expect(release).toHaveBeenCalledTimes(length)
  })

  test('a release that fails is tried again where timers are numbers, as in Workers', async () => {
    const { setTimeout } = globalThis
    const release = vi.fn(down as () => Promise<void>)
    // The fake setTimeout must be back before the real one is.
    globalThis.setTimeout = ((done: () => void, delay: number) => Number(setTimeout(done, delay))) as never
    try {
      createClaims({ claim: down, release }, 1000).claim('id', 60)
      await settle()
      await vi.advanceTimersByTimeAsync(1000)
    } finally {
      globalThis.setTimeout = setTimeout
    }
    expect(release.mock.calls.length).toBeGreaterThan(2)
  })

  test('a release that fails is tried again, but not before 5 s, when the store does not answer at all', async () => {
    const never = new Promise<void>(() => {})
    const release = vi
      .fn(async () => {})
      .mockReturnValueOnce(never)
      .mockReturnValueOnce(never)
    createClaims({ claim: down, release }, 1000).claim('id', 60)
    // The first attempt and the second one end after 5 s each, and a pause follows.
    for (const attempts of [1, 2]) {
      await vi.advanceTimersByTimeAsync(4900)
      expect(release).toHaveBeenCalledTimes(attempts)
      await vi.advanceTimersByTimeAsync(500)
      expect(release).toHaveBeenCalledTimes(attempts + 1)
    }
  })

  test('a release that fails is given up when the id would have expired', async () => {
    const release = vi.fn(down)
    createClaims({ claim: down, release }, 1000).claim('id', 60)
    await vi.advanceTimersByTimeAsync(59_000)
    const { length } = release.mock.calls
    await vi.advanceTimersByTimeAsync(1500)
    const last = release.mock.calls.length
    expect(last).toBeGreaterThan(length)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(release).toHaveBeenCalledTimes(last)
  })

  test('the oldest of 10,001 releases is given up first, and one that goes on failing holds up no other', async () => {
    let isDown = true
    const released = new Set<string>()
    const release = async (id: string) => {
      if (isDown || id === '5') return down()
      released.add(id)
    }
    const { claim } = createClaims({ claim: down, release }, 1000)
    for (let n = 0; n <= 10_000; n++) await claim(`${n}`, 600)
    isDown = false
    await vi.advanceTimersByTimeAsync(2000)
    expect(released.size).toBe(9999)
    expect(released.has('0')).toBe(false)
    expect(released.has('5')).toBe(false)
  })

  test('a release that fails does not keep the process alive', async () => {
    vi.useRealTimers()
    const timeouts = () => process.getActiveResourcesInfo().filter(resource => resource === 'Timeout').length
    const before = timeouts()
    await createClaims({ claim: down, release: down }, 1000).claim('id', 1)
    await new Promise(setImmediate)
    expect(timeouts()).toBe(before)
  })
})

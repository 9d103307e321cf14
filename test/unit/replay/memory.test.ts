import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { memoryReplayStore as makeStore } from '../../../src/replay/index.ts'
import { replayStoreContract } from '../../../src/testing/index.ts'
import { forAll } from '../properties/arbitraries.ts'
import { withFreshTokens } from './fresh-tokens.ts'

afterEach(() => {
  vi.useRealTimers()
})

const memoryReplayStore = (options?: { maxEntries?: number }) => withFreshTokens(makeStore(options))

describe('keeps the contract of a store', () => {
  for (const { name, run } of replayStoreContract(makeStore)) test(name, run)
})

test('holds an id until it has expired by the system clock too', async () => {
  const start = Date.UTC(2026, 0, 1)
  vi.useFakeTimers({ now: start })
  const store = memoryReplayStore({ maxEntries: 2 })
  await store.claim('a', 60)
  vi.setSystemTime(start - 10_000)
  await store.claim('after', 60) // needs no more than its own time
  vi.advanceTimersByTime(60_001)
  expect(await store.claim('a', 60)).toBe(false)
  expect(await store.claim('after', 60)).toBe(true)
  await expect(store.claim('b', 60)).rejects.toThrow('full')
  vi.advanceTimersByTime(10_000)
  expect(await store.claim('b', 60)).toBe(true)
})

test('rejects new ids when full, with a message, and keeps the held ones', async () => {
  const store = memoryReplayStore({ maxEntries: 3 })
  for (const id of ['a', 'b', 'c']) await store.claim(id, 60)
  await expect(store.claim('d', 60)).rejects.toThrow('the replay store is full: it holds 3 ids')
  for (const id of ['a', 'b', 'c']) expect(await store.claim(id, 60)).toBe(false)
  await store.release('b')
  expect(await store.claim('d', 60).catch(() => 'full')).toBe('full') // a release is remembered
  expect(await store.claim('b', 60)).toBe(true)
  await expect(store.release('e')).rejects.toThrow('full')
})

test('treats different strings as different ids', async () => {
  const store = memoryReplayStore()
  const ids = ['a', 'a\0', '\xff', '\u0101', '\ud800', '\ud801', 'x'.repeat(64), 'x'.repeat(65)]
  for (const isFree of [true, false]) for (const id of ids) expect(await store.claim(id, 60)).toBe(isFree)
})

test('starts no timer', async () => {
  vi.useFakeTimers()
  await memoryReplayStore().claim('a', 60)
  expect(vi.getTimerCount()).toBe(0)
})

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 24 + 1, '10', null])(
  'refuses maxEntries %s',
  maxEntries => expect(() => makeStore({ maxEntries: maxEntries as number })).toThrow(TypeError)
)

/** Makes steps for a store: claims of a few ids, releases, and clocks that move. */
const STEPS = fc.array(
  fc.record({
    releases: fc.integer({ min: 0, max: 4 }).map(n => n === 0),
    id: fc.nat(25).map(n => `${n}`),
    ttl: fc.oneof(fc.constantFrom(10, 30, 250, 1000), fc.integer({ min: 1, max: 20_000 })),
    wait: fc.oneof(fc.constantFrom(0, 10, 20), fc.nat(30_000)),
    setBy: fc.oneof(fc.constant(0), fc.integer({ min: -20_000, max: 20_000 }))
  }),
  { maxLength: 300 }
)

/** Models the store in the simplest way: a Map whose every entry is checked at each step. */
function plainModel() {
  const held = new Map<string, { monotonic: number; system: number; isReleased: boolean }>()
  return {
    held,
    forgetExpired() {
      for (const [id, { monotonic, system }] of held)
        if (monotonic <= performance.now() && system <= Date.now()) held.delete(id)
    },
    hold: (id: string, ttl: number, isReleased = false) =>
      held.set(id, { monotonic: performance.now() + ttl, system: Date.now() + ttl, isReleased })
  }
}

test('holds what a plain map would, and is full only of ids that have not expired', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  await forAll(
    [STEPS, fc.integer({ min: 1, max: 40 })],
    async (steps, maxEntries) => {
      const store = memoryReplayStore({ maxEntries })
      const { held, forgetExpired, hold } = plainModel()
      for (const { releases, id, ttl, wait } of steps) {
        vi.advanceTimersByTime(wait)
        forgetExpired()
        if (releases) {
          const outcome = await store.release(id).catch(() => 'full')
          const isFull = !held.has(id) && held.size >= maxEntries
          expect(outcome).toBe(isFull ? 'full' : undefined)
          if (!isFull) hold(id, 60_000, true)
          continue
        }
        const expected = held.get(id)?.isReleased ?? (held.size < maxEntries || 'full')
        if (expected === true) hold(id, ttl)
        expect(await store.claim(id, ttl / 1000).catch(() => 'full')).toBe(expected)
      }
    },
    { numRuns: 300 }
  )
})

test('forgets no id that has not expired by both clocks, however the system clock is set', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  await forAll(
    [STEPS],
    async steps => {
      const store = memoryReplayStore({ maxEntries: 8 })
      const { held, forgetExpired, hold } = plainModel()
      for (const { id, ttl, wait, setBy } of steps) {
        vi.advanceTimersByTime(wait)
        vi.setSystemTime(Date.now() + setBy)
        forgetExpired()
        if ((await store.claim(id, ttl / 1000).catch(() => false)) === false) continue
        expect([...held.keys()]).not.toContain(id)
        hold(id, ttl)
      }
    },
    { numRuns: 300 }
  )
})

test('a store is not full for long after 100,000 ids have expired', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  const store = memoryReplayStore({ maxEntries: 100_000 })
  for (let n = 0; n < 100_000; n++) await store.claim(`${n}`, n % 2 === 0 ? 600 : 1)
  vi.advanceTimersByTime(2000)
  for (let n = 0; n < 40_000; n++) expect(await store.claim(`new ${n}`, 600)).toBe(true)
})

test('takes as many ids as a Map can hold, and says so when more are asked for', () => {
  expect(makeStore({ maxEntries: 2 ** 24 })).toBeTypeOf('object')
  expect(() => makeStore({ maxEntries: 2 ** 24 + 1 })).toThrow(
    'maxEntries is the number 16777217: pass a whole number from 1 to 16777216'
  )
})

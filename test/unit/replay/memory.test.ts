import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { expiringIds } from '../../../src/replay/expiring-ids.ts'
import { idRows } from '../../../src/replay/id-rows.ts'
import { memoryReplayStore } from '../../../src/replay/index.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const replayId = (n: number) => createHash('sha256').update(String(n)).digest('base64url')

afterEach(() => {
  vi.useRealTimers()
})

describe('memoryReplayStore', () => {
  it('gives an id to one of many callers', async () => {
    const store = memoryReplayStore()
    const claims = await Promise.all(Array.from({ length: 100 }, () => store.claim('one', 60)))
    expect(claims.filter(won => won)).toHaveLength(1)
  })

  it('holds an id for its time to live, and no longer', async () => {
    vi.useFakeTimers()
    const store = memoryReplayStore()
    expect(await store.claim('a', 1.5)).toBe(true)
    vi.advanceTimersByTime(1499)
    expect(await store.claim('a', 1.5)).toBe(false)
    vi.advanceTimersByTime(2)
    expect(await store.claim('a', 1.5)).toBe(true)
    expect(await store.claim('a', 1.5)).toBe(false)
  })

  it('does not hold an id longer when it is claimed again', async () => {
    vi.useFakeTimers()
    const store = memoryReplayStore()
    await store.claim('a', 10)
    vi.advanceTimersByTime(9000)
    expect(await store.claim('a', 10)).toBe(false)
    vi.advanceTimersByTime(1001)
    expect(await store.claim('a', 10)).toBe(true)
  })

  it('forgets nothing early when the system time is set forward', async () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) })
    const store = memoryReplayStore({ maxEntries: 1 })
    await store.claim('a', 60)
    vi.setSystemTime(Date.UTC(2027, 0, 1))
    expect(await store.claim('a', 60)).toBe(false)
    await expect(store.claim('b', 60)).rejects.toThrow('full')
    vi.advanceTimersByTime(60_001)
    expect(await store.claim('b', 60)).toBe(true)
  })

  it('holds an id until it has expired by the system clock too', async () => {
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

  it('grants a released id again, and no other', async () => {
    const store = memoryReplayStore()
    await store.claim('a', 60)
    await store.claim('b', 60)
    await store.release('a')
    await store.release('never claimed')
    expect(await store.claim('a', 60)).toBe(true)
    expect(await store.claim('b', 60)).toBe(false)
  })

  it('rejects new ids when full, with a message, and keeps the held ones', async () => {
    const store = memoryReplayStore({ maxEntries: 3 })
    for (const id of ['a', 'b', 'c']) await store.claim(id, 60)
    await expect(store.claim('d', 60)).rejects.toThrow('the replay store is full: it holds 3 ids')
    for (const id of ['a', 'b', 'c']) expect(await store.claim(id, 60)).toBe(false)
    await store.release('b')
    expect(await store.claim('d', 60)).toBe(true)
  })

  it('reuses the places of expired ids, in whatever order they expire', async () => {
    vi.useFakeTimers()
    const store = memoryReplayStore({ maxEntries: 3 })
    await store.claim('long', 100)
    await store.claim('short', 1)
    await store.claim('middle', 50)
    vi.advanceTimersByTime(2000)
    expect(await store.claim('new', 100)).toBe(true)
    await expect(store.claim('newer', 100)).rejects.toThrow('full')
    expect(await store.claim('middle', 50)).toBe(false)
  })

  it('treats different strings as different ids', async () => {
    const store = memoryReplayStore()
    const ids = ['a', 'a\0', 'ÿ', 'ā', '\ud800', '\ud801', 'x'.repeat(64), 'x'.repeat(65), 'x'.repeat(1000)]
    for (const id of ids) expect(await store.claim(id, 60)).toBe(true)
    for (const id of ids) expect(await store.claim(id, 60)).toBe(false)
    for (const id of ids) await store.release(id)
    for (const id of ids) expect(await store.claim(id, 60)).toBe(true)
  })

  it('starts no timer', async () => {
    vi.useFakeTimers()
    const store = memoryReplayStore()
    await store.claim('a', 60)
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 24 + 1, '10', null])(
    'refuses maxEntries %s',
    maxEntries => {
      expect(() => memoryReplayStore({ maxEntries: maxEntries as number })).toThrow(TypeError)
    }
  )

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '60', undefined])(
    'refuses ttlSeconds %s',
    async ttl => {
      const store = memoryReplayStore()
      await expect(store.claim('a', ttl as number)).rejects.toThrow(TypeError)
      expect(await store.claim('a', 60)).toBe(true)
    }
  )

  it.each(['', 7, undefined])('refuses id %s', async id => {
    const store = memoryReplayStore()
    await expect(store.claim(id as string, 60)).rejects.toThrow(TypeError)
    await expect(store.release(id as string)).rejects.toThrow(TypeError)
  })
})

describe('idRows', () => {
  it('distinguishes ids that differ in one character or in length', () => {
    const rows = idRows()
    const long = 'x'.repeat(64)
    rows.set(0, 'abc')
    rows.set(1, long)
    rows.set(2, `${long}x`)
    rows.set(3, 'ā')
    for (const [slot, id] of ['abc', long, `${long}x`, 'ā'].entries()) {
      expect(rows.holds(slot, id)).toBe(true)
      for (const other of ['', 'ab', 'abd', 'abcd', 'xbc', `${long.slice(1)}y`, `${long}y`, '\x01', 'a']) {
        expect(rows.holds(slot, other)).toBe(false)
      }
    }
    rows.set(2, 'short')
    expect(rows.holds(2, 'short')).toBe(true)
    rows.set(0, `${long}z`)
    expect(rows.holds(0, 'abc')).toBe(false)
    expect(rows.holds(0, `${long}z`)).toBe(true)
  })
})

describe('expiringIds', () => {
  // The plainest thing that does the same: a Map whose every entry is looked at on every step.
  it('behaves like a plain map, in any order of adds, deletes and passing time', () => {
    const step = fc.record({
      do: fc.constantFrom('add', 'add', 'delete'),
      id: fc.nat(25).map(n => (n % 7 === 0 ? `${n}`.repeat(40) : `${n}`)),
      ttl: fc.oneof(fc.constantFrom(10, 30, 250, 1000), fc.integer({ min: 1, max: 20_000 })),
      wait: fc.oneof(fc.constant(0), fc.constantFrom(10, 20), fc.nat(300), fc.nat(30_000))
    })
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 300 }),
        fc.integer({ min: 1, max: 40 }),
        (steps, maxEntries) => {
          const ids = expiringIds(maxEntries)
          const model = new Map<string, number>()
          let now = 0
          for (const { do: what, id, ttl, wait } of steps) {
            now += wait
            for (const [known, expiry] of model) if (expiry <= now) model.delete(known)
            if (what === 'delete') {
              ids.delete(id)
              model.delete(id)
              continue
            }
            const expected = model.has(id) ? 'held' : model.size >= maxEntries ? 'full' : 'added'
            if (expected === 'added') model.set(id, now + ttl)
            expect(ids.add(id, now, 1e12 + now, ttl)).toBe(expected)
            expect(ids.size).toBeLessThanOrEqual(maxEntries)
          }
        }
      ),
      { numRuns: 500 }
    )
  })

  it('forgets no id that has not expired by both clocks, however the system clock is set', () => {
    const step = fc.record({
      id: fc.nat(9).map(n => `${n}`),
      ttl: fc.integer({ min: 1, max: 1000 }),
      wait: fc.nat(300),
      setBy: fc.integer({ min: -2000, max: 2000 })
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), steps => {
        const ids = expiringIds(8)
        const held = new Map<string, { expiry: number; systemExpiry: number }>()
        let now = 0
        let system = 1e12
        for (const { id, ttl, wait, setBy } of steps) {
          now += wait
          system += wait + setBy
          for (const [known, { expiry, systemExpiry }] of held) {
            if (expiry <= now && systemExpiry <= system) held.delete(known)
          }
          if (ids.add(id, now, system, ttl) !== 'added') continue
          expect([...held.keys()]).not.toContain(id)
          held.set(id, { expiry: now + ttl, systemExpiry: system + ttl })
        }
      }),
      { numRuns: 500 }
    )
  })

  it('reclaims every place again after the system clock was set back, a bounded number for each add', () => {
    const ids = expiringIds(100_000)
    const start = 1e12
    for (let n = 0; n < 100_000; n++) ids.add(replayId(n), 0, start, 1000)
    expect(ids.add('new', 2000, start - 3_600_000, 1000)).toBe('full')
    const later = 2000 + 3_601_000
    for (let n = 0; n < 100_000; n++) expect(ids.add(`new ${n}`, later, start + 1000, 1000)).toBe('added')
  })

  it('expires an id at the exact millisecond, and holds it again when it is claimed then', () => {
    const ids = expiringIds(10)
    expect(ids.add('a', 1000, 1000, 150)).toBe('added')
    expect(ids.add('a', 1149, 1149, 150)).toBe('held')
    expect(ids.add('a', 1150, 1150, 150)).toBe('added')
    expect(ids.add('a', 1150, 1150, 150)).toBe('held')
    expect(ids.size).toBe(1)
  })

  it('finds every id again while thousands come, go and grow the table', () => {
    const ids = expiringIds(20_000)
    const live = 15_000
    for (let n = 0; n < 60_000; n++) {
      expect(ids.add(replayId(n), n, n, live)).toBe('added')
      if (n % 7 === 0) expect(ids.add(replayId(Math.max(0, n - live + 1)), n, n, live)).toBe('held')
    }
    expect(ids.size).toBeLessThanOrEqual(live + 2000)
  })

  it('keeps no memory for ids that were claimed and released', () => {
    const ids = expiringIds(1)
    for (let n = 0; n < 10_000; n++) {
      expect(ids.add(replayId(n), n, n, 60_000 * (1 + n))).toBe('added')
      ids.delete(replayId(n))
    }
    expect(ids.size).toBe(0)
  })

  it('reclaims a few ids with each add and the rest with later adds, even after a long pause', async () => {
    const ids = expiringIds(1000)
    for (let n = 0; n < 1000; n++) ids.add(replayId(n), n, n, 10_000)
    const aYear = 365 * 24 * 3600 * 1000
    const addMany = () => {
      for (let n = 1000; n < 2000; n++) expect(ids.add(replayId(n), aYear, aYear, 10_000)).toBe('added')
    }
    expect(await cpuTime(addMany)).toBeLessThan(1000) // a step for each tick of a year takes several seconds
    expect(ids.add(replayId(2000), aYear, aYear, 10_000)).toBe('full')
    expect(ids.size).toBe(1000)
  })

  it('treats a clock that goes back as stopped', () => {
    const ids = expiringIds(10)
    ids.add('a', 100_000, 100_000, 10_000)
    expect(ids.add('b', 50_000, 50_000, 10_000)).toBe('added')
    expect(ids.add('a', 50_000, 50_000, 10_000)).toBe('held')
    expect(ids.add('b', 109_999, 109_999, 10_000)).toBe('held')
    expect(ids.add('b', 110_000, 110_000, 10_000)).toBe('added')
  })

  // The bench measures a million. Here a look at every id would make the larger table a hundred times slower.
  it('costs about the same with 100,000 ids as with 1,000', () => {
    const costOfAdd = (held: number): number => {
      const ids = expiringIds(2 * held)
      for (let n = 0; n < held; n++) ids.add(replayId(n), 0, 0, 300_000 + n)
      const rounds = Array.from({ length: 20 }, (_, round) => {
        const batch = Array.from({ length: 500 }, (_, n) => replayId(held + 500 * round + n))
        const start = performance.now()
        for (const id of batch) ids.add(id, 0, 0, 300_000)
        const end = performance.now()
        for (const id of batch) ids.delete(id)
        return end - start
      })
      return Math.min(...rounds)
    }
    costOfAdd(1000) // compiled and warm
    expect(costOfAdd(100_000) / costOfAdd(1000)).toBeLessThan(10)
  })
})

import { describe, expect, it } from 'vitest'
import { memoryReplayStore, type ReplayStore } from '../../../src/replay/index.ts'
import { type ReplayStoreContractOptions, replayStoreContract } from '../../../src/testing/index.ts'

/** The names of the cases that a store does not pass. */
async function failuresOf(make: () => ReplayStore, options?: ReplayStoreContractOptions): Promise<string[]> {
  const failed = await Promise.all(
    replayStoreContract(make, options).map(({ name, run }) =>
      run().then(
        () => [],
        error => {
          expect(error).toBeInstanceOf(Error)
          expect(error.message).not.toBe('')
          return [name]
        }
      )
    )
  )
  return failed.flat()
}

interface Entry {
  expiry: number
  owner: object
}

/** The simplest correct store, over entries that several may share; `break` replaces a part of it. */
function simpleStore(
  entries: Map<string, Entry>,
  faults: {
    key?: (id: string) => string
    answer?: (claimed: boolean) => unknown
    ttl?: (seconds: number) => number
    isSlow?: boolean
    prolongs?: boolean
    releases?: 'anything' | 'nothing' | 'everything' | 'what it claimed once'
  } = {}
): ReplayStore {
  const owner = {}
  const claimed = new Set<string>()
  const { key = id => id, answer = claimed => claimed, ttl = seconds => seconds } = faults
  return {
    async claim(id, ttlSeconds) {
      const held = entries.get(key(id))
      const expiry = performance.now() + ttl(ttlSeconds) * 1000
      if (faults.isSlow) await new Promise(resolve => setTimeout(resolve, 1))
      if (held !== undefined && held.expiry > performance.now()) {
        if (faults.prolongs) held.expiry = expiry
        return answer(false) as boolean
      }
      entries.set(key(id), { expiry, owner })
      claimed.add(id)
      return answer(true) as boolean
    },
    async release(id) {
      if (faults.releases === 'nothing') return
      if (faults.releases === 'everything') entries.clear()
      if (faults.releases === 'what it claimed once' && claimed.has(id)) entries.delete(id)
      if (faults.releases === 'anything' || entries.get(key(id))?.owner === owner) entries.delete(key(id))
    }
  }
}

describe('replayStoreContract', () => {
  it('is a list of distinct names, each with a test of its own', () => {
    const cases = replayStoreContract(memoryReplayStore)
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length)
    expect(cases.map(({ run }) => typeof run)).toEqual(cases.map(() => 'function'))
  })

  it('passes stores that share their ids, and stores that do not', async () => {
    expect(await failuresOf(() => simpleStore(new Map()))).toEqual([])
    const shared = new Map()
    expect(await failuresOf(() => simpleStore(shared))).toEqual([])
  })

  const faulty = (faults: Parameters<typeof simpleStore>[1]) => {
    const shared = new Map<string, Entry>()
    return failuresOf(() => simpleStore(shared, faults))
  }

  // Side by side: they wait for claims to expire.
  it.concurrent.each([
    ['says true to every claim', { answer: () => true }, 'claims an id once'],
    ['says false to every claim', { answer: () => false }, 'claims an id once'],
    ['answers OK or null', { answer: (claimed: boolean) => (claimed ? 'OK' : null) }, 'claims an id once'],
    ['ignores case', { key: (id: string) => id.toLowerCase() }, 'keeps different ids apart'],
    ['trims ids', { key: (id: string) => id.trim() }, 'keeps different ids apart'],
    ['normalizes ids', { key: (id: string) => id.normalize() }, 'keeps different ids apart'],
    ['cuts ids', { key: (id: string) => id.slice(0, 255) }, 'keeps different ids apart'],
    ['reads before it writes', { isSlow: true }, 'gives an id to one of many concurrent claims'],
    [
      'reads before it takes over',
      { isSlow: true },
      'holds an id for its time to live, then gives it to one of many claims'
    ],
    [
      'forgets early',
      { ttl: (s: number) => s / 1000 },
      'holds an id for its time to live, then gives it to one of many claims'
    ],
    ['rounds down', { ttl: Math.floor }, 'takes a time to live that is a fraction, below a second, or a day'],
    [
      'never forgets',
      { ttl: () => 1e9 },
      'holds an id for its time to live, then gives it to one of many claims'
    ],
    ['prolongs', { prolongs: true }, 'holds an id for its time to live, then gives it to one of many claims'],
    ['releases nothing', { releases: 'nothing' }, 'releases an id for one claim, and no other id'],
    ['releases everything', { releases: 'everything' }, 'releases an id for one claim, and no other id'],
    [
      "releases anybody's claim",
      { releases: 'anything' },
      "does not release another store's claim, not even when its own has expired"
    ],
    [
      'releases a newer claim of another store, late',
      { releases: 'what it claimed once' },
      "does not release another store's claim, not even when its own has expired"
    ]
  ] as const)('fails a store that %s', async (_, faults, name) => {
    expect(await faulty(faults)).toContain(name)
  })

  it('requires a store that cannot be reached to reject', async () => {
    const name = 'rejects while it cannot be reached'
    const answering = (answer: () => Promise<boolean>): ReplayStore => ({
      claim: answer,
      release: async () => void (await answer())
    })
    const unreachable = (answer: () => Promise<boolean>) =>
      failuresOf(memoryReplayStore, { makeUnreachable: () => answering(answer) })
    expect(await unreachable(() => Promise.reject(new Error('down')))).toEqual([])
    expect(await unreachable(async () => true)).toEqual([name])
    expect(await unreachable(async () => false)).toEqual([name])
  })

  it('rejects an argument that is not a function', () => {
    expect(() => replayStoreContract(memoryReplayStore() as never)).toThrow(TypeError)
    expect(() => replayStoreContract(memoryReplayStore, { makeUnreachable: 7 as never })).toThrow(TypeError)
  })
})

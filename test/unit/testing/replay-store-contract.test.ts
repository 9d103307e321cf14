import { expect, test } from 'vitest'
import { memoryReplayStore, type ReplayStore } from '../../../src/replay/index.ts'
import { type ReplayStoreContractOptions, replayStoreContract } from '../../../src/testing/index.ts'

/** Returns the names of the cases that a store fails. */
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
  token: string
  isReleased: boolean
  expiry: number
}

/** Makes the simplest correct store, over entries that several may share; `faults` replace a part of it. */
function simpleStore(
  entries: Map<string, Entry>,
  faults: {
    key?: (id: string) => string
    tokenOf?: (token: string) => string
    answer?: (claimed: boolean) => unknown
    ttl?: (seconds: number) => number
    isSlow?: boolean
    prolongs?: boolean
    refusesRepeated?: boolean
    releases?: 'anything' | 'nothing' | 'everything' | 'without remembering' | 'what is held alone'
  } = {}
): ReplayStore {
  const { key = id => id, tokenOf = token => token, answer = claimed => claimed, ttl = s => s, releases } = faults
  const liveEntry = (id: string): Entry | undefined => {
    const entry = entries.get(key(id))
    return entry !== undefined && entry.expiry > performance.now() ? entry : undefined
  }
  const write = (id: string, token: string, isReleased: boolean, ttlSeconds: number) =>
    entries.set(key(id), { token, isReleased, expiry: performance.now() + ttl(ttlSeconds) * 1000 })
  return {
    async claim(id, given, ttlSeconds) {
      const token = tokenOf(given)
      const entry = liveEntry(id)
      if (faults.isSlow) await new Promise(resolve => setTimeout(resolve, 1))
      const isOurs = entry?.token === token
      if (entry !== undefined && entry.isReleased === isOurs) {
        if (faults.prolongs) entry.expiry = performance.now() + ttl(ttlSeconds) * 1000
        return answer(false) as boolean
      }
      if (isOurs) return answer(faults.refusesRepeated !== true) as boolean
      write(id, token, false, ttlSeconds)
      return answer(true) as boolean
    },
    async release(id, given, ttlSeconds) {
      const token = tokenOf(given)
      const entry = liveEntry(id)
      if (releases === 'nothing') return
      if (releases === 'everything') return entries.clear()
      if (releases === 'what is held alone' && entry === undefined) return
      const isFree = entry === undefined || entry.isReleased || entry.token === token
      if (!isFree && releases !== 'anything') return
      if (releases === 'without remembering') entries.delete(key(id))
      else write(id, token, true, ttlSeconds)
    }
  }
}

test('the contract is a list of distinct names, each with a test of its own', () => {
  const cases = replayStoreContract(memoryReplayStore)
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length)
  expect(cases.map(({ run }) => typeof run)).toEqual(cases.map(() => 'function'))
})

test('passes stores that share their ids, and stores that do not', async () => {
  expect(await failuresOf(() => simpleStore(new Map()))).toEqual([])
  const shared = new Map()
  expect(await failuresOf(() => simpleStore(shared))).toEqual([])
})

const faulty = (faults: Parameters<typeof simpleStore>[1]) => {
  const shared = new Map<string, Entry>()
  return failuresOf(() => simpleStore(shared, faults))
}

const HELD = 'a free id is held by the token that claims it'
const TIMED = 'holds an id for its time to live, then gives it to one of many claims'
const APART = 'keeps different ids apart'
const NEXT = 'a released id is held by the next token, and never again by the same'

// The cases run concurrently: they wait for claims to expire.
test.concurrent.each([
  ['says true to every claim', { answer: () => true }, HELD],
  ['says false to every claim', { answer: () => false }, HELD],
  ['answers OK or null', { answer: (claimed: boolean) => (claimed ? 'OK' : null) }, HELD],
  ['ignores the token', { tokenOf: () => 't' }, HELD],
  ['takes no repeated claim for the same', { refusesRepeated: true }, 'the same claim sent twice is true'],
  ['ignores the case of tokens', { tokenOf: (token: string) => token.toLowerCase() }, 'keeps different tokens apart'],
  ['ignores case', { key: (id: string) => id.toLowerCase() }, APART],
  ['trims ids', { key: (id: string) => id.trim() }, APART],
  ['normalizes ids', { key: (id: string) => id.normalize() }, APART],
  ['cuts ids', { key: (id: string) => id.slice(0, 255) }, APART],
  ['reads before it writes', { isSlow: true }, 'gives an id to one of many concurrent claims'],
  ['reads a released id before it writes', { isSlow: true }, 'gives a released id to one of many concurrent claims'],
  ['reads before it takes over', { isSlow: true }, TIMED],
  ['forgets early', { ttl: (s: number) => s / 1000 }, TIMED],
  ['rounds down', { ttl: Math.floor }, 'takes a time to live that is a fraction, below a second, or a day'],
  ['never forgets', { ttl: () => 1e9 }, TIMED],
  ['never forgets a release', { ttl: () => 1e9 }, 'remembers a release for its time to live'],
  ['prolongs', { prolongs: true }, TIMED],
  ['releases nothing', { releases: 'nothing' }, NEXT],
  ['releases everything', { releases: 'everything' }, APART],
  [
    'releases the claim of another token',
    { releases: 'anything' },
    'a release does not free the claim of another token'
  ],
  ['deletes what it releases', { releases: 'without remembering' }, NEXT],
  [
    'remembers no release of a free id',
    { releases: 'what is held alone' },
    'a release that arrives before its claim makes that false'
  ]
] as const)('fails a store that %s', async (_, faults, name) => expect(await faulty(faults)).toContain(name))

test('requires a store that cannot be reached to reject', async () => {
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

test('rejects an argument that is not a function', () => {
  expect(() => replayStoreContract(memoryReplayStore() as never)).toThrow(TypeError)
  expect(() => replayStoreContract(memoryReplayStore, { makeUnreachable: 7 as never })).toThrow(TypeError)
})

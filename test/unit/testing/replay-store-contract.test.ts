import { expect, test } from 'vitest'
import { memoryReplayStore, type ReplayStore } from '../../../src/replay/index.ts'
import { type ReplayStoreContractOptions, replayStoreContract } from '../../../src/testing/index.ts'

/** Returns the names of the cases that a store fails. */
async function failuresOf(make: () => ReplayStore): Promise<string[]> {
  const failed = await Promise.all(
    replayStoreContract(make).map(({ name, run }) =>
      run().then(
        () => [],
        () => [name]
      )
    )
  )
  return failed.flat()
}

/** Runs the cases of these names. */
const runCases = (names: readonly string[], make: () => ReplayStore, options?: ReplayStoreContractOptions) =>
  replayStoreContract(make, options)
    .filter(({ name }) => names.includes(name))
    .map(({ run }) => run())

interface Entry {
  token: string
  isReleased: boolean
  expiry: number
}

interface Faults {
  key?: (id: string) => string
  tokenOf?: (token: string) => string
  answer?: (claimed: boolean) => unknown
  ttl?: (seconds: number) => number
  isSlow?: boolean
  prolongs?: boolean
  refusesRepeated?: boolean
  releases?:
    | 'anything'
    | 'nothing'
    | 'everything'
    | 'without remembering'
    | 'what is held alone'
    | 'what is not released'
}

/** Makes the simplest correct store, over entries that several may share; `faults` replace a part of it. */
function simpleStore(entries: Map<string, Entry>, faults: Faults = {}): ReplayStore {
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
      if (releases === 'what is not released' && entry?.isReleased) return
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

const HELD = 'a free id is held by the token that claims it'
const TWICE = 'the same claim sent twice is true'
const TIMED = 'holds an id for its time to live, then gives it to one of many claims'
const APART = 'keeps different ids apart'
const TOKENS = 'keeps different tokens apart'
const NEXT = 'a released id is held by the next token, and never again by the same'
const OTHER = 'a release does not free the claim of another token'
const LATE = 'a release that is sent twice, or late, does not free the next claim'
const EARLY = 'a release that arrives before its claim makes that false'
const LAST = 'of two releases the last one is remembered'
const ONE_OF_MANY = 'gives an id to one of many concurrent claims'
const ONE_RELEASED = 'gives a released id to one of many concurrent claims'
const REMEMBERED = 'remembers a release for its time to live'
const FRACTION = 'takes a time to live that is a fraction, below a second, or a day'

const FAULTY: readonly [name: string, Faults, failed: string[], message?: string | RegExp][] = [
  [
    'says true to every claim',
    { answer: () => true },
    [HELD],
    'of a new id, claim(t), then claim(u): it resolved to true, not false'
  ],
  ['says false to every claim', { answer: () => false }, [HELD, APART], /^of a new id, then|^the claim of "[^ ]+" was/],
  [
    'answers OK or null',
    { answer: claimed => (claimed ? 'OK' : null) },
    [HELD],
    'claim resolved to a string: it must be true or false'
  ],
  ['ignores the token', { tokenOf: () => 't' }, [HELD]],
  ['takes no repeated claim for the same', { refusesRepeated: true }, [TWICE]],
  ['ignores the case of tokens', { tokenOf: token => token.toLowerCase() }, [TOKENS]],
  ['ignores case', { key: id => id.toLowerCase() }, [APART]],
  ['trims ids', { key: id => id.trim() }, [APART]],
  ['normalizes ids', { key: id => id.normalize() }, [APART]],
  ['cuts ids', { key: id => id.slice(0, 255) }, [APART]],
  [
    'reads before it writes',
    { isSlow: true },
    [ONE_OF_MANY, ONE_RELEASED, TIMED],
    // The time may end between two of the claims.
    /^(?:[2-9]|1\d|20) of 20 concurrent claims were true: exactly one may be$/
  ],
  ['forgets early', { ttl: s => s / 1000 }, [TIMED], /^an id claimed for 500 ms was free after [\d.]+ ms$/],
  [
    'rounds down',
    { ttl: Math.floor },
    [FRACTION],
    'an id claimed for 0.25 s was claimed again: a replay would be let in'
  ],
  ['never forgets', { ttl: () => 1e9 }, [TIMED, REMEMBERED], 'an id claimed for 500 ms is held long after that'],
  ['prolongs', { prolongs: true }, [TIMED]],
  [
    'releases nothing',
    { releases: 'nothing' },
    [NEXT],
    'of a new id, claim(t), release(t), then claim(t): it resolved to true, not false'
  ],
  ['releases everything', { releases: 'everything' }, [APART], /^"[^ ]+" was claimed again: a replay would be let in$/],
  ['releases the claim of another token', { releases: 'anything' }, [OTHER, LATE]],
  ['deletes what it releases', { releases: 'without remembering' }, [NEXT]],
  ['remembers no release of a free id', { releases: 'what is held alone' }, [EARLY]],
  ['remembers the first of two releases', { releases: 'what is not released' }, [LAST]]
]

// These run concurrently: some wait for claims to expire.
test.concurrent.each(FAULTY)('fails a store that %s', async (_, faults, failed, message = /./) => {
  const shared = new Map<string, Entry>()
  const runs = runCases(failed, () => simpleStore(shared, faults))
  expect(runs).toHaveLength(failed.length)
  await Promise.all(runs.map(run => expect(run).rejects.toThrow(message)))
})

test('each promise of the contract is broken by one of these stores', () => {
  const names = replayStoreContract(memoryReplayStore).map(({ name }) => name)
  expect(new Set(FAULTY.flatMap(([, , failed]) => failed))).toEqual(new Set(names))
})

test('requires a store that cannot be reached to reject', async () => {
  const makeUnreachable = (answer: () => Promise<boolean>) => (): ReplayStore => ({
    claim: answer,
    release: async () => void (await answer())
  })
  const unreachable = (answer: () => Promise<boolean>) =>
    runCases(['rejects while it cannot be reached'], memoryReplayStore, { makeUnreachable: makeUnreachable(answer) })
  expect(await unreachable(() => Promise.reject(new Error('down')))[0]).toBeUndefined()
  const says = (result: string) => `a call resolved to ${result}: only a rejection says "unknown"`
  await expect(unreachable(async () => true)[0]).rejects.toThrow(says('true'))
  await expect(unreachable(async () => false)[0]).rejects.toThrow(says('false'))
  const releasesAnyway = () => ({ claim: () => Promise.reject(new Error('down')), release: async () => {} })
  const [run] = runCases(['rejects while it cannot be reached'], memoryReplayStore, { makeUnreachable: releasesAnyway })
  await expect(run).rejects.toThrow(says('undefined'))
})

test('rejects an argument that is not a function', () => {
  expect(() => replayStoreContract(memoryReplayStore() as never)).toThrow(TypeError)
  expect(() => replayStoreContract(memoryReplayStore, { makeUnreachable: 7 as never })).toThrow(TypeError)
})

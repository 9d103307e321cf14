import { mistake, ownOptions } from '../mistakes/mistakes.ts'
import { assertId, assertTtl, type ReplayStore } from './store.ts'

// Ten minutes, the whole window of the default tolerance, at 1,600 requests a second.
const DEFAULT_MAX_ENTRIES = 1_000_000

// A `Map` holds no more.
const MOST_ENTRIES = 2 ** 24

// A `Map` copies itself when it grows: 240 ms with a million ids in one, at most 20 ms in each of several.
const SHARDS = 16

// Each claim adds one id, so any number above one removes expired ids faster than new ones arrive.
const CHECKED_PER_CLAIM = 4
const CHECKED_WHEN_FULL = 1000

/** When an id expires, by both clocks, in milliseconds. */
interface Expiry {
  monotonic: number
  system: number
}

/**
 * A replay store in this process's memory: for a receiver that is one process, with up to a few hundred requests a
 * second. It starts no timer: each claim also checks a few other ids, in turn, and removes those that have expired.
 *
 * When `maxEntries` ids are held, `claim` of a new one rejects with an `Error` (the verifier then reports
 * `replay-store-failed`) rather than forget an id that could still be replayed.
 *
 * @param options.maxEntries ids held at most, 1 to 16,777,216; the default of 1,000,000 takes about 200 MB when full
 * @throws TypeError for a bad option
 *
 * @example
 * const verify = createVerifier({ ...options, replayStore: memoryReplayStore({ maxEntries: 100_000 }) })
 */
export function memoryReplayStore(options: { maxEntries?: number } = {}): ReplayStore {
  const { maxEntries = DEFAULT_MAX_ENTRIES } = ownOptions('memoryReplayStore', options, ['maxEntries'])
  if (!Number.isInteger(maxEntries) || maxEntries < 1 || maxEntries > MOST_ENTRIES)
    throw mistake('maxEntries is', maxEntries, `pass a whole number from 1 to ${MOST_ENTRIES}`)
  const shards = Array.from({ length: SHARDS }, () => new Map<string, Expiry>())
  const shardOf = (id: string) => shards[id.charCodeAt(0) % SHARDS]!
  const inTurn = entriesInTurn(shards)
  const isFull = () => shards.reduce((sum, { size }) => sum + size, 0) >= maxEntries
  const removeExpired = (now: Expiry) => {
    for (let n = 0; n < CHECKED_PER_CLAIM || (n < CHECKED_WHEN_FULL && isFull()); n++) {
      const entry = inTurn.next().value
      if (entry !== undefined && isOver(entry[1], now)) shardOf(entry[0]).delete(entry[0])
    }
  }

  return {
    async claim(id, ttlSeconds) {
      assertId(id)
      assertTtl(ttlSeconds)
      const now = { monotonic: performance.now(), system: Date.now() }
      const shard = shardOf(id)
      const held = shard.get(id)
      if (held !== undefined && !isOver(held, now)) return false
      shard.delete(id)
      removeExpired(now)
      if (isFull()) {
        const message = `the replay store is full: it holds ${maxEntries} ids and forgets none before it expires`
        throw Object.assign(new Error(message), { code: 'REPLAY_STORE_FULL' })
      }
      const ttl = ttlSeconds * 1000
      shard.set(id, { monotonic: now.monotonic + ttl, system: now.system + ttl })
      return true
    },
    async release(id) {
      assertId(id)
      shardOf(id).delete(id)
    }
  }
}

/**
 * By both clocks: setting the system clock forward must not free an id, and setting it back must hold it longer,
 * because a Date is checked by that clock.
 */
function isOver(expiry: Expiry, now: Expiry): boolean {
  return expiry.monotonic <= now.monotonic && expiry.system <= now.system
}

/** Every entry, over and over, and undefined after each shard. A `Map` may change while it is iterated. */
function* entriesInTurn(shards: readonly Map<string, Expiry>[]) {
  for (;;) {
    for (const shard of shards) {
      yield* shard
      yield undefined
    }
  }
}

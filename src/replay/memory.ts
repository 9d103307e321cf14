import { mistake, validateCall } from '../core/mistakes.ts'
import { assertCall, type ReplayStore } from '../core/replay/store.ts'

// Holds ten minutes, the whole window of the default tolerance, at 1,600 requests a second.
const DEFAULT_MAX_ENTRIES = 1_000_000

// A `Map` cannot hold more.
const MAX_MAP_SIZE = 2 ** 24

// A `Map` copies itself when it grows: 240 ms with a million ids in one, at most 20 ms in each of several.
const SHARDS = 16

// Each call adds at most one id, so any number above one removes expired ids faster than new ones arrive.
const CHECKED_PER_CALL = 4
const CHECKED_WHEN_FULL = 1000

interface Time {
  monotonic: number
  system: number
}

/** The entry of an id; it expires when both clocks say so, in milliseconds. */
interface Entry extends Time {
  token: string
  isReleased: boolean
}

/**
 * Makes a replay store in this process's memory, for a receiver that is one process. It starts no timer: each call that
 * stores an id also removes a few that have expired.
 *
 * When `maxEntries` ids are held, a call with a new one rejects with an `Error` (the verifier then reports
 * `replay-store-failed`) rather than forget an id that could still be replayed.
 *
 * @param options.maxEntries ids held at most, 1 to 16,777,216; 1,000,000 by default. Each takes at most 300 bytes of
 *   heap, as `npm run test:costs` shows
 * @throws TypeError for a bad option
 *
 * @example
 * const verify = createVerifier({ ...options, replayStore: memoryReplayStore({ maxEntries: 100_000 }) })
 */
export function memoryReplayStore(options: { maxEntries?: number | undefined } = {}): ReplayStore {
  const [maxEntries] = validateCall(memoryReplayStore, 'memoryReplayStore', options, ['maxEntries'], own => [
    () => validateMaxEntries(own.maxEntries)
  ])
  const shards = Array.from({ length: SHARDS }, () => new Map<string, Entry>())
  const shardOf = (id: string) => shards[id.charCodeAt(0) % SHARDS]!
  const inTurn = entriesInTurn(shards)
  const isFull = () => shards.reduce((sum, { size }) => sum + size, 0) >= maxEntries

  /** Returns the entry of an id, or undefined when the id is free. */
  const entryOf = (id: string, now: Time): Entry | undefined => {
    const entry = shardOf(id).get(id)
    return entry === undefined || isOver(entry, now) ? undefined : entry
  }
  const keep = (id: string, token: string, isReleased: boolean, ttlSeconds: number, now: Time): void => {
    removeExpired(now)
    if (!shardOf(id).has(id) && isFull()) {
      const message = `the replay store is full: it holds ${maxEntries} ids, and removes none before it expires`
      throw Object.assign(new Error(message), { code: 'REPLAY_STORE_FULL' })
    }
    const ttl = ttlSeconds * 1000
    shardOf(id).set(id, { token, isReleased, monotonic: now.monotonic + ttl, system: now.system + ttl })
  }
  const removeExpired = (now: Time): void => {
    for (let n = 0; n < CHECKED_PER_CALL || (n < CHECKED_WHEN_FULL && isFull()); n++) {
      const entry = inTurn.next().value
      if (entry !== undefined && isOver(entry[1], now)) shardOf(entry[0]).delete(entry[0])
    }
  }

  return {
    async claim(id, token, ttlSeconds) {
      assertCall(id, token, ttlSeconds)
      const now = readClocks()
      const entry = entryOf(id, now)
      // The id is held by another token, or was released by this one.
      if (entry !== undefined && entry.isReleased === (entry.token === token)) return false
      if (entry?.token !== token) keep(id, token, false, ttlSeconds, now)
      return true
    },
    async release(id, token, ttlSeconds) {
      assertCall(id, token, ttlSeconds)
      const now = readClocks()
      const entry = entryOf(id, now)
      if (entry === undefined || entry.isReleased || entry.token === token) keep(id, token, true, ttlSeconds, now)
    }
  }
}

function validateMaxEntries(value: unknown = DEFAULT_MAX_ENTRIES): number {
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_MAP_SIZE) return value as number
  throw mistake('maxEntries is', value, `pass a whole number from 1 to ${MAX_MAP_SIZE}`)
}

const readClocks = (): Time => ({ monotonic: performance.now(), system: Date.now() })

/**
 * Returns whether the time is over by both clocks: setting the system clock forward must not free an id, and setting it
 * back must hold it longer, because a Date is checked by that clock.
 */
const isOver = (expiry: Time, now: Time): boolean => expiry.monotonic <= now.monotonic && expiry.system <= now.system

/** Yields every entry, over and over, and undefined after each shard. A `Map` may change while it is iterated. */
function* entriesInTurn(shards: readonly Map<string, Entry>[]) {
  for (;;) {
    for (const shard of shards) {
      yield* shard
      yield undefined
    }
  }
}

import { ownOptions } from '../mistakes/own-options.ts'
import { expiringIds } from './expiring-ids.ts'
import { assertId, assertTtl, type ReplayStore } from './store.ts'

// Ten minutes, the whole window of the default tolerance, at 1,600 requests a second.
const DEFAULT_MAX_ENTRIES = 1_000_000

// About 2 GB. A receiver that needs more needs a shared store.
const MOST_ENTRIES = 2 ** 24

/**
 * A replay store in this process's memory: for a receiver that is one process. It starts no timer.
 *
 * When `maxEntries` ids are held, `claim` of a new one rejects with an `Error` (the verifier then reports
 * `replay-store-failed`) rather than forget an id that could still be replayed.
 *
 * @param options.maxEntries ids held at most, 1 to 16,777,216; the default of 1,000,000 takes about 120 MB when full
 * @throws TypeError for a bad option
 */
export function memoryReplayStore(options: { maxEntries?: number } = {}): ReplayStore {
  const { maxEntries = DEFAULT_MAX_ENTRIES } = ownOptions('memoryReplayStore', options, ['maxEntries'])
  if (!Number.isInteger(maxEntries) || maxEntries < 1 || maxEntries > MOST_ENTRIES) {
    throw new TypeError(
      `maxEntries must be a whole number from 1 to ${MOST_ENTRIES}, not ${String(maxEntries)}`
    )
  }
  const ids = expiringIds(maxEntries)
  return {
    async claim(id, ttlSeconds) {
      assertId(id)
      assertTtl(ttlSeconds)
      // Setting the system clock forward must not free an id, and setting it back must hold it longer: a Date is judged
      // by that clock.
      const result = ids.add(id, performance.now(), Date.now(), ttlSeconds * 1000)
      if (result === 'full') {
        const message = `the replay store is full: it holds ${maxEntries} ids and forgets none before it expires`
        throw Object.assign(new Error(message), { code: 'REPLAY_STORE_FULL' })
      }
      return result === 'added'
    },
    async release(id) {
      assertId(id)
      ids.delete(id)
    }
  }
}

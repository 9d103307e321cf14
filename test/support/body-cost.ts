import { base64Digest } from '../../src/core/http/digest.ts'
import { findBodyChange } from '../../src/explain/body/change.ts'
import { leastSyncTime } from './cpu-time.ts'

/** Measures the search for what happened to a body, with and without a signed Content-Length, in milliseconds. */
export const searchTime = (body: Buffer, runs: number): number =>
  Math.max(
    leastSyncTime(() => findBodyChange(body, undefined, isNever), runs),
    leastSyncTime(() => findBodyChange(body, body.length + 1, isNever), runs)
  )

/** Hashes as a digest does, and finds nothing. */
const isNever = (bytes: Uint8Array): boolean => base64Digest('sha256', bytes) === ''

/** A diagnosis takes at most so many milliseconds, and the search is one part of it. */
export const MAX_SEARCH_TIME = 5

/** Measures many bodies quickly: only those near the limit are measured more often. */
export function quickSearchTime(body: Buffer): number {
  const time = searchTime(body, 2)
  return time < MAX_SEARCH_TIME / 2 ? time : searchTime(body, 20)
}

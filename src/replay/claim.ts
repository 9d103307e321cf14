import { errorLabel, fail, ok, type Result, withCause } from '../verdict/result.ts'
import type { ReplayStore } from './store.ts'

/**
 * Claims an id with a deadline. A claim that succeeds later is released: its request was reported as unavailable, so a
 * retry of the same bytes must be accepted.
 *
 * Fails with `replayed` or `replay-store-failed`.
 */
export function claimInTime(
  store: ReplayStore,
  id: string,
  ttlSeconds: number,
  timeout: number
): Promise<Result<string>> {
  return new Promise(resolve => {
    let expired = false
    const timer = setTimeout(() => {
      expired = true
      resolve(fail('replay-store-failed', { error: `no answer within ${timeout} ms` }))
    }, timeout)

    callStore(() => store.claim(id, ttlSeconds)).then(
      claimed => {
        clearTimeout(timer)
        if (expired && claimed === true) callStore(() => store.release(id)).catch(() => {})
        resolve(readClaim(claimed, id))
      },
      error => {
        clearTimeout(timer)
        resolve(withCause(fail('replay-store-failed', { error: errorLabel(error) }), error))
      }
    )
  })
}

/** A store may throw where it should reject. */
const callStore = async <T>(call: () => Promise<T>): Promise<T> => call()

function readClaim(claimed: unknown, id: string): Result<string> {
  if (claimed === true) return ok(id)
  return claimed === false
    ? fail('replayed', { replayId: id })
    : fail('replay-store-failed', { error: 'not a boolean' })
}

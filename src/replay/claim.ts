import { withDeadline } from '../deadline.ts'
import { errorLabel, fail, ok, type Result, withCause } from '../verdict/result.ts'
import type { ReplayStore } from './store.ts'

/** A claim that is under way, or was too late and is not taken back yet. */
interface Undecided {
  /** what its request was told, when it is certain what the store holds */
  decided: Promise<Result<string>>
  /** when the id will have expired, by the monotonic clock in milliseconds */
  until: number
}

const undecidedOf = new WeakMap<ReplayStore, Map<string, Undecided>>()

/**
 * Claims an id with a deadline. A claim that the store grants later is released: its request was reported as
 * unavailable, so a retry of the same bytes must be accepted. Until then such a retry waits, and is unavailable as well
 * when its own time is over: what the store holds would be this process's own late claim.
 *
 * Fails with `replayed` or `replay-store-failed`.
 */
export async function claimInTime(
  store: ReplayStore,
  id: string,
  ttlSeconds: number,
  timeout: number
): Promise<Result<string>> {
  const start = performance.now()
  const undecided = undecidedOf.get(store) ?? new Map<string, Undecided>()
  undecidedOf.set(store, undecided)
  for (const [expired, { until }] of undecided) {
    if (until > start) break
    undecided.delete(expired)
  }
  let left = timeout
  for (;;) {
    const earlier = undecided.get(id)
    if (earlier === undefined) break
    const outcome = await withDeadline(earlier.decided, left, () => undefined)
    if (outcome?.ok || outcome?.code === 'replayed') return fail('replayed', { replayId: id })
    left = timeout - (performance.now() - start)
    if (outcome === undefined || left <= 0) return fail('replay-store-failed', { error: UNDECIDED })
  }

  const { result, decided } = claimOnce(store, id, ttlSeconds, left)
  undecided.set(id, { decided, until: start + ttlSeconds * 1000 })
  decided.then(() => undecided.delete(id))
  return result
}

const UNDECIDED = 'an earlier claim is undecided'

function claimOnce(store: ReplayStore, id: string, ttlSeconds: number, timeout: number) {
  let isLate = false
  const claimed: Promise<Result<string>> = callStore(() => store.claim(id, ttlSeconds, timeout)).then(
    claimed => readClaim(claimed, id),
    error => withCause(fail('replay-store-failed', { error: errorLabel(error) }), error)
  )
  const result = withDeadline(claimed, timeout, () => {
    isLate = true
    return fail('replay-store-failed', { error: `no answer within ${Math.round(timeout)} ms` })
  })
  const decided = claimed.then(late => {
    if (!isLate || !late.ok) return result
    // When that fails, the id is held until it expires, and undecided as long.
    return callStore(() => store.release(id)).then(
      () => result,
      () => new Promise<never>(() => {})
    )
  })
  return { result, decided }
}

/** A store may throw where it should reject. */
const callStore = async <T>(call: () => Promise<T>): Promise<T> => call()

function readClaim(claimed: unknown, id: string): Result<string> {
  if (claimed === true) return ok(id)
  return claimed === false
    ? fail('replayed', { replayId: id })
    : fail('replay-store-failed', { error: 'not a boolean' })
}

import { withDeadline } from '../promises.ts'
import { errorLabel, fail, ok, type Result, withCause } from '../verdict/result.ts'
import type { ReplayStore } from './store.ts'

/** A claim that is under way, or was too late and is not taken back yet. */
interface Undecided {
  /** what its request was told */
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
  // Not by timers: those of Workers end with their request.
  for (const [expired, { until }] of undecided) {
    if (until > start) break
    undecided.delete(expired)
  }
  let left = timeout
  for (let earlier = undecided.get(id); earlier !== undefined; earlier = undecided.get(id)) {
    const outcome = await withDeadline(earlier.decided, left, () => undefined).catch(() => undefined)
    if (outcome?.ok || outcome?.code === 'replayed') return fail('replayed', { replayId: id })
    left = timeout - (performance.now() - start)
    if (outcome === undefined || left <= 0)
      return fail('replay-store-failed', { error: 'an earlier claim is undecided' })
  }

  let isLate = false
  // A store may throw where it should reject.
  const claim = async (): Promise<Result<string>> => {
    try {
      const claimed: unknown = await store.claim(id, ttlSeconds, left)
      if (claimed === true) return ok(id)
      if (claimed === false) return fail('replayed', { replayId: id })
      return fail('replay-store-failed', { error: 'not a boolean' })
    } catch (error) {
      return withCause(fail('replay-store-failed', { error: errorLabel(error) }), error)
    }
  }
  const claimed = claim()
  const result = withDeadline(claimed, left, () => {
    isLate = true
    return fail('replay-store-failed', { error: `no answer within ${Math.round(left)} ms` })
  })
  const decided = claimed.then(async late => {
    if (isLate && late.ok) await store.release(id)
    return result
  })
  const entry = { decided, until: start + timeout + ttlSeconds * 1000 }
  undecided.set(id, entry)
  // When the release fails, the id is held until it expires, and undecided as long.
  decided.then(
    () => undecided.get(id) === entry && undecided.delete(id),
    () => {}
  )
  return result
}

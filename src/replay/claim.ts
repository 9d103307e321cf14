import { withDeadline } from '../deadline.ts'
import { errorLabel, fail, ok, type Result, withCause } from '../verdict/result.ts'
import type { ReplayStore } from './store.ts'

/** Claims that are under way, or were too late and are not taken back yet: what their requests were told. */
const undecidedOf = new WeakMap<ReplayStore, Map<string, Promise<Result<string>>>>()

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
  const undecided = undecidedOf.get(store) ?? new Map<string, Promise<Result<string>>>()
  undecidedOf.set(store, undecided)
  let left = timeout
  for (let earlier = undecided.get(id); earlier !== undefined; earlier = undecided.get(id)) {
    const outcome = await withDeadline(earlier, left, () => undefined).catch(() => undefined)
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
    // However long the store takes, the id has expired then. A timer of Workers is a number.
    setTimeout(forget, ttlSeconds * 1000).unref?.()
    return fail('replay-store-failed', { error: `no answer within ${Math.round(left)} ms` })
  })
  const decided = claimed.then(async late => {
    if (isLate && late.ok) await store.release(id)
    return result
  })
  const forget = () => {
    if (undecided.get(id) === decided) undecided.delete(id)
  }
  undecided.set(id, decided)
  // When the release fails, the id is held until it expires, and undecided as long.
  decided.then(forget, () => {})
  return result
}

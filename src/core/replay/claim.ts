import { shareCalls, withDeadline } from '../promises.ts'
import { errorLabel, fail, failureIn, ok, type Result, withCause } from '../result/result.ts'
import { isUnreachable } from '../result/unreachable.ts'
import type { ReplayStore } from './store.ts'

/** A claim of one request, with the data that its release needs. */
export interface Claim {
  readonly id: string
  readonly token: string
  readonly ttlSeconds: number
  /** when the id will have expired, by the monotonic clock in milliseconds */
  readonly until: number
}

export type Claims = ReturnType<typeof createClaims>

/** At this limit, pending releases take about 3 MB. */
const MAX_WAITING = 10_000

/** Milliseconds between two attempts while the store cannot be reached. */
const RETRY_PAUSE = 200

/**
 * Milliseconds until an attempt that is not answered counts as failed. Clients replace a connection on which nothing
 * comes and goes for some seconds: an attempt before that would keep it.
 */
const ATTEMPT_TIMEOUT = 5000

/**
 * Milliseconds after a failure in which a held id may be an honest retry: a claim whose answer is lost may hold its id,
 * also for another process. Such a retry must not be `replayed`.
 */
const RECENT_FAILURE = 10_000

/** When a call of each store failed last in this process, by the monotonic clock, for all verifiers that share it. */
const lastFailures = /* @__PURE__ */ new WeakMap<ReplayStore, number>()

/** A pool of `pg` has this many connections. */
const RETRIED_AT_ONCE = 10

/**
 * Creates the claims of one verifier, with a deadline. The token of a claim that failed or was late is released: its
 * request was reported as unavailable, so a retry of the same bytes must be accepted. The release is tried at once, and
 * with pauses while the store cannot be reached, until the id would have expired; nobody waits. On Workers, where
 * timers end with their request, the first attempt is the only one.
 */
export function createClaims(store: ReplayStore, timeout: number) {
  /** Counts a call of the store that was rejected or given up. */
  const noteFailure = () => void lastFailures.set(store, performance.now())
  const hasJustFailed = () => performance.now() - (lastFailures.get(store) ?? -Infinity) < RECENT_FAILURE

  /** Claims that are still to be released, the oldest first, and why each of them failed, if it did. */
  const waiting = new Map<Claim, unknown>()

  /**
   * @param reason why the claim failed; undefined when it did not
   * @throws (rejects) when the store fails or is late; then it is tried again
   */
  function releaseClaim(claim: Claim, reason?: unknown): Promise<void> {
    waiting.set(claim, reason)
    const [oldest] = waiting.keys()
    if (waiting.size > MAX_WAITING) waiting.delete(oldest!)
    const attempted = attempt(claim)
    within(ATTEMPT_TIMEOUT, attempted).catch(retryAll)
    return within(timeout, attempted).catch((error: unknown) => {
      noteFailure()
      throw error
    })
  }

  async function attempt(claim: Claim): Promise<void> {
    await store.release(claim.id, claim.token, claim.ttlSeconds)
    waiting.delete(claim)
  }

  const pauseAfterFailure = () => {
    noteFailure()
    return pause()
  }

  const retryAll = shareCalls(async () => {
    while (waiting.size > 0) {
      await pause()
      // A Map may grow while it is iterated.
      const claims = waiting.keys()
      const retry = async () => {
        for (const claim of claims) {
          if (claim.until <= performance.now()) waiting.delete(claim)
          else await within(ATTEMPT_TIMEOUT, attempt(claim)).catch(pauseAfterFailure)
        }
      }
      await Promise.all(Array.from({ length: RETRIED_AT_ONCE }, retry))
    }
  })

  /** Finds a claim of this id that is still to be released, with the reason why it failed. */
  function undecided(id: string): readonly [Claim, reason: unknown] | undefined {
    for (const entry of waiting) if (entry[0].id === id && entry[0].until > performance.now()) return entry
    return undefined
  }

  /** Fails with `replayed` or `replay-store-failed`. */
  async function claim(id: string, ttlSeconds: number): Promise<Result<Claim>> {
    // The id may be held by a claim whose request was never accepted.
    const earlier = undecided(id)
    if (earlier !== undefined) {
      const failure = fail('replay-store-failed', { error: 'an earlier claim is undecided', problem: 'undecided' })
      const [, reason] = earlier
      return reason === undefined ? failure : withCause(failure, reason)
    }
    const claim = { id, token: newToken(), ttlSeconds, until: performance.now() + ttlSeconds * 1000 }
    const reply = withoutThrow((): Promise<unknown> => store.claim(id, claim.token, ttlSeconds))
    let failure: Result<never>
    let reason: unknown
    try {
      const isHeld = await withDeadline(reply, timeout, () => LATE)
      if (isHeld === true) return ok(claim)
      if (isHeld === false) {
        // The claim that holds it may be that of a request whose sender got no answer.
        if (hasJustFailed())
          return fail('replay-store-failed', { error: 'the store has just failed', problem: 'undecided' })
        return fail('replayed', { replayId: id })
      }
      const recorded = failureIn(isHeld)
      if (recorded !== undefined) return recorded
      failure =
        isHeld === LATE
          ? fail('replay-store-failed', { error: noAnswer(timeout), problem: 'late' })
          : fail('replay-store-failed', { error: 'not a boolean', problem: 'wrong-type' })
      if (isHeld === LATE) {
        noteFailure()
        reason = new Error(noAnswer(timeout))
      }
    } catch (error) {
      noteFailure()
      const label = errorLabel(error)
      const problem = isUnreachable(label) ? 'unreachable' : 'threw'
      failure = withCause(fail('replay-store-failed', { error: label, problem }), error)
      reason = error
    }
    const giveUp = () => void releaseClaim(claim, reason).catch(() => {})
    giveUp()
    // The claim may have arrived behind its release, after another claim and its release: then it holds the id again.
    reply
      .then(isHeld => {
        if (isHeld === true && !waiting.has(claim)) giveUp()
      })
      .catch(() => {})
    return failure
  }

  return { store, claim, release: releaseClaim }
}

const LATE = Symbol('late')

const noAnswer = (timeout: number): string => `no answer within ${timeout} ms`

const within = <T>(timeout: number, promise: Promise<T>): Promise<T> =>
  withDeadline(promise, timeout, () => Promise.reject(new Error(noAnswer(timeout))))

/** Calls a store, which may throw instead of rejecting, or return a value that is not a promise. */
const withoutThrow = async <T>(call: () => Promise<T>): Promise<T> => call()

/**
 * Makes a token of 122 random bits. V8 keeps a UUID as a tree of its pieces, which takes 400 to 600 bytes for as long
 * as a store holds it; decoded from bytes, the same text is one piece of 56 bytes. Workers allow no random numbers
 * while a module is loaded.
 */
const newToken = (): string => Buffer.from(globalThis.crypto.randomUUID(), 'latin1').toString('latin1')

/** Waits without keeping the process alive. Timers of Workers are numbers. */
const pause = (): Promise<void> =>
  new Promise(resolve => {
    const timer: { unref?(): void } = setTimeout(resolve, RETRY_PAUSE)
    timer.unref?.()
  })

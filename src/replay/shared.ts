import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { base64Digest } from '../http/digest.ts'
import { shareCalls } from '../promises.ts'
import { assertId, assertTtl, type ReplayStore } from './store.ts'

/** What a store of several processes needs from its database. */
export interface Database {
  name: string
  /**
   * Takes the id unless another token holds it. Twice with one token is the same as once.
   *
   * @param timeout milliseconds after which it must not take the id, if the database can tell
   * @returns the token that holds the id now; '' when it is another one and the database does not know which
   * @throws (rejects) when that is not certain
   */
  take(id: string, token: string, ttlSeconds: number, timeout: number): Promise<string>
  /** Puts `confirmed` in the place of the token that holds the id; both have the same length. */
  confirm(id: string, token: string, confirmed: string): Promise<unknown>
  /** Frees the id if the token that holds it begins with `start`, and what follows there sorts before `end`. */
  free(id: string, start: string, end: string): Promise<unknown>
  /** whether the error says for certain that nothing was taken */
  isUndone?(error: unknown): boolean
  /** calls reach the database in their order: `free` undoes a `take` that is still under way */
  inOrder: boolean
}

/** Arguments of `free` that have to be repeated until it succeeds, or the id has expired. */
interface Withdrawal {
  id: string
  start: string
  end: string
  /** by the monotonic clock in milliseconds */
  until: number
}

const PENDING = 'p'
const CONFIRMED = 'c'
const EITHER = 'z'

// While another process has not confirmed its claim: how often the id is looked at.
const LOOK_AGAIN = 100

const RETRY_AFTER = 200
// As many as a pool of `pg` has connections. After a long outage thousands are waiting, and other processes answer 503
// to the retries of their requests until then.
const RETRIED_AT_ONCE = 10
const RELEASE_PATIENCE = 5000
const MOST_WITHDRAWALS = 100_000 // about 30 MB, after a long outage
const A_DAY = 86_400_000

/**
 * A replay store of several processes. Each claim has a token: 12 characters for the store object, 9 for the claim, and
 * one that says whether the claim was granted. So a release frees only what this object has claimed, and a claim can be
 * withdrawn without freeing any other.
 *
 * A claim that is late, or whose reply was lost, is withdrawn, again and again until that has succeeded: its request
 * was not accepted, so a retry must be, in any process. In this one the next claim of the id does it first; another
 * one finds a claim that is not confirmed, which does not make the request a replay.
 *
 * So is one whose release failed: its request will be sent again. A release frees only claims that began before it, so
 * a late one, which the database does after a retry was granted, does not free the claim of that.
 */
export function sharedReplayStore(database: Database): ReplayStore {
  /** By the start of the token and the id. */
  const withdrawals = new Map<string, Withdrawal>()
  /** Tokens that are under way, or granted and not confirmed so far, with the time when their ids will have expired. */
  const pending = new Map<string, number>()
  let claims = 0
  let owner = ''
  /** Of one length, so that they sort as numbers. */
  const nextNumber = () => {
    // Not before the first claim: Workers have no random values while a module loads.
    owner ||= randomBytes(9).toString('base64url')
    return (claims++).toString(36).padStart(9, '0')
  }

  /** Kept in the list until it has succeeded. */
  const free = async (withdrawal: Withdrawal): Promise<void> => {
    const { id, start, end } = withdrawal
    const key = `${start} ${id}`
    if (withdrawals.size < MOST_WITHDRAWALS) withdrawals.set(key, withdrawal)
    await database.free(id, start, end)
    if (withdrawals.get(key) === withdrawal) withdrawals.delete(key)
  }
  // A Map may grow while it is iterated.
  const retryAll = shareCalls(async () => {
    while (withdrawals.size > 0) {
      const entries = withdrawals.entries()
      const retry = async () => {
        for (const [key, withdrawal] of entries) {
          if (withdrawal.until < performance.now()) withdrawals.delete(key)
          else await free(withdrawal).catch(() => sleep(RETRY_AFTER, undefined, { ref: false }))
        }
      }
      await Promise.all(Array.from({ length: RETRIED_AT_ONCE }, retry))
    }
  })

  /**
   * Whether our own token should not hold the id: its claim failed, and the database did it behind its withdrawal, or
   * its release has not succeeded so far.
   */
  const isOver = (id: string, token: string): boolean =>
    (token.endsWith(PENDING) && !pending.has(token)) ||
    token.slice(owner.length) < (withdrawals.get(`${owner} ${id}`)?.end ?? '')

  return {
    name: database.name,
    async claim(id, ttlSeconds, timeout = A_DAY) {
      assertId(id)
      assertTtl(ttlSeconds)
      const stored = storedId(id)
      const number = nextNumber()
      const claim = owner + number
      const token = claim + PENDING
      const now = performance.now()
      const until = now + ttlSeconds * 1000
      for (const [expired, end] of pending) {
        if (end > now) break
        pending.delete(expired)
      }
      pending.set(token, until)
      const fail = (mayHold: boolean) => {
        pending.delete(token)
        if (mayHold) free({ id: stored, start: claim, end: EITHER, until }).catch(retryAll)
      }
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        fail(database.inOrder)
      }, timeout)
      try {
        while (!isLate) {
          const holder = await database.take(stored, token, ttlSeconds, timeout)
          if (isLate) break
          if (holder === token) {
            // Nobody waits for it: without it other processes answer a replay with 503 instead of 401.
            database.confirm(stored, token, claim + CONFIRMED).then(
              () => pending.delete(token),
              () => {}
            )
            return true
          }
          const isOurs = holder.startsWith(owner)
          if (isOurs && isOver(stored, holder)) await database.free(stored, holder, EITHER)
          else if (isOurs || holder.endsWith(CONFIRMED) || timeout === A_DAY) {
            fail(false)
            return false
          } else await sleep(Math.min(LOOK_AGAIN, timeout / 4))
        }
        throw new Error(`no answer within ${timeout} ms`)
      } catch (error) {
        fail(!database.isUndone?.(error))
        throw error
      } finally {
        clearTimeout(timer)
      }
    },
    async release(id) {
      assertId(id)
      const start = performance.now()
      const end = nextNumber()
      const withdrawal = { id: storedId(id), start: owner, end, until: start + A_DAY }
      // The retry may come to another process: it is told to come when it will be accepted.
      for (;;) {
        try {
          return await free(withdrawal)
        } catch (error) {
          retryAll()
          if (performance.now() > start + RELEASE_PATIENCE) throw error
          await sleep(RETRY_AFTER)
        }
      }
    }
  }
}

/**
 * An id as a database writes it: unchanged when it is short and printable ASCII, as the verifier's are, otherwise a
 * hash. PostgreSQL accepts no NUL and no long key, and UTF-8 has one replacement for every lone surrogate.
 */
export const storedId = (id: string): string =>
  /^(?!sha256:)[!-~]{1,200}$/.test(id) ? id : `sha256:${base64Digest('sha256', Buffer.from(id, 'utf16le'))}`

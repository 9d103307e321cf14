import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { base64Digest } from '../http/digest.ts'
import { assertId, assertTtl, type ReplayStore } from './store.ts'

/** What a store of several processes needs from its database. */
export interface Database {
  name: string
  /**
   * Takes the id unless another token holds it. Twice with one token is the same as once.
   *
   * @param timeout milliseconds after which it must not take the id, if the database can tell
   * @returns the token that holds the id now; '' when it is another one and the database does not know which; undefined
   *   when it is another one that is no late claim
   * @throws (rejects) when that is not certain
   */
  take(id: string, token: string, ttlSeconds: number, timeout: number): Promise<string | undefined>
  /** Puts `confirmed` in the place of the token that holds the id; both have the same length. */
  confirm(id: string, token: string, confirmed: string): Promise<void>
  /** Frees the id if the token that holds it begins with `start`, and what follows there sorts before `end`. */
  free(id: string, start: string, end: string): Promise<void>
  /** whether the error says for certain that nothing was taken */
  isUndone?(error: unknown): boolean
  /** calls reach the database in their order: `free` undoes a `take` that is still under way */
  inOrder: boolean
}

/** Claims that may have taken their id although they were not granted, or hold it although it was released. */
interface Undecided {
  id: string
  /** the start of their tokens, and the end of what follows */
  tokens: Map<string, string>
  /** when the id will have expired, by the monotonic clock in milliseconds */
  until: number
}

const PENDING = 'p'
const CONFIRMED = 'c'
const EITHER = 'z'

// While another process has not confirmed its claim: how often the id is looked at, and for how long.
const LOOK_AGAIN = 100
const PATIENCE = 1000

const RETRY_AFTER = 200
const RELEASE_PATIENCE = 5000
const WITHDRAWN_AT_ONCE = 100
const MOST_UNDECIDED = 100_000 // about 30 MB, after a long outage
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
  const undecided = new Map<string, Undecided>()
  /** Tokens that are under way, or granted and not confirmed so far, with the time when their ids will have expired. */
  const pending = new Map<string, number>()
  let isWithdrawing = false
  let numbers = 0
  let owner = ''
  // Not before the first claim: Workers have no random values while a module loads.
  const ownerToken = () => {
    owner ||= randomBytes(9).toString('base64url')
    return owner
  }

  const take = async (
    id: string,
    token: string,
    ttlSeconds: number,
    timeout: number,
    isLate: () => boolean
  ): Promise<boolean> => {
    const giveUp = performance.now() + Math.min(timeout, PATIENCE)
    for (let look = 1; !isLate() && performance.now() < giveUp; look++) {
      const holder = await database.take(id, token, ttlSeconds, timeout)
      if (holder === token) return true
      if (holder === undefined || (holder === '' && look > 1)) return false
      // A claim that was withdrawn, and whose command came to the database behind that on another connection.
      const isGhost = holder.startsWith(ownerToken()) && holder.endsWith(PENDING) && !pending.has(holder)
      if (isGhost) {
        await database.free(id, holder, EITHER)
        continue
      }
      if (holder.startsWith(ownerToken()) || holder.endsWith(CONFIRMED)) return false
      await sleep(Math.min(LOOK_AGAIN, timeout / 4))
    }
    if (timeout === A_DAY) return false // it is held, and a caller without a timeout asks no more
    throw new Error('the id is held by a claim that is not confirmed')
  }

  const remember = (id: string, start: string, end: string, until: number): Undecided => {
    const claim = undecided.get(id) ?? { id, tokens: new Map(), until }
    claim.tokens.set(start, end)
    if (undecided.size < MOST_UNDECIDED) undecided.set(id, claim)
    return claim
  }
  const withdraw = (id: string, token: string, until: number): Promise<void> =>
    free(remember(id, token, EITHER, until)).catch(withdrawAll)
  const free = async (claim: Undecided): Promise<void> => {
    for (const [start, end] of claim.tokens) {
      await database.free(claim.id, start, end)
      if (claim.tokens.get(start) === end) claim.tokens.delete(start)
    }
    if (claim.tokens.size === 0 && undecided.get(claim.id) === claim) undecided.delete(claim.id)
  }
  const withdrawAll = async (): Promise<void> => {
    if (isWithdrawing) return
    isWithdrawing = true
    while (undecided.size > 0) {
      const [first, ...others] = [...undecided.values()].slice(0, WITHDRAWN_AT_ONCE) as [Undecided]
      try {
        await free(first) // one alone, as long as the database is down
        await Promise.all(others.map(free))
      } catch {
        undecided.delete(first.id)
        if (first.until > performance.now()) undecided.set(first.id, first) // behind the others
        await sleep(RETRY_AFTER, undefined, { ref: false })
      }
    }
    isWithdrawing = false
  }

  return {
    name: database.name,
    async claim(id, ttlSeconds, timeout = A_DAY) {
      assertId(id)
      assertTtl(ttlSeconds)
      const stored = storedId(id)
      const claim = ownerToken() + numberOf(numbers++)
      const token = claim + PENDING
      const until = performance.now() + ttlSeconds * 1000
      for (const [expired, end] of pending) {
        if (end > performance.now()) break
        pending.delete(expired)
      }
      pending.set(token, until)
      let isGranted = false
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        if (database.inOrder) withdraw(stored, claim, until)
      }, timeout)
      try {
        const earlier = undecided.get(stored)
        if (earlier !== undefined) await free(earlier)
        const isTaken = await take(stored, token, ttlSeconds, timeout, () => isLate)
        if (isLate) throw new Error(`no answer within ${timeout} ms`)
        // Nobody waits for it: without it other processes answer a replay with 503 instead of 401.
        isGranted = isTaken
        if (isTaken) {
          database.confirm(stored, token, claim + CONFIRMED).then(
            () => pending.delete(token),
            () => {}
          )
        }
        return isTaken
      } catch (error) {
        const isWithdrawn = isLate && database.inOrder
        if (!isWithdrawn && !database.isUndone?.(error)) withdraw(stored, claim, until)
        throw error
      } finally {
        clearTimeout(timer)
        if (!isGranted) pending.delete(token)
      }
    },
    async release(id) {
      assertId(id)
      const now = performance.now()
      const claim = remember(storedId(id), ownerToken(), numberOf(numbers++), now + A_DAY)
      // The retry may come to another process: it is told to come when it will be accepted.
      for (;;) {
        try {
          return await free(claim)
        } catch (error) {
          withdrawAll()
          if (performance.now() > now + RELEASE_PATIENCE) throw error
          await sleep(RETRY_AFTER)
        }
      }
    }
  }
}

/** Of one length, so that they sort as numbers. */
const numberOf = (claim: number): string => claim.toString(36).padStart(9, '0')

const PLAIN = /^[!-~]{1,200}$/
const HASHED = 'sha256:'

/**
 * An id as a database writes it: unchanged when it is short and printable ASCII, as the verifier's are, otherwise a
 * hash. PostgreSQL accepts no NUL and no long key, and UTF-8 has one replacement for every lone surrogate.
 */
export function storedId(id: string): string {
  if (PLAIN.test(id) && !id.startsWith(HASHED)) return id
  return HASHED + base64Digest('sha256', Buffer.from(id, 'utf16le'))
}

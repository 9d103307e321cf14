import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createVerifier, type Verified } from '../../../src/index.ts'
import { memoryReplayStore, type ReplayStore } from '../../../src/replay/index.ts'
import { service } from '../../support/service.ts'

const START = Date.UTC(2026, 10, 20, 12)

beforeEach(() => void vi.useFakeTimers({ now: START }))
afterEach(() => void vi.useRealTimers())

/** A call meets one of these on its way to the store and back. */
const FATES = ['done', 'lost', 'reply lost', 'late by one', 'late', 'twice'] as const
type Fate = (typeof FATES)[number]

/** Chooses the next branch each time: every combination of choices is made once. */
function createChoices() {
  const path: { taken: number; of: number }[] = []
  let at = 0
  return {
    choose<T>(from: readonly T[]): T {
      path[at] ??= { taken: 0, of: from.length }
      return from[path[at++]!.taken]!
    },
    /** False when there is no other combination. */
    next(): boolean {
      at = 0
      while (path.length > 0 && path.at(-1)!.taken + 1 === path.at(-1)!.of) path.pop()
      if (path.length > 0) path.at(-1)!.taken++
      return path.length > 0
    }
  }
}

type Choices = ReturnType<typeof createChoices>

/** Delays calls until the next request, or until all of them are over. */
interface Delayed {
  next: (() => unknown)[]
  last: (() => unknown)[]
}

function faultyStore(choices: Choices, store: ReplayStore, delayed: Delayed): ReplayStore {
  const through = <T>(call: () => Promise<T>): Promise<T> => {
    const later = (calls: (() => unknown)[]) =>
      new Promise<T>((resolve, reject) => calls.push(() => call().then(resolve, reject)))
    const lost = () => Promise.reject(new Error('the connection is lost'))
    const ways: Record<Fate, () => Promise<T>> = {
      done: call,
      lost,
      'reply lost': () => call().then(lost),
      'late by one': () => later(delayed.next),
      late: () => later(delayed.last),
      twice: () => {
        delayed.next.push(call)
        return call()
      }
    }
    return ways[choices.choose(FATES)]()
  }
  // One attempt of a release meets a fault; the next ones arrive.
  const attempted = new Set<string>()
  return {
    claim: (...call) => through(() => store.claim(...call)),
    release(...call) {
      const isFirst = !attempted.has(call[1])
      attempted.add(call[1])
      return isFirst ? through(() => store.release(...call)) : store.release(...call)
    }
  }
}

const COPIES = 2

test('at most one of all copies is verified and not released, and after a release a retry is verified', {
  timeout: 300_000
}, async () => {
  const request = service.sign({ date: new Date() })
  const choices = createChoices()
  const options = { ...service.options, replayTimeout: 100 }
  // Another process, with the same store; it parses the key once.
  let shared: ReplayStore
  const verifyRetry = createVerifier({
    ...options,
    replayStore: { claim: (...call) => shared.claim(...call), release: (...call) => shared.release(...call) }
  })
  let combinations = 0
  do {
    combinations += 1
    vi.setSystemTime(START)
    const delayed: Delayed = { next: [], last: [] }
    const store = memoryReplayStore()
    const verify = createVerifier({ ...options, replayStore: faultyStore(choices, store, delayed) })
    const verified = new Set<Verified>()
    for (let n = 0; n < COPIES; n++) {
      for (const call of delayed.next.splice(0)) call()
      // This runs before the next claim, however many turns the verifier takes: a subscriber of its channel adds one.
      await vi.advanceTimersByTimeAsync(0)
      const pending = verify(request)
      await vi.advanceTimersByTimeAsync(100)
      const verdict = await pending
      if (verdict.status === 'verified') {
        verified.add(verdict)
        // The receiver fails, or not. The verifier retries a release that rejects.
        if (choices.choose([false, true])) {
          verified.delete(verdict)
          const released = verify.release(verdict).catch(() => {})
          await vi.advanceTimersByTimeAsync(100)
          await released
        }
      }
      expect(verified.size).toBeLessThanOrEqual(1)
    }
    for (const call of [...delayed.next, ...delayed.last]) call()
    await vi.advanceTimersByTimeAsync(6000) // every release has arrived
    shared = store
    const retry = await verifyRetry(request)
    if (verified.size === 1) expect(retry.failures).toMatchObject([{ code: 'replayed' }])
    else expect(retry.status).toBe('verified')
  } while (choices.next())
  expect(combinations).toBe(754)
})

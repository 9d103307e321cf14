import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { claimInTime } from '../../../src/replay/claim.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A store whose answers the test gives, one for each claim. */
function slowStore() {
  const answers: ((claimed: boolean) => void)[] = []
  const released: string[] = []
  return {
    answers,
    released,
    claim: () => new Promise<boolean>(resolve => answers.push(resolve)),
    release: async (id: string): Promise<void> => void released.push(id)
  }
}

const failure = (error: string) => ({ ok: false, code: 'replay-store-failed', evidence: { error } })

describe('a claim that the store grants after the deadline', () => {
  it('is released, and a retry that waited for that asks the store again', async () => {
    const store = slowStore()
    const late = claimInTime(store, 'id', 60, 1000)
    await vi.advanceTimersByTimeAsync(1000)
    expect(await late).toMatchObject(failure('no answer within 1000 ms'))
    const retry = claimInTime(store, 'id', 60, 1000)
    await vi.advanceTimersByTimeAsync(500)
    expect(store.answers).toHaveLength(1)
    store.answers[0]?.(true)
    await vi.advanceTimersByTimeAsync(0)
    expect(store.released).toEqual(['id'])
    store.answers[1]?.(true)
    expect(await retry).toEqual({ ok: true, value: 'id' })
    expect(store.released).toEqual(['id'])
  })

  it('makes a retry unavailable, and never a replay, while the store has not answered', async () => {
    const store = slowStore()
    claimInTime(store, 'id', 60, 1000)
    await vi.advanceTimersByTimeAsync(1000)
    const retry = claimInTime(store, 'id', 60, 1000)
    await vi.advanceTimersByTimeAsync(1000)
    expect(await retry).toMatchObject(failure('an earlier claim is undecided'))
    expect(store.answers).toHaveLength(1)
  })

  it('makes a retry unavailable until the id has expired, when it cannot be released', async () => {
    const store = { ...slowStore(), release: () => Promise.reject(new Error('gone')) }
    claimInTime(store, 'id', 60, 1000)
    await vi.advanceTimersByTimeAsync(1000)
    store.answers[0]?.(true)
    await vi.advanceTimersByTimeAsync(59_999)
    expect(await claimInTime(store, 'id', 60, 1000)).toMatchObject(failure('an earlier claim is undecided'))
    await vi.advanceTimersByTimeAsync(1)
    const next = claimInTime(store, 'id', 60, 1000)
    await vi.advanceTimersByTimeAsync(0)
    store.answers[1]?.(true)
    expect(await next).toEqual({ ok: true, value: 'id' })
  })

  it('is forgotten without a timer, as those of Workers end with their request', async () => {
    claimInTime(slowStore(), 'id', 60, 1000)
    await vi.advanceTimersByTimeAsync(1000)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not concern another id, or another store', async () => {
    const store = slowStore()
    claimInTime(store, 'id', 60, 1000)
    await vi.advanceTimersByTimeAsync(1000)
    for (const [asked, id] of [[store, 'other'] as const, [slowStore(), 'id'] as const]) {
      const claimed = claimInTime(asked, id, 60, 1000)
      await vi.advanceTimersByTimeAsync(0)
      asked.answers.at(-1)?.(true)
      expect(await claimed).toEqual({ ok: true, value: id })
    }
  })
})

it('grants an id to one of two claims at once, without asking the store for the second', async () => {
  const store = slowStore()
  const claims = [claimInTime(store, 'id', 60, 1000), claimInTime(store, 'id', 60, 1000)]
  await vi.advanceTimersByTimeAsync(0)
  store.answers[0]?.(true)
  expect(await Promise.all(claims)).toMatchObject([{ ok: true }, { ok: false, code: 'replayed' }])
  expect(store.answers).toHaveLength(1)
})

it.each<[string, () => unknown, string]>([
  [
    'throws',
    () => {
      throw Object.assign(new Error('x'), { code: 'ECONNREFUSED' })
    },
    'ECONNREFUSED'
  ],
  ['rejects', () => Promise.reject(new RangeError('x')), 'RangeError'],
  ['resolves to OK', async () => 'OK', 'not a boolean']
])('fails when the store %s', async (_, claim, error) => {
  const store = { claim: claim as () => Promise<boolean>, release: async () => {} }
  expect(await claimInTime(store, 'id', 60, 1000)).toMatchObject(failure(error))
})

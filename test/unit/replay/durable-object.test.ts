import { expect, test } from 'vitest'
import { durableReplayStore, ReplayId } from '../../../examples/stores/durable-object.ts'
import { replayStoreContract } from '../../../src/testing/index.ts'

/**
 * Simulates Durable Objects as Workers run them: one object for each name, storage that outlives it, alarms, and a
 * gate: while an object waits for its storage, no other request reaches it.
 */
function durableObjects() {
  const stored = new Map<string, Map<string, unknown>>()
  const alarms = new Map<string, number>()
  const last = new Map<string, Promise<unknown>>()

  const objectFor = (name: string) => {
    if (!stored.has(name)) stored.set(name, new Map())
    const values = stored.get(name)!
    const later = <T>(step: () => T) => new Promise<T>(resolve => setTimeout(() => resolve(step()), 1))
    return new ReplayId({
      storage: {
        get: <T>(key: string) => later(() => values.get(key) as T | undefined),
        put: (key, value) => later(() => void values.set(key, value)),
        setAlarm: time => later(() => void alarms.set(name, time)),
        deleteAll: () => later(() => values.clear())
      }
    })
  }
  const gated = <T>(name: string, step: () => Promise<T>): Promise<T> => {
    const result = (last.get(name) ?? Promise.resolve()).then(step, step)
    last.set(name, result)
    return result
  }
  const namespace = {
    idFromName: (name: string) => name as unknown,
    get: (id: unknown) => ({
      fetch: (url: string, init: { method: string; body: string }) =>
        gated(id as string, () => objectFor(id as string).fetch(new Request(url, init)))
    })
  }
  return { namespace, stored, alarms, ring: (name: string) => gated(name, () => objectFor(name).alarm()) }
}

const { namespace } = durableObjects()
const unreachable = { ...namespace, get: () => ({ fetch: () => Promise.reject(new Error('overloaded')) }) }
const cases = replayStoreContract(() => durableReplayStore(namespace), {
  makeUnreachable: () => durableReplayStore(unreachable)
})
for (const { name, run } of cases) test(name, run)

test('keeps nothing of an id after its alarm, and an id that has not expired', async () => {
  const { namespace, stored, alarms, ring } = durableObjects()
  const store = durableReplayStore(namespace)
  await store.claim('long', 't', 60)
  await store.claim('short', 't', 0.001)
  expect(alarms.get('short')).toBeGreaterThan(Date.now())
  expect(alarms.get('long')).toBeGreaterThan(Date.now() + 60_000)
  while (!(await store.claim('short', 'u', 0.001)));
  while (stored.get('short')!.size > 0) await ring('short')
  await ring('long')
  expect(await store.claim('long', 'u', 60)).toBe(false)
})

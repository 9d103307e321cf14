import type { ReplayStore } from '../replay/store.ts'
import { describe } from './own-options.ts'

export function validateFunction<F>(value: F, option: string, shape: string): F {
  if (typeof value === 'function') return value
  throw new TypeError(`${option} is ${describe(value)}: pass a function ${shape}`)
}

export function validateReplayStore(store: unknown): ReplayStore | undefined {
  if (store === undefined) return undefined
  const { claim, release } = (store ?? {}) as Partial<ReplayStore>
  if (typeof claim === 'function' && typeof release === 'function') return store as ReplayStore
  throw new TypeError(
    `replayStore is ${describe(store)} without claim(id, ttlSeconds) and release(id): pass a store, such as ` +
      'memoryReplayStore() of signed-requests/replay'
  )
}

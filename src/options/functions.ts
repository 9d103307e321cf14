import { dnsTxtLookup, type LookupTxt } from '../key/dns.ts'
import { describe } from '../mistakes/describe.ts'
import type { ReplayStore } from '../replay/store.ts'

export function validateFunction<F>(value: F, option: string, shape: string): F {
  if (typeof value === 'function') return value
  throw new TypeError(`${option} is ${describe(value)}: pass a function ${shape}`)
}

/** `dnsTxtLookup` itself looks like a lookup, but would fail for each request. */
export function validateLookup(lookupTxt: LookupTxt | undefined): LookupTxt {
  if ((lookupTxt as unknown) === dnsTxtLookup)
    throw new TypeError('lookupTxt is dnsTxtLookup itself, which makes the function: write dnsTxtLookup()')
  return validateFunction(
    lookupTxt ?? dnsTxtLookup(),
    'lookupTxt',
    '(name, { signal }) => Promise<string[][]>, such as dnsTxtLookup()'
  )
}

export function validateReplayStore(store: unknown): ReplayStore | undefined {
  if (store === undefined) return undefined
  const { claim, release } = (store ?? {}) as Partial<ReplayStore>
  if (typeof claim === 'function' && typeof release === 'function') return store as ReplayStore
  const isFactory = typeof store === 'function'
  throw new TypeError(
    `replayStore is ${describe(store)}${isFactory ? ' (is a call missing?)' : ''} without claim(id, ttlSeconds) and release(id): pass a store, such as ` +
      'memoryReplayStore() of signed-requests/replay'
  )
}

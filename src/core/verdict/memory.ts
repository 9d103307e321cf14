import type { EncodedDigest } from '../http/digest.ts'
import type { Fields } from '../http/fields.ts'
import type { Bytes } from '../http/request.ts'
import type { TxtAnswer } from '../key/types.ts'
import type { Settings } from '../options/options.ts'
import type { Claim } from '../replay/claim.ts'
import type { Result } from '../result/result.ts'
import type { Verdict } from './verdict.ts'

/**
 * Holds what the verifier knows about a request besides its verdict. A log line, a captured fixture, the recorder,
 * `diagnose` and `verify.release` take it from here, and rebuild nothing.
 */
export interface Memory {
  readonly settings: Settings
  /** the time that decided, in milliseconds since 1970 */
  now: number
  /** the keyId, the account header and Host as they came: anybody can write them */
  keyId: string | undefined
  account: string | undefined
  host: string | undefined
  /** the name that DNS was asked for, and the reply; undefined while DNS was not asked */
  keyName: string | undefined
  reply: Result<TxtAnswer> | undefined
  /** of a body that does not have its digests: that body, and what came with it */
  received: ReceivedParts | undefined
  /** of a verified request: its claim in the replay store, until it is released */
  claim: Claim | undefined
}

/** The parts of a request that tell what happened to its body. */
export interface ReceivedParts {
  readonly body: Bytes
  readonly fields: Fields
  readonly digests: readonly EncodedDigest[]
}

/** Starts with the time; the verifier fills in the rest. */
export const createMemory = (settings: Settings, now: number): Memory => ({
  settings,
  now,
  keyId: undefined,
  account: undefined,
  host: undefined,
  keyName: undefined,
  reply: undefined,
  received: undefined,
  claim: undefined
})

/** A verdict stays plain data: a copy, a comparison or a log of it has nothing of this. */
const MEMORIES = /* @__PURE__ */ new WeakMap<object, Memory>()

/** Returns the same verdict, which `memoryOf` then knows. */
export function remember<V extends Verdict>(verdict: V, memory: Memory): V {
  MEMORIES.set(verdict, memory)
  return verdict
}

/** Returns what a verdict remembers; undefined for a copy of a verdict, and for one of another copy of this package. */
export const memoryOf = (verdict: object): Memory | undefined => MEMORIES.get(verdict)

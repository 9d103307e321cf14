import type { TxtAnswer } from '../key/types.ts'
import type { Settings } from '../options/options.ts'
import type { Result } from '../result/result.ts'
import type { Verdict } from './verdict.ts'

/**
 * The facts about a request that the verifier saw, besides those in its verdict. A log line, a captured fixture and the
 * recorder take them from here, and rebuild nothing.
 */
export interface Observation {
  readonly settings: Settings
  /** the time that decided, in milliseconds since 1970 */
  now: number
  /** the keyId and the account header as they came: anybody can write them */
  keyId: string | undefined
  account: string | undefined
  /** the name that DNS was asked for, and the reply; undefined while DNS was not asked */
  keyName: string | undefined
  reply: Result<TxtAnswer> | undefined
}

/** Begins with the time; the verifier adds what else it sees. */
export const observe = (settings: Settings, now: number): Observation => ({
  settings,
  now,
  keyId: undefined,
  account: undefined,
  keyName: undefined,
  reply: undefined
})

interface Store {
  add(verdict: Verdict, observation: Observation): void
  find(verdict: Verdict): Observation | undefined
}

/**
 * Adds the observation to a verdict as a private field: a constructor that returns an object adds the fields of its
 * class to that object. The verdict stays plain data: a copy, a comparison or a log of it does not have the field.
 * Adding the field takes 10 ns; a property that is not enumerable takes 100 ns, and a WeakMap 400. The class is made in
 * a function, so that a bundler can leave it out.
 */
function createStore(): Store {
  class Given {
    constructor(verdict: Verdict) {
      // biome-ignore lint/correctness/noConstructorReturn: that is what it is for
      return verdict
    }
  }
  class Observed extends Given {
    readonly #observation: Observation

    constructor(verdict: Verdict, observation: Observation) {
      super(verdict)
      this.#observation = observation
    }

    static find(verdict: Verdict): Observation | undefined {
      return #observation in verdict ? (verdict as unknown as Observed).#observation : undefined
    }
  }
  return { add: (verdict, observation) => void new Observed(verdict, observation), find: Observed.find }
}

const STORE = /* @__PURE__ */ createStore()

/** Returns the same verdict, which now has the observation. */
export function withObservation<V extends Verdict>(verdict: V, observation: Observation): V {
  STORE.add(verdict, observation)
  return verdict
}

/** Returns the observation; undefined for a copy of a verdict, and for a verdict of another copy of this package. */
export const observationOf = (verdict: Verdict): Observation | undefined => STORE.find(verdict)

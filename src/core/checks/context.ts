import type { BodyResult } from '../body/read.ts'
import type { EncodedDigest } from '../http/digest.ts'
import type { Fields } from '../http/fields.ts'
import type { Bytes, ReceivedRequest } from '../http/request.ts'
import type { KeyCache, RecordKey } from '../key/cache.ts'
import type { Lookup } from '../key/lookup.ts'
import type { Settings } from '../options/options.ts'
import type { Claim, Claims } from '../replay/claim.ts'
import type { NotRun, Result } from '../result/result.ts'
import type { Algorithm } from '../signature/algorithms.ts'
import type { ParsedSignature, SchemeRules, StatedTime } from '../standards/scheme.ts'
import type { Stages } from '../verdict/diagnostics.ts'
import type { Memory } from '../verdict/memory.ts'

/** The input of the checks of a head: the request, its parsed parts, and the receiver's settings. */
export interface Context {
  readonly request: ReceivedRequest
  readonly fields: Fields
  readonly scheme: SchemeRules
  readonly signature: Result<ParsedSignature>
  readonly time: Result<StatedTime> | NotRun
  readonly settings: Settings
  /** the time that decides, in milliseconds since 1970 */
  readonly now: number
}

/** Holds the parts of a verifier besides its settings. */
export interface Tools {
  readonly lookup: Lookup
  readonly keyOf: KeyCache
  readonly keyNameOf: (keyId: string) => Result<string>
  /** undefined without a replay store */
  readonly claims: Claims | undefined
}

/** A key that may have made the signature, and the algorithm to try it with. */
export interface Candidate extends RecordKey {
  algorithm: Algorithm
}

/** Holds what the headers say about the signature. */
export interface ClaimedSignature {
  readonly parsed: ParsedSignature
  /** undefined when the header leaves it to the key */
  readonly algorithm: Algorithm | undefined
}

/** Types the value of each check that passes. `digest-header` is the part of `digest` that needs no body. */
export interface Found {
  request: Fields
  https: true
  date: Date
  host: true
  /** the account id */
  account: string
  'signature-header': ClaimedSignature
  /** the signing string */
  coverage: string
  /** the name to ask DNS for */
  'key-name': string
  key: readonly Candidate[]
  /** the key that made it */
  signature: Candidate
  'digest-header': readonly EncodedDigest[]
  digest: Bytes
  replay: Claim
}

export type StepName = keyof Found

/** A check that another step decides, later. */
export interface Later extends NotRun {
  readonly goesOn: 'later'
}

/** A check that has nothing to check. */
export interface Nothing extends NotRun {
  readonly goesOn: 'nothing'
}

/** Types the result of a check. */
export type Outcome<T> = Result<T> | NotRun | Later | Nothing

/** Collects the results of the checks so far: a value for each that passed. */
export type Results<Passed extends StepName> = { [N in StepName]?: Outcome<Found[N]> | undefined } & {
  readonly [N in Passed]: { ok: true; value: Found[N] }
}

/** One verification: its input, and what the checks have returned. */
export interface Examination<Passed extends StepName = never> extends Context {
  now: number
  readonly tools: Tools
  readonly results: Results<Passed>
  readonly memory: Memory
  readonly timing: Stages | undefined
  /** the body that was read, or why reading failed */
  body: BodyResult | undefined
}

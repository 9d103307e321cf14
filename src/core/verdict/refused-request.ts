import type { BodyResult } from '../body/read.ts'
import type { ReceivedRequest } from '../http/request.ts'
import type { VerifierOptions } from '../options/options.ts'
import type { Memory } from './memory.ts'
import type { Rejected, Unavailable } from './verdict.ts'

/** A request that was not verified, and what the verifier knows about it. */
export interface RefusedRequest {
  readonly request: ReceivedRequest
  readonly verdict: Rejected | Unavailable
  readonly seen: Memory
  /** the options that `createVerifier` was given */
  readonly options: VerifierOptions
  /** undefined if the body was not read */
  readonly body: BodyResult | undefined
}

import type { BodyResult } from '../body/read.ts'
import type { VectorFile } from '../fixture/vector.ts'
import type { ReceivedRequest } from '../http/request.ts'
import type { VerifierOptions } from '../options/options.ts'
import type { RequestRecorder } from '../options/values.ts'
import type { Observation } from '../verdict/observation.ts'
import type { Rejected, Unavailable } from '../verdict/verdict.ts'

/** Keeps the last requests that were not verified. One recorder may serve several verifiers. */
export interface Recorder extends RequestRecorder {
  /**
   * The requests that are kept, the newest first, each as a fixture of one vector: for `signed-requests explain`, for
   * `fromFixture` and for the runner of `signed-requests-vectors`.
   */
  fixtures(): readonly VectorFile[]
  /** Resolves when the file of every earlier request is written or given up; at once without files. */
  written(): Promise<void>
}

/** A request that was not verified, and all that the verifier knows of it. */
export interface RefusedRequest {
  readonly request: ReceivedRequest
  readonly verdict: Rejected | Unavailable
  readonly seen: Observation
  /** the options that `createVerifier` was given */
  readonly options: VerifierOptions
  /** undefined if the body was not read */
  readonly body: BodyResult | undefined
}

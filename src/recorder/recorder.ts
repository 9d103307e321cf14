import type { RequestRecorder } from '../core/options/values.ts'
import type { VectorFile } from '../fixture/vector.ts'

/** Keeps the last requests that were not verified. One recorder may serve several verifiers. */
export interface Recorder extends RequestRecorder {
  /**
   * Returns the requests, newest first, each as a fixture of one vector: for `signed-requests explain`, for
   * `fromFixture` and for the runner of `signed-requests-vectors`.
   */
  fixtures(): readonly VectorFile[]
  /** Resolves when the file of every earlier request is written or has failed; at once without files. */
  written(): Promise<void>
}

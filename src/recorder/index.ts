/**
 * Keeps the requests that were not verified, each as a fixture for an explanation or a test.
 *
 * @module signed-requests/recorder
 */

export type { ForwardedNote, ForwardedNotes } from '../core/http/request.ts'
export type { LookupTxt } from '../core/key/types.ts'
export type { VectorOptionName, VerifierOptions } from '../core/options/options.ts'
export type { Accounts, RequestRecorder } from '../core/options/values.ts'
export type { ReplayStore } from '../core/replay/store.ts'
export type { CheckName, CheckOf, Code, CodesByCheck, UnavailableCode } from '../core/result/codes.ts'
export type {
  Base64Form,
  EvidenceByCode,
  ExpectedList,
  KeyEvidence,
  KeyProblem,
  Reencoding
} from '../core/result/evidence.ts'
export type { SchemeName } from '../core/result/scheme-name.ts'
export type { Algorithm } from '../core/signature/algorithms.ts'
export type { Scheme } from '../core/standards/scheme.ts'
export type {
  VectorBody,
  VectorDnsError,
  VectorFile,
  VectorJson,
  VectorOptions,
  VectorProblems,
  VectorVerdict
} from '../fixture/vector.ts'
export { createRecorder, type RecorderOptions } from './create-recorder.ts'
export type { Recorder } from './recorder.ts'

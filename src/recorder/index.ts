/**
 * Keeps the requests that were not verified, each as a fixture for an explanation or a test.
 *
 * @module signed-requests/recorder
 */

export type {
  PlainName,
  VectorBody,
  VectorDnsError,
  VectorFile,
  VectorJson,
  VectorOptions,
  VectorProblems,
  VectorVerdict
} from '../fixture/vector.ts'
export type { ForwardedNote, ForwardedNotes } from '../http/request.ts'
export type { LookupTxt } from '../key/types.ts'
export type { VerifierOptions } from '../options/options.ts'
export type { Accounts, RequestRecorder } from '../options/values.ts'
export type { ReplayStore } from '../replay/store.ts'
export type { CheckName, CheckOf, Code, CodesByCheck, UnavailableCode } from '../result/codes.ts'
export type { EvidenceByCode, KeyEvidence, KeyProblem, Reencoding } from '../result/evidence.ts'
export type { SchemeName } from '../result/scheme-name.ts'
export type { Algorithm } from '../signature/algorithms.ts'
export type { Scheme } from '../standards/scheme.ts'
export { createRecorder, type RecorderOptions } from './create-recorder.ts'
export type { Recorder } from './recorder.ts'

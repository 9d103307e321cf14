/**
 * A signer with an in-memory DNS, a real DNS server for its keys, fixtures of received requests, and the cases that a
 * replay store must pass.
 *
 * @module signed-requests/testing
 */

export type {
  Bytes,
  ForwardedNote,
  ForwardedNotes,
  HeaderLine,
  ReceivedBody,
  ReceivedHeaders,
  ReceivedRequest
} from '../core/http/request.ts'
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
  Reencoding,
  SometimesEvident,
  WithEvidence
} from '../core/result/evidence.ts'
export type { SchemeName } from '../core/result/scheme-name.ts'
export type { Algorithm } from '../core/signature/algorithms.ts'
export type { Scheme } from '../core/standards/scheme.ts'
export type {
  CheckResult,
  Checks,
  Failure,
  FailureOf,
  Rejected,
  Unavailable,
  UnavailableFailure,
  Verdict,
  Verified
} from '../core/verdict/verdict.ts'
export { type CaptureOptions, captureFixture } from '../fixture/capture.ts'
export { type FixtureTest, fromFixture } from '../fixture/from-fixture.ts'
export type {
  VectorBody,
  VectorDnsError,
  VectorFile,
  VectorJson,
  VectorOptions,
  VectorProblems,
  VectorVerdict
} from '../fixture/vector.ts'
export { type DnsServer, type ServeDnsOptions, serveDns } from './dns-server.ts'
export * from './replay-store-contract.ts'
export * from './service.ts'
export type { SignedTestRequest, SignRequest } from './sign.ts'

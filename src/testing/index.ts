/**
 * A signer with an in-memory DNS, a real DNS server for its keys, fixtures of received requests, and the cases that a
 * replay store must pass.
 *
 * @module signed-requests/testing
 */

export { type CaptureOptions, captureFixture } from '../fixture/capture.ts'
export { type FixtureTest, fromFixture } from '../fixture/from-fixture.ts'
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
export type {
  Bytes,
  ForwardedNote,
  ForwardedNotes,
  HeaderLine,
  ReceivedBody,
  ReceivedHeaders,
  ReceivedRequest
} from '../http/request.ts'
export type { LookupTxt } from '../key/types.ts'
export type { VerifierOptions } from '../options/options.ts'
export type { Accounts, RequestRecorder } from '../options/values.ts'
export type { ReplayStore } from '../replay/store.ts'
export type { CheckName, CheckOf, Code, CodesByCheck, UnavailableCode } from '../result/codes.ts'
export type {
  EvidenceByCode,
  KeyEvidence,
  KeyProblem,
  Reencoding,
  SometimesEvident,
  WithEvidence
} from '../result/evidence.ts'
export type { SchemeName } from '../result/scheme-name.ts'
export type { Algorithm } from '../signature/algorithms.ts'
export type { Scheme } from '../standards/scheme.ts'
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
} from '../verdict/verdict.ts'
export { type DnsServer, type ServeDnsOptions, serveDns } from './dns-server.ts'
export * from './replay-store-contract.ts'
export * from './service.ts'
export type { SignedTestRequest, SignRequest } from './sign.ts'

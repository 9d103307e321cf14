/**
 * Verifies signed HTTP requests whose key is in DNS, and says which check failed.
 *
 * @module signed-requests
 */

export { matchesDigest } from './core/checks/digest.ts'
export type { Digest } from './core/http/digest.ts'
export { parseHttpDate } from './core/http/http-date.ts'
export type {
  Bytes,
  ForwardedNote,
  ForwardedNotes,
  HeaderLine,
  ReceivedBody,
  ReceivedHeaders,
  ReceivedRequest
} from './core/http/request.ts'
export { type DnsTxtLookupOptions, dnsTxtLookup } from './core/key/dns.ts'
export { importPublicKey, type PublicKey } from './core/key/key-types.ts'
export { parseKeyRecord } from './core/key/record.ts'
export type { KeyLimits, KeyRecord, KeyType, LookupTxt, RecordKeyType } from './core/key/types.ts'
export type { VerifierOptions } from './core/options/options.ts'
export type { Accounts, RequestRecorder } from './core/options/values.ts'
export type { ReplayStore } from './core/replay/store.ts'
export type { CheckName, CheckOf, Code, CodesByCheck, UnavailableCode } from './core/result/codes.ts'
export type {
  Base64Form,
  EvidenceByCode,
  EvidenceOf,
  ExpectedList,
  FailedWith,
  KeyEvidence,
  KeyProblem,
  Reencoding,
  SometimesEvident,
  WithEvidence
} from './core/result/evidence.ts'
export type { Failed, Result } from './core/result/result.ts'
export type { SchemeName } from './core/result/scheme-name.ts'
export type { Algorithm } from './core/signature/algorithms.ts'
export { verifySignature } from './core/signature/verify-signature.ts'
export { draftCavage } from './core/standards/draft-cavage/scheme.ts'
export {
  buildSigningString,
  parseDigestHeader,
  parseSignatureHeader,
  type SignatureParameters,
  type SigningStringParameters
} from './core/standards/draft-cavage/steps.ts'
export type { Scheme } from './core/standards/scheme.ts'
export type { Stages, VerdictMessage } from './core/verdict/diagnostics.ts'
export { assertVerified, httpStatus, NotVerifiedError } from './core/verdict/http-status.ts'
export { type LogRecord, logRecord } from './core/verdict/log-record.ts'
export { mainFailure } from './core/verdict/main-failure.ts'
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
} from './core/verdict/verdict.ts'
export { createVerifier, type Verify } from './core/verify.ts'
export {
  type DiagnosedCheck,
  type DiagnosedFailure,
  type DiagnoseOptions,
  type Diagnosis,
  diagnose
} from './explain/diagnose.ts'
export { explain } from './explain/explain.ts'
export type { Fact, FactId } from './explain/facts.ts'
export type { SettingsLanguage } from './explain/settings.ts'
export { type FetchHandlerOptions, fetchHandler } from './platforms/fetch/handler.ts'
export { refusalResponse } from './platforms/fetch/refusal.ts'
export { type FromFetchOptions, fromFetchRequest } from './platforms/fetch/request.ts'
export {
  type LambdaHandlerOptions,
  type LambdaNothing,
  type LambdaResult,
  lambdaHandler
} from './platforms/lambda/handler.ts'
export { fromLambdaEvent, type LambdaEvent, type LambdaRecord } from './platforms/lambda/request.ts'
export { type NodeHandlerOptions, nodeHandler } from './platforms/node/handler.ts'
export type { NodeMiddlewareOptions } from './platforms/node/listener.ts'
export { nodeMiddleware, type VerifiedRequest } from './platforms/node/middleware.ts'
export { type NodeResponse, type RefusalOptions, sendRefusal } from './platforms/node/refusal.ts'
export { type FromNodeOptions, fromNodeRequest, type NodeRequest } from './platforms/node/request.ts'
export type { ProxyOptions } from './platforms/proxy.ts'

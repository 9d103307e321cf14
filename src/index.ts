/**
 * Verifies signed HTTP requests whose key is in DNS, and says which check failed.
 *
 * @module signed-requests
 */
export { type FromFetchOptions, fromFetchRequest } from './adapters/fetch.ts'
export { fromLambdaEvent, type LambdaEvent } from './adapters/lambda.ts'
export { type FromNodeOptions, fromNodeRequest } from './adapters/node.ts'
export type { ProxyOptions } from './adapters/proxy.ts'
export { matchesDigest } from './checks/digest.ts'
export { draftCavage } from './draft-cavage/scheme.ts'
export {
  buildSigningString,
  parseDigestHeader,
  parseSignatureHeader,
  type SignatureParameters,
  type SigningStringParameters
} from './draft-cavage/steps.ts'
export {
  type DiagnosedCheck,
  type DiagnosedFailure,
  type DiagnoseOptions,
  type Diagnosis,
  diagnose
} from './explain/diagnose.ts'
export { explain } from './explain/explain.ts'
export type { Fact } from './explain/facts.ts'
export { refusalResponse } from './handlers/around.ts'
export { type FetchHandlerOptions, fetchHandler } from './handlers/fetch.ts'
export { type LambdaHandlerOptions, type LambdaResult, lambdaHandler } from './handlers/lambda.ts'
export { type NodeHandlerOptions, nodeHandler } from './handlers/node.ts'
export { type RefusalOptions, sendRefusal } from './handlers/send-refusal.ts'
export type { Digest } from './http/digest.ts'
export { parseHttpDate } from './http/http-date.ts'
export type { Bytes, ReceivedBody, ReceivedHeaders, ReceivedRequest } from './http/request.ts'
export { type DnsTxtLookupOptions, dnsTxtLookup } from './key/dns.ts'
export { importPublicKey, type PublicKey } from './key/key-types.ts'
export { parseKeyRecord } from './key/record.ts'
export type { KeyLimits, KeyRecord, LookupTxt } from './key/types.ts'
export type { VerifierOptions } from './options/options.ts'
export type { Accounts } from './options/values.ts'
export type { ReplayStore } from './replay/store.ts'
export type { Scheme } from './scheme.ts'
export type { Algorithm } from './signature/algorithms.ts'
export { verifySignature } from './signature/verify-signature.ts'
export type { CheckName, CheckOf, Code, UnavailableCode } from './verdict/codes.ts'
export type { VerdictMessage } from './verdict/diagnostics.ts'
export type { EvidenceByCode, EvidenceOf, FailedWith, KeyEvidence, Reencoding } from './verdict/evidence.ts'
export { assertVerified, httpStatus, NotVerifiedError } from './verdict/http-status.ts'
export { type LogRecord, logRecord } from './verdict/log-record.ts'
export type { Failed, Result } from './verdict/result.ts'
export type {
  CheckResult,
  Checks,
  Failure,
  Rejected,
  SchemeName,
  Unavailable,
  UnavailableFailure,
  Verdict,
  Verified
} from './verdict/verdict.ts'
export { createVerifier, type Verify } from './verify.ts'

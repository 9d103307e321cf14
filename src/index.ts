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
export type { CheckOf, Code, UnavailableCode } from './codes.ts'
export type { EvidenceByCode, EvidenceOf, KeyEvidence, Reencoding } from './evidence.ts'
export { explain } from './explain/explain.ts'
export { type Digest, parseDigestHeader } from './headers/digest.ts'
export { parseHttpDate } from './headers/http-date.ts'
export { parseSignatureHeader, type SignatureParameters } from './headers/signature.ts'
export { httpStatus } from './http-status.ts'
export { type DnsTxtLookupOptions, dnsTxtLookup, type LookupTxt } from './key/dns.ts'
export { importPublicKey, type KeyLimits, type PublicKey } from './key/import.ts'
export { type KeyRecord, parseKeyRecord } from './key/record.ts'
export type { Accounts, VerifierOptions } from './options.ts'
export type { VerdictMessage } from './publish.ts'
export type { ReplayStore } from './replay/store.ts'
export type { ReceivedBody, ReceivedHeaders, ReceivedRequest } from './request.ts'
export type { Failed, FailedWith, Result } from './result.ts'
export type { SchemeName } from './schemes/scheme.ts'
export type { Algorithm } from './signature/algorithms.ts'
export { verifySignature } from './signature/verify-signature.ts'
export { buildSigningString, type SigningStringParameters } from './signing-string.ts'
export type {
  CheckName,
  CheckResult,
  Checks,
  Failure,
  Rejected,
  Unavailable,
  Verdict,
  Verified
} from './verdict.ts'
export { createVerifier, type Verify } from './verify.ts'

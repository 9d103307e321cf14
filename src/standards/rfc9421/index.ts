/**
 * The pure steps of RFC 9421, HTTP Message Signatures, and of RFC 9530, Digest Fields.
 *
 * @module signed-requests/rfc9421
 */
export type { Digest } from '../../http/digest.ts'
export type {
  ForwardedNote,
  ForwardedNotes,
  HeaderLine,
  ReceivedBody,
  ReceivedHeaders,
  ReceivedRequest
} from '../../http/request.ts'
export type { CheckName, CheckOf, Code, CodesByCheck, UnavailableCode } from '../../result/codes.ts'
export type {
  EvidenceByCode,
  FailedWith,
  KeyEvidence,
  KeyProblem,
  Reencoding,
  SometimesEvident,
  WithEvidence
} from '../../result/evidence.ts'
export type { Failed, Result } from '../../result/result.ts'
export type { SchemeName } from '../../result/scheme-name.ts'
export type { Scheme } from '../scheme.ts'
export { parseContentDigest } from './content-digest.ts'
export { rfc9421 } from './scheme.ts'
export { buildSignatureBase, type SignedRequest } from './signature-base.ts'
export {
  type Component,
  parseSignatureInput,
  parseSignatures,
  type SignatureInput
} from './signature-input.ts'

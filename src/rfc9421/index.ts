/**
 * The pure steps of RFC 9421, HTTP Message Signatures, and of RFC 9530, Digest Fields.
 *
 * @module signed-requests/rfc9421
 */
export type { Digest } from '../core/http/digest.ts'
export type {
  ForwardedNote,
  ForwardedNotes,
  HeaderLine,
  ReceivedBody,
  ReceivedHeaders,
  ReceivedRequest
} from '../core/http/request.ts'
export type { CheckName, CheckOf, Code, CodesByCheck, UnavailableCode } from '../core/result/codes.ts'
export type {
  Base64Form,
  EvidenceByCode,
  ExpectedList,
  FailedWith,
  KeyEvidence,
  KeyProblem,
  Reencoding,
  SometimesEvident,
  WithEvidence
} from '../core/result/evidence.ts'
export type { Failed, Result } from '../core/result/result.ts'
export type { SchemeName } from '../core/result/scheme-name.ts'
export { parseContentDigest } from '../core/standards/rfc9421/content-digest.ts'
export { rfc9421 } from '../core/standards/rfc9421/scheme.ts'
export { buildSignatureBase, type SignedRequest } from '../core/standards/rfc9421/signature-base.ts'
export {
  type Component,
  parseSignatureInput,
  parseSignatures,
  type SignatureInput
} from '../core/standards/rfc9421/signature-input.ts'
export type { Scheme } from '../core/standards/scheme.ts'

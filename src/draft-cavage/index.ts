/**
 * The pure steps of draft-cavage-http-signatures-12 and of the `Digest` header of RFC 3230.
 *
 * @module signed-requests/draft-cavage
 */
export { type Digest, parseDigestHeader } from '../http/digest.ts'
export type { Scheme } from '../scheme.ts'
export { draftCavage } from './scheme.ts'
export { parseSignatureHeader, type SignatureParameters } from './signature-header.ts'
export { buildSigningString, type SigningStringParameters } from './signing-string.ts'

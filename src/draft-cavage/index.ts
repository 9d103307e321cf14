/**
 * The pure steps of draft-cavage-http-signatures-12 and of the `Digest` header of RFC 3230.
 *
 * @module signed-requests/draft-cavage
 */

export type { Digest } from '../http/digest.ts'
export type { Scheme } from '../scheme.ts'
export { draftCavage } from './scheme.ts'
export {
  buildSigningString,
  parseDigestHeader,
  parseSignatureHeader,
  type SignatureParameters,
  type SigningStringParameters
} from './steps.ts'

import type { EncodedDigest } from '../headers/digest.ts'
import type { Fields } from '../headers/fields.ts'
import type { ReceivedRequest } from '../request.ts'
import type { Result } from '../result.ts'
import type { Settings } from '../settings.ts'
import type { Algorithm, KeyType } from '../signature/algorithms.ts'
import type { NotRun } from '../verdict.ts'

/** The standards by which a request can be signed: the draft, and what became of it. */
export type SchemeName = 'draft-cavage' | 'rfc9421'

/** What a signature says of itself. Nothing of it is believed before the checks. */
export interface SignatureClaims {
  readonly keyId: string
  readonly algorithm?: string | undefined
  /** the covered names, lower case, in the order of the string that is signed */
  readonly headers: readonly string[]
  readonly signature: Uint8Array
  /** seconds since 1970 */
  readonly created?: number | undefined
  /** seconds since 1970 */
  readonly expires?: number | undefined
  readonly nonce?: string | undefined
}

/** Where the two standards differ; everything else is the same checks. */
export interface Scheme {
  readonly name: SchemeName
  /** Reads the headers that carry the signature. */
  readSignature(fields: Fields, settings: Settings): Result<SignatureClaims>
  /** 3. The time at which the request was made. */
  checkDate(
    fields: Fields,
    signature: Result<SignatureClaims>,
    now: number,
    settings: Settings
  ): Result<Date> | NotRun
  /** What must be covered and is not; undefined when nothing is missing. */
  findMissing(claims: SignatureClaims, settings: Settings): readonly string[] | undefined
  /** Builds the string that is signed. A scheme is given the claims that it has read itself. */
  buildSigned(request: ReceivedRequest, fields: Fields, claims: SignatureClaims): Result<string>
  /** Reads the header that carries the digests of the body. */
  readDigests(fields: Fields): Result<readonly EncodedDigest[]>
  /** The algorithm of a signature that names none. */
  defaultAlgorithm(type: KeyType, allowed: ReadonlySet<Algorithm>): Algorithm | undefined
}

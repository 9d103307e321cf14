import type { EncodedDigest } from '../http/digest.ts'
import type { Fields } from '../http/fields.ts'
import type { ReceivedRequest } from '../http/request.ts'
import type { KeyType } from '../key/types.ts'
import type { NotRun, Result } from '../result/result.ts'
import type { SchemeName } from '../result/scheme-name.ts'
import type { Algorithm } from '../signature/algorithms.ts'

/** The claims of a signature about itself. Not trusted until the checks pass. */
export interface ParsedSignature {
  readonly keyId: string
  readonly algorithm?: string | undefined
  /** the covered names, lower case, in the order of the signing string */
  readonly headers: readonly string[]
  readonly signature: Uint8Array
  /** seconds since 1970 */
  readonly created?: number | undefined
  /** seconds since 1970 */
  readonly expires?: number | undefined
  readonly nonce?: string | undefined
}

/** The time at which the sender says that it made the request. */
export interface StatedTime {
  readonly time: Date
  /** the Date header; undefined when the time is `created`, which is checked with the signature's own times */
  readonly header: string | undefined
}

/** A standard by which requests are signed, for the option `schemes`: `draftCavage` or `rfc9421`. */
export interface Scheme {
  readonly name: SchemeName
}

/** The options that a scheme needs. */
export interface SchemeSettings {
  readonly serviceDomain: string
  readonly accountHeader: string
  readonly alsoCovered: readonly string[]
  readonly algorithms: Readonly<Record<SchemeName, ReadonlySet<Algorithm>>>
}

/**
 * The differences between the two standards. A scheme only parses; the checks, which are the same for both, verify the
 * result.
 */
export interface SchemeRules extends Scheme {
  /**
   * Returns whether the signing string tells this method from all others: it is case-sensitive (RFC 9110 section 9.1).
   */
  isSignableMethod(method: string): boolean
  /** Parses the headers that carry the signature. */
  parseSignature(fields: Fields, settings: Pick<SchemeSettings, 'serviceDomain'>): Result<ParsedSignature>
  /** Finds the time at which the request was made. */
  parseTime(fields: Fields, signature: Result<ParsedSignature>): Result<StatedTime> | NotRun
  /** Returns the name of an algorithm in the form in which the allowed ones are written. */
  normalizeAlgorithm(name: string): string
  /** Lists the names that must be covered but are not. */
  missingCoverage(parsed: ParsedSignature, settings: SchemeSettings): readonly string[]
  /** Makes the headers of a 401 that tell a sender what to sign. They have nothing of the request. */
  challenge(settings: SchemeSettings): Readonly<Record<string, string>>
  /** Builds the signing string (RFC 9421: signature base). It must have been parsed by the same scheme. */
  buildSigningString(request: ReceivedRequest, fields: Fields, parsed: ParsedSignature): Result<string>
  /** Parses the header that carries the digests of the body. */
  parseDigests(fields: Fields): Result<readonly EncodedDigest[]>
  /** Returns the algorithm for a signature that does not name one. */
  defaultAlgorithm(type: KeyType, allowed: ReadonlySet<Algorithm>): Algorithm | undefined
}

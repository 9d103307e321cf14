import type { VectorJson as FixtureJson } from '../../src/fixture/vector.ts'
import type { CheckName } from '../../src/result/codes.ts'

export type { VectorBody, VectorDnsError, VectorOptions, VectorVerdict } from '../../src/fixture/vector.ts'

/** Counts up when a reader of the older form would misread a file. */
export const SCHEMA_VERSION = 1

/** One file of vectors, as the schema of `signed-requests-vectors` describes it. */
export interface VectorFile {
  /** counts up when a file of an older form would be misread */
  schema_version?: typeof SCHEMA_VERSION
  /** the clause that the vectors are about, unless one names its own */
  source: string
  vectors: readonly VectorJson[]
}

/** A request, everything around it that decides, and the verdict it must get. */
export interface VectorJson extends FixtureJson {
  /** the parameters of the signature, where its header can be parsed */
  parameters?: VectorParameters
  /** what the receiver must verify the signature over, where it can be built */
  signing?: VectorSigning
  /** the first check that does not pass */
  step?: CheckName | 'verified'
}

/** A parsed signature, in the terms of the draft. */
export interface VectorParameters {
  /** of RFC 9421: the name of the signature in both headers */
  label?: string
  keyId?: string
  algorithm?: string
  created?: number
  expires?: number
  /** of RFC 9421 */
  nonce?: string
  /** the covered names, lower case, in order */
  headers: readonly string[]
  /** base64 */
  signature?: string
}

/** A signing string (RFC 9421: signature base). */
export interface VectorSigning {
  /** one character per octet */
  string: string
  /** SHA-256 of its octets, in hex */
  sha256: string
}

import type { CheckOf, Code, UnavailableCode } from './codes.ts'

/** The evidence of a key problem: the DNS name asked for and, where there was one, the record as found. */
export interface KeyEvidence {
  name?: string
  record?: string
  /** what exactly is wrong with it */
  reason?: string
  /** bits of an RSA key */
  bits?: number
  /** for `key-too-short` and `key-too-long`: the bits that are the limit */
  limit?: number
  /** for `key-not-found`: the servers that were asked, where `lookupTxt` says so */
  servers?: readonly string[]
}

/** What can be wrong with the key itself. */
type KeyProblem = Exclude<{ [C in Code]: CheckOf<C> extends 'key' ? C : never }[Code], UnavailableCode>

/** How a re-encoding changed the body, when undoing it gives the signed digest. */
export type Reencoding =
  | 'newline-removed'
  | 'newline-added'
  | 'crlf-to-lf'
  | 'lf-to-crlf'
  | 'bom-removed'
  | 'bom-added'
  | 'json-reserialized'

/**
 * What else can happen to a body: a form was parsed and written again; UTF-8 was read as Latin-1 and written as UTF-8,
 * or the other way round; bytes that are not UTF-8 were read as text; it was encoded in base64; it was serialized as a
 * JSON string; an object was converted to a string; it was cut. Only the last three that are not proven by the digest:
 * `read-as-text`, `object-to-string` and `cut-short`.
 */
export type BodyChange =
  | 'form-reserialized'
  | 'latin1-as-utf8'
  | 'utf8-as-latin1'
  | 'base64-encoded'
  | 'json-string'
  | 'read-as-text'
  | 'object-to-string'
  | 'cut-short'

/**
 * What was received and what was expected, per code: plain data, for programs and for `explain`.
 * Text in it comes from the sender or from DNS as it was; do not print it unescaped.
 */
export interface EvidenceByCode extends Record<KeyProblem, KeyEvidence> {
  'request-malformed': {
    part: 'method' | 'target' | 'header-name' | 'header-value' | 'header-count'
    name?: string
  }
  /**
   * Where the adapter was told to trust X-Forwarded-Proto: all its values; empty when it was missing. Where it was not,
   * and the header says https: that. Otherwise the code says everything, and there is no evidence.
   */
  'not-https': { header: string; received: readonly string[] }
  /** `received` is all the lines, joined by commas */
  'date-repeated': { received: string }
  'date-malformed': { received: string }
  /** seconds from now to the Date: negative in the past */
  'date-too-old': { received: string; offsetSeconds: number; toleranceSeconds: number }
  'date-in-future': { received: string; offsetSeconds: number; toleranceSeconds: number }
  /** `header` is X-Forwarded-Host if that was used for Host: the adapter was told to trust it, or it says the same */
  'host-missing': { expected: readonly string[]; header?: string }
  'host-repeated': { received: string; expected: readonly string[]; header?: string }
  /** `similar` is an X-Forwarded-Host that is the receiver's, and was not trusted */
  'host-mismatch': { received: string; expected: readonly string[]; header?: string; similar?: string }
  /** `similar` is a header of the request that has the form of an account */
  'account-missing': { header: string; expected: string; similar?: string }
  'account-repeated': { header: string; received: string }
  'account-malformed': { header: string; received: string; expected: string; similar?: string }
  /** `expected` is the configured ids; absent where a function decides */
  'account-mismatch': { header: string; received: string; expected?: readonly string[] }
  'account-check-failed': { error: string }
  /** Where the signature is in that header, the other form of the draft; otherwise there is no evidence. */
  'signature-missing': { header: 'Authorization' }
  /** `excerpt` is the text around the position */
  'signature-malformed': { position: number; reason: string; excerpt?: string }
  'signature-parameter-missing': { parameter: string }
  'signature-parameter-repeated': { parameter: string }
  'signature-algorithm-not-allowed': { received?: string; allowed: readonly string[] }
  /** seconds since 1970, and seconds from now to then: negative in the past */
  'signature-created-out-of-range': { created: number; offsetSeconds: number; toleranceSeconds: number }
  'signature-expired': { expires: number; offsetSeconds: number; toleranceSeconds: number }
  /** the covered names that the algorithm does not allow */
  'signature-times-not-allowed': { covered: readonly string[]; algorithm: string }
  'coverage-insufficient': { missing: readonly string[]; covered: readonly string[] }
  'coverage-repeated': { repeated: readonly string[] }
  /** `reason` where the request has it, but not in the form that the signature names */
  'coverage-absent': { absent: readonly string[]; reason?: string }
  'key-name-malformed': { received: string; domain: string }
  'key-name-outside-domain': { received: string; domain: string }
  /** `servers` were asked, where `lookupTxt` says so */
  'key-lookup-failed': { name: string; error: string; servers?: readonly string[] }
  'key-lookup-timeout': { name: string; error: string; servers?: readonly string[] }
  /**
   * The string as rebuilt from what was received, and the record it was checked with; `hosts` where several are
   * configured; `forwarded` is the header lines in which proxies say what they changed.
   */
  'signature-mismatch': {
    hosts?: readonly string[]
    forwarded?: readonly string[]
    signingString: string
    keyId: string
    algorithm: string
    record: string
    /** during a rotation: all that were tried */
    records?: readonly string[]
    /** base64 */
    signature: string
  }
  'digest-malformed': { received: string; reason: string }
  'digest-unsupported': { received: readonly string[] }
  /**
   * Digests in base64, lengths in bytes; `contentLength` is the one the sender signed, if it did; `decompressed` is the
   * Content-Encoding that the body no longer has; `change` is what else happened to it, where that is known.
   */
  'digest-mismatch': {
    algorithm: string
    expected: string
    actual: string
    bodyLength: number
    contentLength?: number
    reencoding?: Reencoding
    change?: BodyChange
    decompressed?: string
  }
  'body-too-large': { limit: number }
  'body-unreadable': { error: string }
  replayed: { replayId: string }
  /** `store` is its name, where it has one */
  'replay-store-failed': { error: string; store?: string }
}

/** Evidence of a code; `never` where the code says it all. */
export type EvidenceOf<C extends Code> = C extends keyof EvidenceByCode ? EvidenceByCode[C] : never

/** Codes that have evidence in some cases only. */
type SometimesEvident = 'not-https' | 'signature-missing'

/** Required where the code has evidence, absent where it has none. Text in it comes from outside: escape it. */
export type WithEvidence<C extends Code> = C extends SometimesEvident
  ? { evidence?: EvidenceByCode[C] }
  : C extends keyof EvidenceByCode
    ? {
        /** what was received and what was expected */
        evidence: EvidenceByCode[C]
      }
    : { evidence?: never }

/** For a function that makes a failure: its evidence, where the code has any. */
export type EvidenceGiven<C extends Code> = [EvidenceOf<C>] extends [never]
  ? []
  : C extends SometimesEvident
    ? [EvidenceOf<C>?]
    : [EvidenceOf<C>]

/** One failure: `code` says which `evidence` there is. */
export type FailedWith<C extends Code> = {
  ok: false
  code: C
  /** a constant of the code, without text from the sender */
  message: string
} & WithEvidence<C>

import type { Code, CodesByCheck, UnavailableCode } from './codes.ts'

/** The evidence of a key problem: the DNS name asked for and, where there was one, the record as found. */
export interface KeyEvidence {
  name?: string
  record?: string
  /**
   * the first TXT records at the name, each cut, if there are several or none is a key record; empty for an alias
   * without TXT
   */
  records?: readonly string[]
  /** what exactly is wrong with it */
  reason?: string
  /** bits of an RSA key */
  bits?: number
  /** for `key-too-short` and `key-too-long`: the bits that are the limit */
  limit?: number
  /** for `key-not-found`: the servers that were asked, if `lookupTxt` names them */
  servers?: readonly string[]
}

/** The configured hosts or accounts: at most ten, and how many there are if there are more. */
export interface ExpectedList {
  expected: readonly string[]
  expectedCount?: number
}

/** Names the form of a text that should be base64. */
export type Base64Form =
  | 'base64url'
  | 'without-padding'
  | 'lines'
  | 'percent-encoded'
  | 'plus-as-space'
  | 'hexadecimal'
  | 'python-bytes'
  | 'json-escapes'
  | 'jws'
  | 'placeholder'
  | 'empty'

/** Codes of a problem with the key itself. */
export type KeyProblem = Exclude<CodesByCheck['key'], UnavailableCode>

/**
 * Names how a body was changed on its way. For all but the last three, undoing the change gives the signed digest.
 * Those three show in the body: bytes that are not UTF-8 were read as text, an object was converted to a string, or the
 * body was cut.
 */
export type Reencoding =
  | 'newline-removed'
  | 'newline-added'
  | 'crlf-to-lf'
  | 'lf-to-crlf'
  | 'bom-removed'
  | 'bom-added'
  | 'json-reserialized'
  | 'form-reserialized'
  | 'latin1-as-utf8'
  | 'latin1-to-utf8'
  | 'utf16-to-utf8'
  | 'utf8-as-latin1'
  | 'base64-encoded'
  | 'json-string'
  | 'read-as-text'
  | 'object-to-string'
  | 'cut-short'

/**
 * The evidence of each code, what was received and what was expected: plain data, for programs and for `explain`. Text
 * in it comes from the sender or from DNS as it was; do not print it unescaped.
 *
 * `problem` says how a function of the receiver (`accounts`, `lookupTxt`, the replay store) failed: `late` is no answer
 * in time, `threw` an error, whose code or name is `error`, `wrong-type` an answer of another type, and `unreachable`
 * an error whose code says that the store or the resolver cannot be reached, logged in to or written.
 */
export interface EvidenceByCode extends Record<KeyProblem, KeyEvidence> {
  'request-malformed': {
    part: 'method' | 'target' | 'header-name' | 'header-value' | 'header-count'
    name?: string
  }
  /**
   * All values of X-Forwarded-Proto, if the adapter was told to trust it; empty if it was missing. If the adapter was
   * not told so, there is evidence only if the header says http or https.
   */
  'not-https': { header: string; received: readonly string[] }
  /**
   * `reason` is given by RFC 9421; `renamed` is the headers in which API Gateway has it. Otherwise there is no
   * evidence.
   */
  'date-missing': {
    reason?: 'neither a covered Date nor created'
    renamed?: readonly string[]
    /** a header in which some clients write the time */
    similar?: string
  }
  /** `received` is all the lines, joined by commas */
  'date-repeated': { received: string }
  /** `reason` says in which form it is */
  'date-malformed': { received: string; reason: string }
  /** seconds from now to the Date: negative in the past */
  'date-too-old': { received: string; offsetSeconds: number; toleranceSeconds: number }
  'date-in-future': { received: string; offsetSeconds: number; toleranceSeconds: number }
  /** `header` is X-Forwarded-Host if that was used for Host: the adapter was told to trust it, or it says the same */
  'host-missing': ExpectedList & { header?: string }
  'host-repeated': ExpectedList & { received: string; header?: string }
  /**
   * `similar` is an X-Forwarded-Host that is the receiver's, and was not trusted; `proxies` is the header lines in
   * which CDNs name themselves
   */
  'host-mismatch': {
    received: string
    expected: readonly string[]
    expectedCount?: number
    header?: string
    similar?: string
    proxies?: readonly string[]
  }
  /** `similar` is a header of the request that has the form of an account */
  'account-missing': { header: string; expected: string; similar?: string }
  'account-repeated': { header: string; received: string }
  'account-malformed': { header: string; received: string; expected: string; similar?: string }
  /** `expected` is the configured ids; absent when a function decides */
  'account-mismatch': Partial<ExpectedList> & { header: string; received: string }
  'account-check-failed': { error: string; problem: 'threw' | 'wrong-type' }
  /**
   * Authorization, if the signature is there, in the other form of the draft; or Signature-Input, if only this header
   * of RFC 9421 is missing. Otherwise there is no evidence.
   */
  'signature-missing': { header: 'Authorization' | 'Signature-Input' }
  /** only for RFC 9421, whose signatures are in one header */
  'signature-repeated': { reason: 'more than one is made with a key of the service' }
  /** `excerpt` is the text around the position; `looksLike` is the standard by which it could be well formed */
  'signature-malformed': {
    position: number
    reason: string
    excerpt?: string
    looksLike?: 'rfc9421'
    /** the header, by RFC 9421 */
    header?: 'Signature-Input' | 'Signature'
  }
  /** Only where the form is recognised. */
  'signature-not-base64': { form: Base64Form }
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
  /** `reason` is given if the request has it, but not in the form that the signature names */
  'coverage-absent': {
    absent: readonly string[]
    reason?: string
    /** X-Amzn-Remapped-NAME: API Gateway has given a header this name */
    renamed?: readonly string[]
    /** the digest is that of an empty body */
    isBodyEmpty?: true
  }
  'key-name-malformed': { received: string; domain: string }
  'key-name-outside-domain': { received: string; domain: string }
  /**
   * `servers` were asked, if `lookupTxt` names them. `late`: the request was aborted before there was an answer, or was
   * refused because `limit` queries were in flight.
   */
  'key-lookup-failed': {
    name: string
    error: string
    problem: 'late' | 'threw' | 'wrong-type' | 'unreachable'
    limit?: number
    servers?: readonly string[]
  }
  'key-lookup-timeout': { name: string; error: string; servers?: readonly string[] }
  'key-not-found': KeyEvidence & {
    reason: 'ENOTFOUND' | 'ENODATA' | 'no key record among the TXT records'
  }
  /**
   * The signing string as rebuilt from what was received, and the record that it was checked with. `hosts` are at most
   * ten configured hosts, if one differs from the received Host, also in case. `forwarded` are the header lines in
   * which proxies say what they changed, and `proxies` those in which CDNs name themselves.
   */
  'signature-mismatch': {
    hosts?: readonly string[]
    forwarded?: readonly string[]
    proxies?: readonly string[]
    signingString: string
    keyId: string
    algorithm: string
    record: string
    /** during a rotation: all records that were tried */
    records?: readonly string[]
    /** base64 */
    signature: string
  }
  /** `header` is given by RFC 9421; `similar` is a header of the request with a digest that does not count */
  'digest-missing': { header?: 'Content-Digest'; similar?: string }
  /** `header` is given by RFC 9421 */
  'digest-malformed': { received: string; reason: string; header?: 'Content-Digest' }
  'digest-unsupported': { received: readonly string[] }
  /**
   * Digests in base64, lengths in bytes; `contentLength` is the one the sender signed, if it did; `matching` is the
   * algorithm of another digest, which the body has. `diagnose` finds what happened to the body.
   */
  'digest-mismatch': {
    algorithm: string
    expected: string
    actual: string
    bodyLength: number
    contentLength?: number
    matching?: string
  }
  'body-too-large': { limit: number }
  'body-unreadable': { error: string }
  replayed: { replayId: string }
  /** `store` is its name, if it has one; `undecided`: whether an earlier claim holds the id is not known */
  'replay-store-failed': {
    error: string
    problem: 'late' | 'threw' | 'wrong-type' | 'undecided' | 'unreachable'
    store?: string
  }
}

/** The evidence of a code; `never` if it has none. */
export type EvidenceOf<C extends Code> = C extends keyof EvidenceByCode ? EvidenceByCode[C] : never

/** Codes that have evidence in some cases only. */
export type SometimesEvident =
  | 'not-https'
  | 'date-missing'
  | 'signature-missing'
  | 'signature-repeated'
  | 'signature-not-base64'
  | 'digest-missing'

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

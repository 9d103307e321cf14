import type { Code } from './codes.ts'

/** What stands beside a key problem: the DNS name asked for and, where there was one, the record as found. */
export interface KeyEvidence {
  name?: string
  record?: string
  /** what exactly is wrong with it */
  reason?: string
  /** bits of an RSA key */
  bits?: number
}

/** How a re-encoding changed the body, when undoing it gives the signed digest. */
export type Reencoding =
  | 'trailing newline removed'
  | 'trailing newline added'
  | 'CRLF turned into LF'
  | 'LF turned into CRLF'
  | 'byte order mark removed'
  | 'byte order mark added'
  | 'JSON written anew'

/**
 * What was received and what was expected, per code: plain data, for programs and for `explain`.
 * Text in it comes from the sender or from DNS as it was; do not print it unescaped.
 */
export interface EvidenceByCode {
  'request-malformed': {
    part: 'method' | 'target' | 'header-name' | 'header-value' | 'header-count'
    name?: string
  }
  /** `received` is all the lines, joined by commas */
  'date-repeated': { received: string }
  'date-malformed': { received: string }
  /** seconds from now to the Date: negative in the past */
  'date-too-old': { received: string; offsetSeconds: number; toleranceSeconds: number }
  'date-in-future': { received: string; offsetSeconds: number; toleranceSeconds: number }
  'host-missing': { expected: readonly string[] }
  'host-repeated': { received: string }
  'host-mismatch': { received: string; expected: readonly string[] }
  'account-missing': { header: string }
  'account-repeated': { header: string; received: string }
  'account-malformed': { header: string; received: string; expected: string }
  'account-mismatch': { header: string; received: string }
  'account-check-failed': { error: string }
  /** `near` is what stands around the position */
  'signature-malformed': { position: number; reason: string; near?: string }
  'signature-parameter-missing': { parameter: string }
  'signature-parameter-repeated': { parameter: string }
  'signature-algorithm': { received?: string; allowed: readonly string[] }
  'signature-created': { created?: number; reason: string; offsetSeconds?: number; toleranceSeconds?: number }
  'signature-expired': { expires?: number; reason: string; offsetSeconds?: number; toleranceSeconds?: number }
  'coverage-insufficient': { missing: readonly string[]; covered: readonly string[] }
  'coverage-repeated': { repeated: readonly string[] }
  /** `reason` where the request has it, but not as what the signature calls it */
  'coverage-absent': { absent: readonly string[]; reason?: string }
  'key-name-malformed': { received: string }
  'key-name-outside-domain': { received: string; domain: string }
  'key-not-found': KeyEvidence
  'key-malformed': KeyEvidence
  'key-version': KeyEvidence
  'key-type': KeyEvidence
  'key-hash': KeyEvidence
  'key-service': KeyEvidence
  'key-testing': KeyEvidence
  'key-revoked': KeyEvidence
  'key-encoding': KeyEvidence
  'key-too-short': KeyEvidence
  'key-too-long': KeyEvidence
  'key-weak': KeyEvidence
  'key-lookup-failed': { name: string; error: string }
  'key-lookup-timeout': { name: string; error: string }
  /** the string as rebuilt from what was received, and the record it was checked with */
  'signature-mismatch': {
    signingString: string
    keyId: string
    algorithm: string
    record: string
    /** base64 */
    signature: string
  }
  'digest-malformed': { received: string; reason: string }
  'digest-unsupported': { received: readonly string[] }
  /** digests in base64, lengths in bytes; `contentLength` is the one the sender signed, if it did */
  'digest-mismatch': {
    algorithm: string
    expected: string
    actual: string
    bodyLength: number
    contentLength?: number
    reencoding?: Reencoding
  }
  'body-too-large': { limit: number }
  'body-unreadable': { error: string }
  replayed: { replayId: string }
  'replay-store-failed': { error: string }
}

/** Evidence of a code; `never` where the code says it all. */
export type EvidenceOf<C extends Code> = C extends keyof EvidenceByCode ? EvidenceByCode[C] : never

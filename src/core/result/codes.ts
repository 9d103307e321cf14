/** The codes of each check, in the order in which the checks are reported. */
export interface CodesByCheck {
  request: 'request-malformed'
  https: 'not-https'
  date: 'date-missing' | 'date-repeated' | 'date-malformed' | 'date-too-old' | 'date-in-future'
  host: 'host-missing' | 'host-repeated' | 'host-mismatch'
  account: 'account-missing' | 'account-repeated' | 'account-malformed' | 'account-mismatch' | 'account-check-failed'
  'signature-header':
    | 'signature-missing'
    | 'signature-repeated'
    | 'signature-malformed'
    | 'signature-parameter-missing'
    | 'signature-parameter-repeated'
    | 'signature-algorithm-not-allowed'
    | 'signature-not-base64'
    | 'signature-created-out-of-range'
    | 'signature-expired'
    | 'signature-times-not-allowed'
  coverage: 'coverage-insufficient' | 'coverage-repeated' | 'coverage-absent'
  'key-name': 'key-name-malformed' | 'key-name-outside-domain'
  key:
    | 'key-not-found'
    | 'key-malformed'
    | 'key-version-unsupported'
    | 'key-type-mismatch'
    | 'key-hash-not-allowed'
    | 'key-service-mismatch'
    | 'key-test-only'
    | 'key-revoked'
    | 'key-unreadable'
    | 'key-too-short'
    | 'key-too-long'
    | 'key-weak'
    | 'key-lookup-failed'
    | 'key-lookup-timeout'
  signature: 'signature-mismatch'
  digest:
    | 'digest-missing'
    | 'digest-malformed'
    | 'digest-unsupported'
    | 'digest-mismatch'
    | 'body-too-large'
    | 'body-unreadable'
  replay: 'replayed' | 'replay-store-failed'
}

/** One of the twelve checks. */
export type CheckName = keyof CodesByCheck

/** A stable name for what is wrong; docs/checks-and-codes.md has a heading for each. */
export type Code = CodesByCheck[CheckName]

/** The check that a code belongs to. */
export type CheckOf<C extends Code> = { [N in CheckName]: C extends CodesByCheck[N] ? N : never }[CheckName]

/** Codes that mean "could not be decided now" instead of "no". */
export type UnavailableCode =
  | 'account-check-failed'
  | 'key-lookup-failed'
  | 'key-lookup-timeout'
  | 'body-unreadable'
  | 'replay-store-failed'

/** One row for each code, checked against the types above: the two cannot differ. */
type Table = {
  readonly [C in Code]: readonly [
    check: CheckOf<C>,
    message: string,
    ...outcome: C extends UnavailableCode ? ['unavailable'] : []
  ]
}

/**
 * Every code a verdict can carry, in the order of the checks: the check it belongs to, what it says to a person, and
 * whether the check could not be decided.
 * Messages hold no text from the sender, so they are safe in any log; what was received is in the evidence.
 */
export const CODES = {
  'request-malformed': ['request', 'the request is not well-formed HTTP'],
  'not-https': ['https', 'the request did not arrive over HTTPS'],
  'date-missing': ['date', 'there is no Date header'],
  'date-repeated': ['date', 'there is more than one Date header'],
  'date-malformed': ['date', 'Date is not an HTTP-date'],
  'date-too-old': ['date', 'Date is too long ago'],
  'date-in-future': ['date', 'Date is in the future'],
  'host-missing': ['host', 'there is no Host header'],
  'host-repeated': ['host', 'there is more than one Host header'],
  'host-mismatch': ['host', 'Host is not one of the configured hosts'],
  'account-missing': ['account', 'there is no account header'],
  'account-repeated': ['account', 'there is more than one account header'],
  'account-malformed': ['account', 'the account header is not the prefix and an account id'],
  'account-mismatch': ['account', 'the request is for another account'],
  'account-check-failed': ['account', 'the accounts function failed', 'unavailable'],
  'signature-missing': ['signature-header', 'there is no Signature header'],
  'signature-repeated': ['signature-header', 'there is more than one Signature header'],
  'signature-malformed': ['signature-header', 'Signature is not a list of parameters'],
  'signature-parameter-missing': ['signature-header', 'Signature lacks a parameter'],
  'signature-parameter-repeated': ['signature-header', 'Signature has a parameter twice'],
  'signature-algorithm-not-allowed': ['signature-header', 'the algorithm is not an allowed one'],
  'signature-not-base64': ['signature-header', 'the signature is not canonical base64'],
  'signature-created-out-of-range': ['signature-header', 'the created time is too long ago or in the future'],
  'signature-expired': ['signature-header', 'the expires time has passed'],
  'signature-times-not-allowed': ['signature-header', 'created or expires cannot be covered with this algorithm'],
  'coverage-insufficient': ['coverage', 'the signature leaves out something it must cover'],
  'coverage-repeated': ['coverage', 'the signature lists a name twice'],
  'coverage-absent': ['coverage', 'the signature lists a header that the request does not have'],
  'key-name-malformed': ['key-name', 'keyId is not a DNS name'],
  'key-name-outside-domain': ['key-name', 'keyId is not a subdomain of the service domain'],
  'key-not-found': ['key', 'DNS has no key record at this name'],
  'key-malformed': ['key', 'the key record is not a tag list'],
  'key-version-unsupported': ['key', 'the key record is not of version DKIM1'],
  'key-type-mismatch': ['key', 'the type of the key does not fit'],
  'key-hash-not-allowed': ['key', 'the key record does not allow the hash in use'],
  'key-service-mismatch': ['key', 'the key record is for another kind of service'],
  'key-test-only': ['key', 'the key record is marked as a test'],
  'key-revoked': ['key', 'the key has been revoked'],
  'key-unreadable': ['key', 'the key is not canonical base64 of a public key'],
  'key-too-short': ['key', 'the RSA key is too short'],
  'key-too-long': ['key', 'the RSA key is too long'],
  'key-weak': ['key', 'anyone can sign with this key'],
  'key-lookup-failed': ['key', 'the DNS lookup failed', 'unavailable'],
  'key-lookup-timeout': ['key', 'the DNS lookup took too long', 'unavailable'],
  'signature-mismatch': ['signature', 'the signature does not verify with the key'],
  'digest-missing': ['digest', 'there is no Digest header'],
  'digest-malformed': ['digest', 'Digest is not a list of digests'],
  'digest-unsupported': ['digest', 'Digest has neither SHA-256 nor SHA-512'],
  'digest-mismatch': ['digest', 'Digest does not match the body'],
  'body-too-large': ['digest', 'the body is larger than the limit'],
  'body-unreadable': ['digest', 'the body could not be read to its end', 'unavailable'],
  replayed: ['replay', 'the same signature was accepted before'],
  'replay-store-failed': ['replay', 'the replay store did not answer', 'unavailable']
} as const satisfies Table

/** The twelve checks, in the order in which they are reported. */
export const CHECK_NAMES: readonly CheckName[] = [...new Set(Object.values(CODES).map(([check]) => check))]

/**
 * The headers that each check reads, in lower case, besides the account header and the names that a receiver or a
 * signature lists. A fixture keeps their values; a check that does not say what it reads does not compile.
 */
export const HEADERS_READ = {
  request: [],
  https: [],
  date: ['date'],
  host: ['host'],
  account: [],
  'signature-header': ['signature', 'signature-input'],
  coverage: [],
  'key-name': [],
  key: [],
  signature: [],
  digest: ['digest', 'content-digest'],
  replay: []
} as const satisfies { readonly [C in CheckName]: readonly string[] }

export const isUnavailable = (code: Code): code is UnavailableCode => CODES[code].length === 3

/** Describes one code. */
interface CodeEntry {
  /** the check that it belongs to */
  readonly check: string
  /** what it says to a person: no text from the sender, so it is safe in any log */
  readonly message: string
  /** the check could not be decided now: neither "yes" nor "no" */
  readonly isUnavailable?: true
}

/**
 * Every code that a verdict can carry, in the order of the checks. What was received is in the evidence of a failure.
 */
export const CODES = {
  'request-malformed': { check: 'request', message: 'the request is not well-formed HTTP' },
  'not-https': { check: 'https', message: 'the request did not arrive over HTTPS' },
  'date-missing': { check: 'date', message: 'there is no Date header' },
  'date-repeated': { check: 'date', message: 'there is more than one Date header' },
  'date-malformed': { check: 'date', message: 'Date is not an HTTP-date' },
  'date-too-old': { check: 'date', message: 'Date is too old' },
  'date-in-future': { check: 'date', message: 'Date is in the future' },
  'host-missing': { check: 'host', message: 'there is no Host header' },
  'host-repeated': { check: 'host', message: 'there is more than one Host header' },
  'host-mismatch': { check: 'host', message: 'Host is not one of the configured hosts' },
  'account-missing': { check: 'account', message: 'there is no account header' },
  'account-repeated': { check: 'account', message: 'there is more than one account header' },
  'account-malformed': { check: 'account', message: 'the account header is not the prefix and an account id' },
  'account-mismatch': { check: 'account', message: 'the request is for another account' },
  'account-check-failed': { check: 'account', message: 'the accounts function failed', isUnavailable: true },
  'signature-missing': { check: 'signature-header', message: 'there is no Signature header' },
  'signature-repeated': { check: 'signature-header', message: 'there is more than one Signature header' },
  'signature-malformed': { check: 'signature-header', message: 'Signature is not a list of parameters' },
  'signature-parameter-missing': { check: 'signature-header', message: 'Signature lacks a parameter' },
  'signature-parameter-repeated': { check: 'signature-header', message: 'Signature has a parameter twice' },
  'signature-algorithm-not-allowed': { check: 'signature-header', message: 'the algorithm is not an allowed one' },
  'signature-not-base64': { check: 'signature-header', message: 'the signature is not canonical base64' },
  'signature-created-out-of-range': {
    check: 'signature-header',
    message: 'the created time is too old or in the future'
  },
  'signature-expired': { check: 'signature-header', message: 'the expires time has passed' },
  'signature-times-not-allowed': {
    check: 'signature-header',
    message: 'created or expires cannot be covered with this algorithm'
  },
  'coverage-insufficient': { check: 'coverage', message: 'the signature leaves out something it must cover' },
  'coverage-repeated': { check: 'coverage', message: 'the signature lists a name twice' },
  'coverage-absent': { check: 'coverage', message: 'the signature lists a header that the request does not have' },
  'key-name-malformed': { check: 'key-name', message: 'keyId is not a DNS name' },
  'key-name-outside-domain': { check: 'key-name', message: 'keyId is not a subdomain of the service domain' },
  'key-not-found': { check: 'key', message: 'DNS has no key record at this name' },
  'key-malformed': { check: 'key', message: 'the key record is not a tag list' },
  'key-version-unsupported': { check: 'key', message: 'the key record is not of version DKIM1' },
  'key-type-mismatch': { check: 'key', message: 'the type of the key does not fit' },
  'key-hash-not-allowed': { check: 'key', message: 'the key record does not allow the hash in use' },
  'key-service-mismatch': { check: 'key', message: 'the key record is for another kind of service' },
  'key-test-only': { check: 'key', message: 'the key record is marked as a test' },
  'key-revoked': { check: 'key', message: 'the key has been revoked' },
  'key-unreadable': { check: 'key', message: 'the key is not canonical base64 of a public key' },
  'key-too-short': { check: 'key', message: 'the RSA key is too short' },
  'key-too-long': { check: 'key', message: 'the RSA key is too long' },
  'key-weak': { check: 'key', message: 'anyone can sign with this key' },
  'key-lookup-failed': { check: 'key', message: 'the DNS lookup failed', isUnavailable: true },
  'key-lookup-timeout': { check: 'key', message: 'the DNS lookup took too long', isUnavailable: true },
  'signature-mismatch': { check: 'signature', message: 'the signature does not verify with the key' },
  'digest-missing': { check: 'digest', message: 'there is no Digest header' },
  'digest-malformed': { check: 'digest', message: 'Digest is not a list of digests' },
  'digest-unsupported': { check: 'digest', message: 'Digest has neither SHA-256 nor SHA-512' },
  'digest-mismatch': { check: 'digest', message: 'Digest does not match the body' },
  'body-too-large': { check: 'digest', message: 'the body is larger than the limit' },
  'body-unreadable': { check: 'digest', message: 'the body could not be read to its end', isUnavailable: true },
  replayed: { check: 'replay', message: 'the same signature was accepted before' },
  'replay-store-failed': { check: 'replay', message: 'the replay store did not answer', isUnavailable: true }
} as const satisfies Record<string, CodeEntry>

/** A stable name for what is wrong; `docs/codes/` has a page for each. */
export type Code = { [C in keyof typeof CODES]: C }[keyof typeof CODES]

/** The check that a code belongs to. */
export type CheckOf<C extends Code> = (typeof CODES)[C]['check']

/** One of the checks. */
export type CheckName = { [C in Code]: CheckOf<C> }[Code]

/** The codes of each check. */
export type CodesByCheck = { [N in CheckName]: { [C in Code]: CheckOf<C> extends N ? C : never }[Code] }

/** The codes of checks that could not be decided now. */
export type UnavailableCode = { [C in Code]: (typeof CODES)[C] extends { isUnavailable: true } ? C : never }[Code]

/** The checks, in the order in which they are reported. */
export const CHECK_NAMES: readonly CheckName[] = [...new Set(Object.values(CODES).map(({ check }) => check))]

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

export const isUnavailable = (code: Code): code is UnavailableCode => 'isUnavailable' in CODES[code]

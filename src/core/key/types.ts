/**
 * Asks DNS for the TXT records at a name. Resolves and rejects as `resolveTxt` of `node:dns` does: one array of
 * chunks per record; errors carry `code`. `signal` is aborted when the verifier no longer waits.
 */
export type LookupTxt = ((name: string, options: { readonly signal: AbortSignal }) => Promise<string[][]>) & {
  /** the servers that it asks, for the evidence of a failure */
  servers?(): readonly string[]
}

/** The TXT records of a name, each in its strings. */
export type TxtAnswer = readonly (readonly string[])[]

/** A DKIM key record that can be used: parsed, not revoked, not a test, meant for signatures. */
export interface KeyRecord {
  /** the value of `k=`, `rsa` without it */
  type: RecordKeyType
  /** the value of `p=`: DER for RSA, 32 raw bytes for Ed25519 */
  publicKey: Uint8Array
  /** the hashes that `h=` allows; all when undefined */
  hashes: readonly string[] | undefined
  /** the flags of `t=` */
  flags: readonly string[]
  /** the record's text, chunks joined */
  text: string
}

/** The types of key that a record can hold: the values of `k=`. */
export type RecordKeyType = 'rsa' | 'ed25519'

/** `p256` (ECDSA on P-256) is never the type of a key record: such a key is made in code, from `node:crypto`. */
export type KeyType = RecordKeyType | 'p256'

/** Bits of the RSA modulus. */
export interface KeyLimits {
  /** bits of the shortest RSA key; 1024 by default (RFC 8301 section 3.2) */
  minRsaBits?: number | undefined
  /** bits of the longest RSA key; 8192 by default; it limits what a sender can make a verification cost */
  maxRsaBits?: number | undefined
}

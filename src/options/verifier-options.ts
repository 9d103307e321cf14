import type { LookupTxt } from '../key/types.ts'
import type { ReplayStore } from '../replay/store.ts'
import type { Scheme } from '../scheme.ts'
import type { Algorithm } from '../signature/algorithms.ts'

/** Account ids to accept: one, several, or a function that decides. */
export type Accounts = string | readonly string[] | ((id: string) => boolean | Promise<boolean>)

/** Whose requests are accepted, and how strictly. `createVerifier` throws a `TypeError` for a bad option. */
export interface VerifierOptions {
  /** keyId must be a subdomain of it, not the domain itself */
  serviceDomain: string
  /** the receiver's own host names: `name` means the default port, `name:8443` that port */
  hosts: string | readonly string[]
  /** the account ids to accept, without the prefix; a function that throws or rejects makes the verdict unavailable */
  accounts: Accounts
  /** the header that carries the account, under the service's brand; `X-Service-ID` by default */
  accountHeader?: string
  /** the text before the account id; `account-` by default */
  accountPrefix?: string
  /** true by default */
  requireHttps?: boolean
  /** seconds that Date, created and expires may be from now, either way; 300 by default */
  dateTolerance?: number
  /**
   * The standards to accept; `[draftCavage]` by default. With `rfc9421` of `signed-requests/rfc9421` in the list, a
   * request with Signature-Input is verified by that alone.
   */
  schemes?: readonly Scheme[]
  /** `rsa-sha256` for the draft by default, and for RFC 9421 `rsa-v1_5-sha256`, `rsa-pss-sha512` and `ed25519` */
  algorithms?: readonly Algorithm[]
  /** names that must be signed in addition to the required ones; none by default */
  alsoCovered?: readonly string[]
  /** 1024 by default (RFC 8301) */
  minRsaBits?: number
  /** 8192 by default */
  maxRsaBits?: number
  /** 10485760 by default, for a streamed or a given body */
  maxBodyBytes?: number
  /** milliseconds for a streamed body, from the first read to its end; 30000 by default */
  bodyTimeout?: number
  /** `dnsTxtLookup()` by default */
  lookupTxt?: LookupTxt
  /** milliseconds; 5000 by default, however the resolver behaves */
  lookupTimeout?: number
  /** where accepted requests are remembered; none by default */
  replayStore?: ReplayStore
  /** milliseconds that the replay store may take; 1000 by default */
  replayTimeout?: number
  /** the clock, in milliseconds since 1970; `Date.now` by default */
  now?: () => number
}

/**
 * TXT records by DNS over HTTPS (RFC 8484): a `lookupTxt` for every runtime, with answers that DNSSEC authenticated if
 * asked for.
 *
 * @module signed-requests/doh
 */
export type { LookupTxt } from '../core/key/types.ts'
export type { Fetch } from '../outgoing/fetch-once.ts'
export { type DohTxtLookupOptions, dohTxtLookup } from './lookup.ts'

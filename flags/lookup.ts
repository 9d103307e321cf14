// By their names, so that the gateway uses the library that is installed beside it.
import { dnsTxtLookup, type LookupTxt } from 'signed-requests'
import { dohTxtLookup } from 'signed-requests/doh'
import { pick, type Values } from './flag.ts'
import { SHARED } from './table.ts'

/** Flags that choose the resolver of a command. */
export const LOOKUP_FLAGS = pick(SHARED, 'servers', 'url', 'requireAuthenticated')

/** Makes the lookup that asks the DNS server or the resolver of these flags; undefined when neither is given. */
export function lookupFromFlags({
  servers,
  url,
  requireAuthenticated
}: Values<typeof LOOKUP_FLAGS>): LookupTxt | undefined {
  if (url === undefined) return servers && dnsTxtLookup({ servers })
  return dohTxtLookup({ url, requireAuthenticated })
}

import { pick, type Values } from '../flags/flag.ts'
import { SHARED } from '../flags/table.ts'
import { dohTxtLookup } from '../src/doh/index.ts'
import { dnsTxtLookup, type LookupTxt } from '../src/index.ts'

/** Flags that say whom a command asks for keys. */
export const LOOKUP_FLAGS = pick(SHARED, 'servers', 'url', 'requireAuthenticated')

/** Makes the lookup that asks the DNS server or the resolver of these flags; undefined when neither is given. */
export function lookupOf({ servers, url, requireAuthenticated }: Values<typeof LOOKUP_FLAGS>): LookupTxt | undefined {
  if (url === undefined) return servers && dnsTxtLookup({ servers })
  return dohTxtLookup({ url, requireAuthenticated })
}

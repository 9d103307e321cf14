import { SHARED } from '../flags/table.ts'
import { dohTxtLookup } from '../src/doh/index.ts'
import { dnsTxtLookup, type LookupTxt } from '../src/index.ts'
import { UsageError } from './command.ts'
import { pick, type Values } from './flags.ts'

/** Whom a command asks for keys. */
export const LOOKUP_FLAGS = pick(SHARED, 'servers', 'url', 'requireAuthenticated')

/** What asks the DNS server or the resolver of these flags; undefined when none is given. @throws UsageError */
export function lookupOf(values: Values<typeof LOOKUP_FLAGS>): LookupTxt | undefined {
  const { servers, url, requireAuthenticated } = values
  if (url === undefined && requireAuthenticated) throw new UsageError('--require-authenticated needs --doh')
  if (url === undefined) return servers && dnsTxtLookup({ servers })
  if (servers !== undefined) throw new UsageError('--doh and --dns-server exclude each other')
  return dohTxtLookup({ url, ...(requireAuthenticated && { requireAuthenticated }) })
}

import { parseKeyName } from '../key/name.ts'
import type { Settings } from '../options/options.ts'
import { fail, ok, type Result } from '../verdict/result.ts'

/**
 * 8. keyId is a subdomain of the service's domain: the owner of another domain could publish a key there and sign an
 * otherwise correct request. The value is the name to ask DNS for.
 */
export function checkKeyName(keyId: string, { serviceDomain: domain }: Settings): Result<string> {
  const parsed = parseKeyName(keyId, domain)
  if ('name' in parsed) return ok(parsed.name)
  return fail(parsed.problem === 'malformed' ? 'key-name-malformed' : 'key-name-outside-domain', {
    received: keyId,
    domain
  })
}

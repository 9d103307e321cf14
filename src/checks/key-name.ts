import { parseKeyName } from '../key/name.ts'
import type { Settings } from '../options/settings.ts'
import { fail, ok, type Result } from '../verdict/result.ts'

/**
 * 8. keyId is a subdomain of the service's domain: whoever owns another domain can publish a key there and sign
 * everything else right. The value is the name to ask DNS for.
 */
export function checkKeyName(keyId: string, { serviceDomain }: Settings): Result<string> {
  const parsed = parseKeyName(keyId, serviceDomain)
  if ('name' in parsed) return ok(parsed.name)
  return parsed.problem === 'malformed'
    ? fail('key-name-malformed', { received: keyId, domain: serviceDomain })
    : fail('key-name-outside-domain', { received: keyId, domain: serviceDomain })
}

import { normalizeName } from '../key/name.ts'
import { fail, ok, type Result } from '../result.ts'
import type { Settings } from '../settings.ts'

/**
 * 8. keyId is a subdomain of the service's domain: whoever owns another domain can publish a key there and sign
 * everything else right. The value is the name to ask DNS for.
 */
export function checkKeyName(keyId: string, { serviceDomain }: Settings): Result<string> {
  const name = normalizeName(keyId)
  if (name === undefined) return fail('key-name-malformed', { received: keyId })

  const suffix = `.${serviceDomain}`
  const inside = name.endsWith(suffix)
  // Resolvers decode punycode labels, and ask for the root when one is invalid.
  const own = inside ? name.slice(0, -suffix.length) : name
  if (/(?:^|\.)xn--/.test(own)) return fail('key-name-malformed', { received: keyId })
  return inside ? ok(name) : fail('key-name-outside-domain', { received: keyId, domain: serviceDomain })
}

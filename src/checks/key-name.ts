import { parseKeyName } from '../key/name.ts'
import type { Settings } from '../options/options.ts'
import type { Result } from '../verdict/result.ts'

/**
 * 8. keyId is a subdomain of the service's domain: the owner of another domain could publish a key there and sign an
 * otherwise correct request. The value is the name to ask DNS for.
 */
export const checkKeyName = (keyId: string, { serviceDomain }: Settings): Result<string> =>
  parseKeyName(keyId, serviceDomain)

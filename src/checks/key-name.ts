import { parseKeyName } from '../key/name.ts'
import { memoByObject, memoFew } from '../memo.ts'
import type { Settings } from '../options/options.ts'
import { fail, ok, type Result } from '../verdict/result.ts'

/**
 * 8. keyId is a subdomain of the service's domain: the owner of another domain could publish a key there and sign an
 * otherwise correct request. The value is the name to ask DNS for.
 */
export const checkKeyName = (keyId: string, settings: Settings): Result<string> => checkFor(settings)(keyId)

/** A service has one key a month: saves 2 % of a verification. */
const checkFor = /* @__PURE__ */ memoByObject(({ serviceDomain: domain }: Settings) =>
  memoFew((keyId: string): Result<string> => {
    const parsed = parseKeyName(keyId, domain)
    if ('name' in parsed) return ok(parsed.name)
    return parsed.problem === 'malformed'
      ? fail('key-name-malformed', { received: keyId, domain })
      : fail('key-name-outside-domain', { received: keyId, domain })
  })
)

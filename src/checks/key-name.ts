import { normalizeName } from '../http/host-name.ts'
import { fail, ok, type Result } from '../verdict/result.ts'

/**
 * 8. keyId is a subdomain of the service's domain, compared on a label boundary: the owner of another domain could
 * publish a key there and sign an otherwise correct request. Resolvers decode punycode labels, and ask for the root
 * when one is invalid, so the labels in front of the domain have none. The value is the name to ask DNS for.
 */
export function checkKeyName(
  keyId: string,
  { serviceDomain: domain }: { readonly serviceDomain: string }
): Result<string> {
  const evidence = { received: keyId, domain }
  const name = normalizeName(keyId)
  if (name === undefined) return fail('key-name-malformed', evidence)
  const isInside = name.endsWith(`.${domain}`)
  const ownLabels = isInside ? name.slice(0, -domain.length) : name
  if (/(?:^|\.)xn--/.test(ownLabels)) return fail('key-name-malformed', evidence)
  return isInside ? ok(name) : fail('key-name-outside-domain', evidence)
}

import { hasPunycode, isSubdomain, normalizeName } from '../http/uri.ts'
import { fail, type NotRun, ok, type Result, UNREADABLE } from '../result/result.ts'
import type { Examination } from './context.ts'

/**
 * keyId is a subdomain of the service's domain: the owner of another domain could publish a key there and sign an
 * otherwise correct request. The value is the name to ask DNS for.
 */
export const checkKeyName = ({ signature, tools }: Examination): Result<string> | NotRun =>
  signature.ok ? tools.keyNameOf(signature.value.keyId) : UNREADABLE

/** Normalizes the name of a key of this domain. */
export function parseKeyName(
  keyId: string,
  { serviceDomain: domain }: { readonly serviceDomain: string }
): Result<string> {
  const evidence = { received: keyId, domain }
  const name = normalizeName(keyId)
  if (name === undefined || hasPunycode(name, domain)) return fail('key-name-malformed', evidence)
  return isSubdomain(name, domain) ? ok(name) : fail('key-name-outside-domain', evidence)
}

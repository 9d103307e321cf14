import { fail, ok, type Result } from '../verdict/result.ts'

/** A label as key records use it: letters, digits, hyphen and underscore (RFC 1035 section 2.3.1, RFC 8552). */
const LABELS = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/

/** Only ASCII, checked before lower-casing: some other letters become ASCII ones. */
const ASCII_NAME = /^[A-Za-z0-9._-]+$/

/** RFC 1035 section 2.3.4, without the trailing dot. */
const MAX_LENGTH = 253

/**
 * A DNS name in lower case and without a trailing dot, or undefined when it is not one. Resolvers cut names at a NUL,
 * map full-width letters and drop backslashes; all of that is refused here.
 */
export function normalizeName(name: string): string | undefined {
  if (name.length > MAX_LENGTH + 1 || !ASCII_NAME.test(name)) return undefined
  const lower = name.toLowerCase()
  const bare = lower.endsWith('.') ? lower.slice(0, -1) : lower
  return bare.length <= MAX_LENGTH && LABELS.test(bare) ? bare : undefined
}

/**
 * The DNS name of a key: a proper subdomain of the domain, compared on a label boundary. Resolvers decode punycode
 * labels, and ask for the root when one is invalid, so the labels in front of the domain have none.
 */
export function parseKeyName(keyId: string, domain: string): Result<string> {
  const evidence = { received: keyId, domain }
  const name = normalizeName(keyId)
  if (name === undefined) return fail('key-name-malformed', evidence)
  const isInside = name.endsWith(`.${domain}`)
  const ownLabels = isInside ? name.slice(0, -domain.length) : name
  if (/(?:^|\.)xn--/.test(ownLabels)) return fail('key-name-malformed', evidence)
  return isInside ? ok(name) : fail('key-name-outside-domain', evidence)
}

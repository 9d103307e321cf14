import type { Fields } from '../../http/fields.ts'
import type { ReceivedRequest } from '../../http/request.ts'
import { normalizeHost, splitAbsoluteUrl } from '../../http/uri.ts'

/** The parts of the target URI of a request (RFC 9110 section 7.1). */
export interface Target {
  /** undefined, like the authority, when there is not exactly one Host */
  uri: string | undefined
  scheme: string
  authority: string | undefined
  /** not decoded, never empty */
  path: string
  /** with its question mark; only the question mark when there is no query */
  query: string
}

/** The parts of a request that the derived components are made of. */
export type RequestLine = Pick<ReceivedRequest, 'method' | 'target' | 'https'>

/** The derived components of section 2.2, except `@query-param`, the only one with a parameter. */
export const DERIVED: ReadonlyMap<string, (request: RequestLine, target?: Target) => string | undefined> = new Map([
  ['@method', ({ method }) => method],
  ['@request-target', ({ target }) => target],
  ['@target-uri', (_, target) => target?.uri],
  ['@authority', (_, target) => target?.authority],
  ['@scheme', (_, target) => target?.scheme],
  ['@path', (_, target) => target?.path],
  ['@query', (_, target) => target?.query]
])

/**
 * Makes the target URI from Host and the request-target as received: origin-form or absolute-form (RFC 9112 sections
 * 3.2.1 and 3.2.2), without user name and fragment, which no request has. Undefined for a target without a path (`*`,
 * CONNECT), and for an absolute-form with another host than Host: the unsigned one of the two could pass for the signed
 * one.
 */
export function parseTarget({ target, https }: RequestLine, { values }: Fields): Target | undefined {
  const absolute = splitAbsoluteUrl(target)
  const parts = /^(\/[^?#]*)(\?[^#]*)?$/.exec(absolute?.target ?? target)
  if (parts === null || absolute?.fragment !== undefined) return undefined
  const [, path = '', query = '?'] = parts
  const scheme = absolute?.scheme ?? (https ? 'https' : 'http')
  // Several lines are joined by a comma and a space, which no authority has.
  const authority = normalizeAuthority(values.get('host') ?? '', scheme)
  if (absolute === undefined)
    return { uri: authority && `${scheme}://${authority}${target}`, scheme, authority, path, query }
  const isSame = authority !== undefined && authority === normalizeAuthority(absolute.authority, scheme)
  return isSame ? { uri: target, scheme, authority, path, query } : undefined
}

/** RFC 3986 section 3.2, but no user name. Only ASCII: some other letters become ASCII ones in lower case. */
const AUTHORITY = /^[A-Za-z0-9\-._~%!$&'()*+,;=:[\]]+$/

/**
 * Normalizes an authority: in lower case, without the default port (RFC 9421 section 2.2.3, RFC 9110 section 4.2.3).
 */
function normalizeAuthority(authority: string, scheme: string): string | undefined {
  if (!AUTHORITY.test(authority)) return undefined
  // An empty port is the default one, too (RFC 3986 section 6.2.3).
  if (authority.endsWith(':')) return authority.toLowerCase().slice(0, -1)
  return normalizeHost(authority, scheme === 'https' ? 'https' : 'http')
}

/**
 * Parses a query as `application/x-www-form-urlencoded`, and finds the value of a parameter, both re-encoded as RFC
 * 9421 section 2.2.8 says. Undefined for a name that occurs more than once, which cannot be signed, and when the query
 * is not UTF-8, in which different octets would be signed alike.
 *
 * @param query with its question mark
 */
export function parseQueryParams(query: string): (encodedName: string) => string | undefined {
  const values = new Map<string, string | undefined>()
  // Node.js throws and catches an error for each part that is not UTF-8: so one check of the whole comes first.
  if (percentDecode(query.replace(/%(?![\da-f]{2})/gi, '%25')) !== undefined) {
    for (const [name, value] of new URLSearchParams(query)) values.set(name, values.has(name) ? undefined : value)
  }
  return encodedName => {
    const name = percentDecode(encodedName)
    const value = name !== undefined && percentEncode(name) === encodedName ? values.get(name) : undefined
    return value === undefined ? undefined : percentEncode(value)
  }
}

/** The application/x-www-form-urlencoded percent-encode set (URL section 1.3) has five more than encodeURIComponent. */
const percentEncode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()~]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

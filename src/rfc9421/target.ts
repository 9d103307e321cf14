import type { Fields } from '../http/fields.ts'
import type { ReceivedRequest } from '../http/request.ts'

/** What the target URI of a request is made of (RFC 9110 section 7.1). */
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

/** RFC 9112 section 3.2.2. A request has no user name and no fragment. */
const ABSOLUTE_FORM = /^(https?):\/\/([^/?#@]+)((?:\/[^?#]*)?)((?:\?[^#]*)?)$/i

/** RFC 9112 section 3.2.1. */
const ORIGIN_FORM = /^(\/[^?#]*)((?:\?[^#]*)?)$/

/**
 * The target URI, from Host and the request-target as received. Undefined when that has no path (`*`, CONNECT), and
 * when an absolute-form names another host than Host: an unsigned one of the two could pass for the signed one.
 */
export function parseTarget(
  { target, https }: Pick<ReceivedRequest, 'target' | 'https'>,
  fields: Fields
): Target | undefined {
  // Several lines are joined by a comma and a space, which no authority has.
  const host = fields.values.get('host') ?? ''

  const origin = ORIGIN_FORM.exec(target)
  if (origin !== null) {
    const [, path = '', query = ''] = origin
    const scheme = https ? 'https' : 'http'
    const authority = normalizeAuthority(host, scheme)
    const uri = authority && `${scheme}://${authority}${target}`
    return { uri, scheme, authority, path, query: query || '?' }
  }

  const [, prefix = '', named = '', path = '', query = ''] = ABSOLUTE_FORM.exec(target) ?? []
  const scheme = prefix.toLowerCase()
  const authority = normalizeAuthority(named, scheme)
  if (authority === undefined || authority !== normalizeAuthority(host, scheme)) return undefined
  // An empty path is a slash (RFC 9110 section 4.2.3).
  return { uri: target, scheme, authority, path: path || '/', query: query || '?' }
}

/** RFC 3986 section 3.2, but no user name. Only ASCII: some other letters become ASCII ones in lower case. */
const AUTHORITY = /^[A-Za-z0-9\-._~%!$&'()*+,;=:[\]]+$/

/** RFC 9421 section 2.2.3: in lower case, without the default port (RFC 9110 section 4.2.3). */
function normalizeAuthority(authority: string, scheme: string): string | undefined {
  if (!AUTHORITY.test(authority)) return undefined
  const defaultPort = scheme === 'https' ? /:(?:443)?$/ : /:(?:80)?$/
  return authority.toLowerCase().replace(defaultPort, '')
}

/**
 * Parses a query as `application/x-www-form-urlencoded`, and finds the value of a parameter, both re-encoded as RFC 9421
 * section 2.2.8 says. Undefined for a name that occurs more than once, which cannot be signed, and when the query is
 * not UTF-8, in which different octets would be signed alike.
 *
 * @param query with its question mark
 */
export function parseQueryParams(query: string): (encodedName: string) => string | undefined {
  const values = new Map<string, string | undefined>()
  // Node.js throws and catches an error for each part that is not UTF-8: so one check of the whole comes first.
  if (percentDecode(query.replace(/%(?![\da-f]{2})/gi, '%25')) !== undefined) {
    for (const [name, value] of new URLSearchParams(query))
      values.set(name, values.has(name) ? undefined : value)
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

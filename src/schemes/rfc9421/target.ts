import type { Fields } from '../../headers/fields.ts'
import type { ReceivedRequest } from '../../request.ts'

/** What the target URI of a request is made of (RFC 9110 section 7.1). */
export interface Target {
  uri: string
  scheme: string
  authority: string
  /** not decoded, never empty */
  path: string
  /** with its question mark, which stands alone when there is no query */
  query: string
}

/** RFC 9112 section 3.2.2. User names and fragments are in no request. */
const ABSOLUTE_FORM = /^(https?):\/\/([^/?#@]+)((?:\/[^?#]*)?)((?:\?[^#]*)?)$/i

/** RFC 9112 section 3.2.1. */
const ORIGIN_FORM = /^(\/[^?#]*)((?:\?[^#]*)?)$/

/**
 * The target URI, from Host and the request-target as received. Undefined when that has no path (`*`, CONNECT), when
 * there is not one Host, and when an absolute-form names another: a Host that nobody signed could then pass for the
 * signed one.
 */
export function readTarget(
  { target, https }: Pick<ReceivedRequest, 'target' | 'https'>,
  fields: Fields
): Target | undefined {
  const host = fields.repeated.has('host') ? undefined : fields.values.get('host')
  if (host === undefined) return undefined

  const origin = ORIGIN_FORM.exec(target)
  if (origin !== null) {
    const [, path = '', query = ''] = origin
    const scheme = https ? 'https' : 'http'
    const authority = normalizeAuthority(host, scheme)
    if (authority === undefined) return undefined
    return { uri: `${scheme}://${authority}${target}`, scheme, authority, path, query: query || '?' }
  }

  const [, prefix = '', named = '', path = '', query = ''] = ABSOLUTE_FORM.exec(target) ?? []
  const scheme = prefix.toLowerCase()
  const authority = normalizeAuthority(named, scheme)
  if (authority === undefined || authority !== normalizeAuthority(host, scheme)) return undefined
  // An empty path is a slash (RFC 9110 section 4.2.3).
  return { uri: target, scheme, authority, path: path || '/', query: query || '?' }
}

/** RFC 9421 section 2.2.3: in lower case, without the default port (RFC 9110 section 4.2.3). */
function normalizeAuthority(authority: string, scheme: string): string | undefined {
  // Only ASCII: some letters beyond it become ASCII ones in lower case.
  if (!/^[!-~]+$/.test(authority)) return undefined
  const defaultPort = scheme === 'https' ? /:(?:443)?$/ : /:(?:80)?$/
  return authority.toLowerCase().replace(defaultPort, '')
}

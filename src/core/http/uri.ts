/**
 * uri-host with an optional port (RFC 3986 section 3.2.2): a name, an IPv4 address or an IPv6 literal in brackets.
 * Without the flag u, no letter outside ASCII is one of these in another case.
 */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i

export const isHost = (host: unknown): host is string => typeof host === 'string' && HOST.test(host)

/** The port that may be left out, by the protocol of the request; `any` where a receiver takes both. */
const DEFAULT_PORT = { https: /:443$/, http: /:80$/, any: /:(?:443|80)$/ }

/** Returns the form in which two hosts are compared: lower case, no default port (RFC 9110 section 4.2.3). */
export const normalizeHost = (host: string, protocol: 'https' | 'http' | 'any'): string =>
  host.toLowerCase().replace(DEFAULT_PORT[protocol], '')

/**
 * Returns whether a URL's host is this machine, so that http is as good as https. The URL parser has already normalized
 * every form of an IPv4 address to four decimal numbers. Names below `.localhost` are left out: some resolvers ask DNS
 * for them, although RFC 6761 section 6.3 forbids it.
 */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)

/** A label as key records use it: letters, digits, hyphen and underscore (RFC 1035 section 2.3.1, RFC 8552). */
const LABELS = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/

/** This is checked before lower-casing, because some other letters become ASCII ones. */
const ASCII_NAME = /^[A-Za-z0-9._-]+$/

/** RFC 1035 section 2.3.4, without the trailing dot. */
const MAX_NAME = 253

/**
 * Returns a DNS name in lower case and without a trailing dot, or undefined when it is not a DNS name. Resolvers cut
 * names at a NUL, map full-width letters and drop backslashes; all of that is refused here.
 */
export function normalizeName(name: string): string | undefined {
  if (name.length > MAX_NAME + 1 || !ASCII_NAME.test(name)) return undefined
  const lower = name.toLowerCase()
  const bare = lower.endsWith('.') ? lower.slice(0, -1) : lower
  return bare.length <= MAX_NAME && LABELS.test(bare) ? bare : undefined
}

/** Returns whether a normalized name is below a normalized domain, compared on a label boundary. */
export const isSubdomain = (name: string, domain: string): boolean => name.endsWith(`.${domain}`)

/**
 * Returns whether a label in front of the domain is punycode. Resolvers decode such labels, and ask for the root when
 * one is invalid.
 */
export function hasPunycode(name: string, domain: string): boolean {
  const ownLabels = isSubdomain(name, domain) ? name.slice(0, -domain.length) : name
  return /(?:^|\.)xn--/.test(ownLabels)
}

/**
 * RFC 3986 section 3.3: an absolute path. Empty segments are excluded, because `//` could pose as a host, and so are
 * dot segments, because a client would have resolved them.
 */
const PREFIX = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9\-._~!$&'()*+,;=:@%]+)*\/?$/

/** Returns whether a proxy can strip this path from the front of a target, with or without a slash at its end. */
export const isPathPrefix = (text: unknown): text is string =>
  typeof text === 'string' && text.startsWith('/') && PREFIX.test(text)

/** Returns the target as it was before a proxy stripped the prefix from it. The target begins with a slash. */
export const restorePathPrefix = (prefix: string, target: string): string =>
  (prefix.endsWith('/') ? prefix.slice(0, -1) : prefix) + target

/** The parts of an absolute URL of http or https, as they were written. */
export interface AbsoluteUrl {
  /** in lower case */
  scheme: 'https' | 'http'
  /** may be empty, or have a user name */
  authority: string
  /** path and query; an empty path is a slash, as it is sent (RFC 9112 section 3.2.1) */
  target: string
  /** with its number sign; undefined without one */
  fragment: string | undefined
}

/**
 * Splits an absolute URL where its parts meet (RFC 3986 appendix B). Nothing is decoded or normalized, because the
 * target was signed byte for byte. Undefined for anything else, such as a path.
 */
export function splitAbsoluteUrl(url: string): AbsoluteUrl | undefined {
  const parts = /^(https?):\/\/([^/?#]*)([^#]*)(#.*)?$/is.exec(url)
  if (parts === null) return undefined
  const [, scheme = '', authority = '', rest = '', fragment] = parts
  return {
    scheme: scheme.toLowerCase() as AbsoluteUrl['scheme'],
    authority,
    target: rest.startsWith('/') ? rest : `/${rest}`,
    fragment
  }
}

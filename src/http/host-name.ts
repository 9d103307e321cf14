/** uri-host with an optional port (RFC 3986 section 3.2.2): a name, an IPv4 address or an IPv6 literal in brackets. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/

export const isHost = (host: unknown): host is string =>
  typeof host === 'string' && HOST.test(host.toLowerCase())

/** Without a port that is the default one: 443, and 80 where HTTPS is not required. */
export const withoutDefaultPort = (host: string, requireHttps: boolean): string =>
  host.replace(requireHttps ? /:443$/ : /:(?:443|80)$/, '')

/**
 * Whether a URL's host is this machine, so that http is as good as https. The URL parser has already normalized every
 * form of an IPv4 address to four decimal numbers. Names below `.localhost` are left out: some resolvers ask DNS for
 * them, although RFC 6761 section 6.3 forbids it.
 */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)

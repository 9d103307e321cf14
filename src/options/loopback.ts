/**
 * Whether a URL's host is this machine, so that http may stand for https. The URL parser has already brought every
 * spelling of an IPv4 address to four decimal numbers. Names below `.localhost` are left out: some resolvers ask DNS
 * for them (RFC 6761 section 6.3 forbids it, in vain).
 */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

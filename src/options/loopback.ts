/**
 * Whether a URL's host is this machine, so that http is as good as https. The URL parser has already normalized every
 * spelling of an IPv4 address to four decimal numbers. Names below `.localhost` are left out: some resolvers ask DNS
 * for them, although RFC 6761 section 6.3 forbids it.
 */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

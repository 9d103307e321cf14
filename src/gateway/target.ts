import type { IncomingMessage } from 'node:http'

/**
 * Whether the target may go on as it is (RFC 9112 section 3.2): a path, `*` of OPTIONS, or a URL whose authority is
 * Host. Of the two, one server takes the one for the host and the next the other.
 */
export function isForwardable({ url = '', method, rawHeaders }: IncomingMessage): boolean {
  if (url.startsWith('/')) return true
  if (url === '*') return method === 'OPTIONS'
  const [, scheme, authority] = /^(https?):\/\/([^/?#]+)/i.exec(url) ?? []
  if (scheme === undefined || authority === undefined) return false
  const port = scheme.toLowerCase() === 'https' ? /:443$/ : /:80$/
  const withoutPort = (host: string) => host.toLowerCase().replace(port, '')
  const hosts = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === 'host')
  return hosts.length === 1 && withoutPort(hosts[0]!) === withoutPort(authority)
}

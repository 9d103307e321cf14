import type { IncomingMessage } from 'node:http'

/**
 * Whether the target may be forwarded as it is (RFC 9112 section 3.2): a path, `*` of OPTIONS, or a URL whose authority
 * is Host. If they differ, two servers may each use a different one as the host.
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

/**
 * HTTP/1.1, or HTTP/1.0 without a transfer coding: with one its framing is faulty (RFC 9112 section 6.1). Node.js accepts
 * 0.9 and 2.0 in a request line, too.
 */
export const isFramed = ({ httpVersion, headers }: IncomingMessage): boolean =>
  httpVersion === '1.1' || (httpVersion === '1.0' && headers['transfer-encoding'] === undefined)

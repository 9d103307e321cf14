/**
 * Headers about one connection and not about the request (RFC 9110 section 7.6.1, RFC 9113 section 8.2.2), in lower
 * case, and Expect, which the next hop answers itself.
 */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade'
])

import { isIPv6 } from 'node:net'

/** Writes an address as in a URL: IPv6 in brackets. */
export const authorityOf = (host: string, port: number): string =>
  `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`

/** Returns what one sender can choose its addresses from: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function networkOf(address = ''): string {
  if (!isIPv6(address) || address.toLowerCase().startsWith('::ffff:')) return address
  const [start = '', end] = address.split('::')
  const groups = start.split(':')
  if (end === undefined) return groups.slice(0, 4).join(':')
  const rest = end === '' ? [] : end.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0')
  return [...groups.map(group => group || '0'), ...zeros, ...rest].slice(0, 4).join(':')
}

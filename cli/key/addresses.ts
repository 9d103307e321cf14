import { BlockList, isIPv6 } from 'node:net'

/**
 * Addresses no public name server can have (RFC 6890): a zone that names such an address would have this machine send
 * packets into its own network. 168.63.129.16 is the host of a machine in Azure, and is not in those lists.
 */
const PRIVATE_IPV4 = blockList('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
  '168.63.129.16/32'
])

/**
 * Holds all but 2000::/3, the part of IPv6 that is in use (RFC 4291 section 2.4), and in that Teredo and 6to4, which
 * lead to an IPv4 address (RFC 4380, RFC 3056).
 */
const PRIVATE_IPV6 = blockList('ipv6', ['::/3', '4000::/2', '8000::/1', '2001::/32', '2002::/16'])

function blockList(family: 'ipv4' | 'ipv6', subnets: readonly string[]): BlockList {
  const list = new BlockList()
  for (const [net = '', prefix] of subnets.map(subnet => subnet.split('/'))) list.addSubnet(net, Number(prefix), family)
  return list
}

/** Returns whether the IP address is one of a private network, of this machine, or of no single machine at all. */
export const isPrivate = (address: string): boolean =>
  isIPv6(address) ? PRIVATE_IPV6.check(address, 'ipv6') : PRIVATE_IPV4.check(address, 'ipv4')

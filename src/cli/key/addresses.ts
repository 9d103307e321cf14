import { BlockList, isIPv6 } from 'node:net'

/**
 * Where no name server of the world is (RFC 6890): a zone that names such an address would have this machine send
 * packets into its own network. 168.63.129.16 is the host of a machine in Azure, which is not in those lists.
 */
const PRIVATE = new BlockList()
for (const subnet of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/3', '168.63.129.16/32']
]) {
  const [net = '', prefix] = subnet.split('/')
  PRIVATE.addSubnet(net, Number(prefix), 'ipv4')
}

/** RFC 4291 section 2.4: all of IPv6 that is in use. Mapped, link-local and local addresses are outside. */
const GLOBAL_IPV6 = new BlockList()
GLOBAL_IPV6.addSubnet('2000::', 3, 'ipv6')

/** Teredo and 6to4 lead to an IPv4 address (RFC 4380, RFC 3056). */
const TUNNELS = new BlockList()
TUNNELS.addSubnet('2001::', 32, 'ipv6')
TUNNELS.addSubnet('2002::', 16, 'ipv6')

/** Is the IP address one of a private network, of this machine, or of no single machine at all? */
export const isPrivate = (address: string): boolean =>
  isIPv6(address)
    ? !GLOBAL_IPV6.check(address, 'ipv6') || TUNNELS.check(address, 'ipv6')
    : PRIVATE.check(address, 'ipv4')

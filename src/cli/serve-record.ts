import { isIP, isIPv4 } from 'node:net'
import { type CountingDnsServer, startDnsServer } from '../testing/dns-server.ts'
import { UsageError } from './usage.ts'

/**
 * Serves one TXT record over UDP and TCP, on a loopback address only: a test key must not be visible to other machines,
 * and an open DNS server would answer the whole network.
 *
 * @throws UsageError
 */
export async function serveRecord(
  address: string,
  name: string,
  strings: readonly string[]
): Promise<CountingDnsServer> {
  const { ip, port } = parseAddress(address)
  try {
    return await startDnsServer({ [name]: [strings] }, { ip, port })
  } catch (error) {
    throw new UsageError(`cannot serve DNS on ${address}: ${(error as NodeJS.ErrnoException).code}`)
  }
}

function parseAddress(address: string): { ip: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(address) ?? []
  const ip = bracketed ?? plain ?? ''
  if (isIP(ip) === 0 || Number(port) > 65_535) {
    throw new UsageError('--serve-dns takes an IP address and a port, such as 127.0.0.1:5353')
  }
  if (ip !== '::1' && !(isIPv4(ip) && ip.startsWith('127.'))) {
    throw new UsageError('--serve-dns is for loopback addresses only: 127.0.0.1:5353 or [::1]:5353')
  }
  return { ip, port: Number(port) }
}

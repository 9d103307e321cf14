import { describe } from '../mistakes/describe.ts'
import { ownOptions } from '../mistakes/own-options.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'
import type { TestService } from './service.ts'

/** Where `serveDns` listens. */
export interface ServeDnsOptions {
  /** a free one by default */
  port?: number
}

/**
 * A real DNS server on loopback with the service's records, for a receiver in another process: UDP and TCP, every
 * query answered from `service.records` as they are at that moment, so a rotated key is found at once.
 *
 * @example
 * const dns = await serveDns(service)
 * const verify = createVerifier({ ...options, lookupTxt: dnsTxtLookup({ servers: [dns.address] }) })
 * await dns.close()
 * @throws (rejects with) TypeError for a bad option, and the system's error when the port is taken (`EADDRINUSE`)
 */
export async function serveDns(
  service: Pick<TestService, 'records'>,
  options: ServeDnsOptions = {}
): Promise<DnsServer> {
  if (typeof service?.records !== 'object' || service.records === null) {
    throw new TypeError(
      `serveDns() got ${describe(service)}: pass the service, serveDns(createTestService())`
    )
  }
  const { port = 0 } = ownOptions('serveDns', options, ['port'])
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new TypeError(
      `port is ${describe(port)}: pass a number from 1 to 65535, or nothing for a free port`
    )
  }
  const { address, close } = await startDnsServer(service.records, { port })
  return { address, close }
}

import { type DnsServer, startDnsServer } from '../../test/support/dns-server.ts'
import { testing } from '../dist.ts'
import { createSample } from '../sample.ts'
import { type Receiver, startReceiver } from './child.ts'
import { type Load, loadAutocannon, type Outcome } from './load.ts'

export const CONNECTIONS = 64
const BODY = Buffer.alloc(1024, '{"event":"opened","id":7}')

/**
 * Like the real DNS port, this one is outside the range that the system gives to clients. While nobody listens on a
 * port of that range, a resolver's own socket gets it now and then and takes its own query for an empty answer.
 */
const DNS_PORT = 20_053

/** Connects two receivers in processes of their own, the DNS server that one of them asks, and the sender. */
export interface Setting {
  floor: Receiver
  ours: Receiver
  /** sixty requests that differ, dated now */
  sign(): ReturnType<ReturnType<typeof testing.createTestService>['sign']>[]
  send(receiver: Receiver, load: Omit<Load, 'connections'>): Promise<Outcome>
  dnsQueries(): number
  stopDns(): Promise<void>
  /** at the same address */
  startDns(): Promise<void>
  close(): Promise<void>
}

export async function createSetting(): Promise<Setting> {
  const send = await loadAutocannon()
  const service = testing.createTestService()
  const { lookupTxt: _, ...options } = service.options
  const startDns = () => startDnsServer(service.records, { port: DNS_PORT })
  let dns: DnsServer | undefined = await startDns()
  const { address } = dns
  const sample = createSample({ bodyBytes: BODY.length })

  const floor = await startReceiver({
    floor: {
      signingString: sample.signingString.toString('latin1'),
      signature: sample.signature.toString('base64'),
      key: sample.key.export({ type: 'spki', format: 'pem' }) as string
    }
  })
  const ours = await startReceiver({ verifier: { ...options, requireHttps: false, dnsServer: address } })

  async function stopDns() {
    await dns?.close()
    dns = undefined
  }
  return {
    floor,
    ours,
    sign: () => Array.from({ length: 60 }, () => service.sign({ body: BODY, target: '/hook?id=7' })),
    send: (receiver, load) => send(receiver.url, { ...load, connections: CONNECTIONS }),
    dnsQueries: () => dns?.queries() ?? 0,
    stopDns,
    async startDns() {
      dns = await startDns()
    },
    async close() {
      for (const receiver of [floor, ours]) receiver.stop()
      await stopDns()
    }
  }
}

/** Counts the answers by status. */
export function createCounter() {
  const counts: Record<string, number> = {}
  return {
    counts,
    add(status: number) {
      counts[status] = (counts[status] ?? 0) + 1
    }
  }
}

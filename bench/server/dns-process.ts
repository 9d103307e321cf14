import { startDnsServer } from '../../test/support/dns-server.ts'

/** Runs a DNS server in a process of its own, so that its work is not counted as the resolver's. */
process.once('message', async (records: Record<string, string[][]>) => {
  const { address } = await startDnsServer(records)
  process.send!(address)
})
process.once('disconnect', () => process.exit())

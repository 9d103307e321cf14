import type { DnsOutcome, TxtRecords } from '../support/dns-answer.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { runThere } from './namespace.ts'
import type { LookupsReport } from './program/lookups.ts'

/**
 * Runs where this DNS server is the system's: on port 53, where /etc/resolv.conf points. Starts the program beside it
 * and prints the results of both.
 */

/** Tells which records to serve and which program to start; plain data. */
export interface Setting {
  command: readonly [string, ...string[]]
  folder: string
  records: Readonly<Record<string, TxtRecords>>
  outcomes: Readonly<Record<string, DnsOutcome>>
  /** once the trigger is asked for, the name has the records */
  change: { trigger: string; name: string; records: TxtRecords }
}

export interface Outcome {
  report: LookupsReport
  /** the names that were asked for */
  names: readonly string[]
  /** the names of which answers came over TCP */
  overTcp: readonly string[]
}

const { command, folder, records, outcomes, change }: Setting = JSON.parse(process.argv[2]!)
const served: Record<string, TxtRecords | undefined> = { ...records }
Object.defineProperty(served, change.trigger, {
  get() {
    served[change.name] = change.records
    return undefined
  }
})
const dns = await startDnsServer(served as Record<string, TxtRecords>, { port: 53 })
for (const [name, outcome] of Object.entries(outcomes)) dns.outcomes.set(name, outcome)

const report = (await runThere(folder, command)) as LookupsReport
const names = dns.names()
const overTcp = names.filter(name => dns.queries(name, 'tcp') > 0)
console.log(JSON.stringify({ report, names, overTcp } satisfies Outcome))
await dns.close()

// Signed requests over real HTTPS, with the keys in a real DNS: `npm run demo`.
import { isDeepStrictEqual } from 'node:util'
import { dnsTxtLookup, explain } from '../../src/index.ts'
import { memoryReplayStore } from '../../src/replay/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import { startDnsServer } from '../../test/support/dns-server.ts'
import { send } from '../../test/support/https.ts'
import { failuresOf } from '../../test/support/verdicts.ts'
import { startReceiver } from './receiver.ts'
import { type Scenario, scenariosOf } from './scenarios.ts'
import { paintFor, type Row, tableOf } from './table.ts'

const HOST = 'receiver.example'

// Both publish their keys in DNS; the receiver trusts the first one's domain.
const service = createTestService({ serviceDomain: 'service.example' })
const stranger = createTestService({ serviceDomain: 'stranger.example' })
const records = { ...service.records, ...stranger.records }
const dns = await startDnsServer(records)

const receiver = await startReceiver(HOST, {
  ...service.options,
  hosts: HOST,
  lookupTxt: dnsTxtLookup({ servers: [dns.address], timeout: 500, tries: 1 }),
  lookupTimeout: 500,
  replayStore: memoryReplayStore()
})

async function play({ name, request, dnsIsDown }: Scenario): Promise<Row> {
  for (const key of Object.keys(records)) {
    if (dnsIsDown) dns.outcomes.set(key, 'silence')
    else dns.outcomes.delete(key)
  }
  const status = await send(request(), receiver)
  return { name, status, verdict: receiver.verdicts.at(-1)! }
}

const scenarios = scenariosOf(service, stranger)
const rows: Row[] = []
for (const scenario of scenarios) rows.push(await play(scenario))
receiver.close()
await dns.close()

const paint = paintFor(process.stdout, process.env)
console.log(`DNS       ${dns.address} over UDP and TCP, with the records of`)
for (const name of Object.keys(records)) console.log(`          ${name}`)
console.log(`Receiver  https://${HOST} on 127.0.0.1:${receiver.port}, for ${service.options.serviceDomain}\n`)
console.log(`${tableOf(rows, paint)}\n`)

const shown = rows.find((_, i) => scenarios[i]!.explained)!
console.log(paint('bold', `Why "${shown.name}" was refused, as explain(verdict) says it:\n`))
console.log(`${explain(shown.verdict)}\n`)

const surprises = rows.flatMap((row, i) => {
  const { expected } = scenarios[i]!
  const actual = { status: row.status, failures: failuresOf(row.verdict) }
  return isDeepStrictEqual(actual, expected)
    ? []
    : [`${row.name}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`]
})
if (surprises.length === 0) {
  console.log(paint('green', `All ${rows.length} verdicts are as expected.`))
} else {
  console.error(paint('red', surprises.join('\n')))
  process.exitCode = 1
}

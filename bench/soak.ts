import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { main } from './dist.ts'
import { printMachine } from './report.ts'
import { ACCOUNT, type Batch, HOST, SERVICE_DOMAIN, START } from './soak/signer.ts'

/**
 * Runs a million verifications, each with its own nonce, Date, body and keyId, and measures the memory that stays in
 * use.
 */
const TOTAL = Number(process.argv[2] ?? 1_000_000)
const WARM = TOTAL / 10
const BATCH = 500
const MOST_GROWTH_MB = 5

printMachine()
let records: Batch['records'] = {}
let now = 0
const verify = main.createVerifier({
  serviceDomain: SERVICE_DOMAIN,
  hosts: HOST,
  accounts: ACCOUNT,
  lookupTxt: async name => records[name] ?? [],
  now: () => now
})

const signers = Array.from({ length: availableParallelism() }, () =>
  fork(new URL('./soak/signer.ts', import.meta.url), {
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced'
  })
)
const start = performance.now()
const batches = signers.map((signer, i) => order(signer, i * BATCH))
const sizes: number[] = []
for (let done = 0, turn = 0; done < TOTAL; done += BATCH, turn++) {
  const at = turn % signers.length
  const batch = await batches[at]!
  batches[at] = order(signers[at]!, done + signers.length * BATCH)
  await verifyAll(batch, done)
  if ((done + BATCH) % WARM === 0) {
    const size = await residentMegabytes()
    sizes.push(size)
    const seconds = (performance.now() - start) / 1000
    console.log(`${done + BATCH} verified   ${size.toFixed(1)} MB resident   after ${seconds.toFixed(0)} s`)
  }
}
for (const signer of signers) signer.disconnect()

const growth = sizes.at(-1)! - sizes[0]!
console.log(`growth from ${WARM} to ${TOTAL}: ${growth.toFixed(1)} MB; less than ${MOST_GROWTH_MB}`)
if (growth >= MOST_GROWTH_MB) {
  console.log('BROKEN: it grows')
  process.exitCode = 1
}

async function order(signer: ChildProcess, from: number): Promise<Batch> {
  signer.send({ from, to: from + BATCH })
  return (await once(signer, 'message'))[0] as Batch
}

async function verifyAll(batch: Batch, from: number): Promise<void> {
  records = batch.records
  for (const [i, request] of batch.requests.entries()) {
    now = (START + from + i) * 1000
    const verdict = await verify({ method: 'POST', https: true, ...request })
    if (verdict.status !== 'verified') throw new Error(`${from + i} is ${JSON.stringify(verdict)}`)
  }
}

/** Measures after garbage collection, once freed memory has gone back to the system. */
async function residentMegabytes(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error('start it with --expose-gc')
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 5; i++) {
    globalThis.gc()
    await sleep(50)
    least = Math.min(least, process.memoryUsage.rss())
  }
  return least / 1e6
}

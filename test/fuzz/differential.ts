/**
 * npx tsx test/fuzz/differential.ts [seconds] [--seed number]
 *
 * Has the same mutated requests judged by Node.js, Bun, Deno and workerd (npm ci --prefix test/runtimes, npm run build)
 * and compares, for a minute unless told otherwise.
 */
import { parseArgs } from 'node:util'
import { startJudges } from '../runtimes/batches.ts'
import { findDifferences } from '../runtimes/differential.ts'
import { createProject } from '../runtimes/project.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: 'string' } } })
const seconds = Number(positionals[0] ?? 60)
const start = Date.now()
let seed = Number(values.seed ?? start % 2 ** 31)
if (!Number.isFinite(seconds) || !Number.isInteger(seed))
  throw new TypeError('usage: differential [seconds] [--seed number]')

const first = seed
console.log(`fuzz:runtimes: seed ${first}`)
const SEEDS = 30
const project = createProject()
const total = { judged: 0, verified: 0, explained: 0 }
const findings: string[] = []
try {
  const judges = await startJudges(project)
  do {
    const seeds = Array.from({ length: SEEDS }, (_, at) => seed + at)
    const { judged, verified, explained, found } = await findDifferences(judges, seeds)
    total.judged += judged
    total.verified += verified
    total.explained += explained
    findings.push(...found)
    seed += SEEDS
  } while (Date.now() - start < seconds * 1000 && findings.length < 10)
} finally {
  project.remove()
}
for (const finding of findings) console.log(`${finding}\n`)
console.log(
  `${total.judged} requests on four runtimes in ${((Date.now() - start) / 1000).toFixed(0)} s from seed ${first}, ` +
    `${total.verified} verified, ${total.explained} differences for the known reason, ${findings.length} others`
)
process.exitCode = findings.length === 0 ? 0 : 1

/**
 * npx tsx test/fuzz/reference.ts [seconds] [--seed number]
 *
 * Compares the library with the reference verifier on mutated requests, for a minute unless told otherwise.
 */
import { parseArgs } from 'node:util'
import { compareWithReference } from './compare-reference.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: 'string' } } })
const seconds = Number(positionals[0] ?? 60)
const start = Date.now()
const first = Number(values.seed ?? start % 2 ** 31)
if (!Number.isFinite(seconds) || !Number.isInteger(first))
  throw new TypeError('usage: reference [seconds] [--seed number]')
console.log(`fuzz:reference: seed ${first}`)

const total = { judged: 0, verified: 0, referenceOnly: 0 }
const findings: string[] = []
for (let seed = first; seed === first || Date.now() - start < seconds * 1000; seed++) {
  const { libraryOnly, ...counts } = await compareWithReference([seed])
  for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += counts[name]
  findings.push(...libraryOnly)
  if (findings.length >= 10) break
}
for (const finding of findings) console.log(`${finding}\n`)
console.log(
  `${total.judged} requests in ${((Date.now() - start) / 1000).toFixed(0)} s from seed ${first}, ${total.verified} verified by the ` +
    `library, ${findings.length} of them not by the reference; ${total.referenceOnly} by the reference alone`
)
process.exitCode = findings.length === 0 ? 0 : 1

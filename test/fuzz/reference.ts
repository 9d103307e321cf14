/**
 * npx tsx test/fuzz/reference.ts [seconds] [--seed number]
 *
 * Compares the library with the reference verifier on mutated requests.
 */
import { compareWithReference } from './compare-reference.ts'
import { runRounds } from './rounds.ts'

const total = { judged: 0, verified: 0, referenceOnly: 0 }
await runRounds(
  'fuzz:reference',
  async seed => {
    const { libraryOnly, ...counts } = await compareWithReference([seed])
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += counts[name]
    return libraryOnly
  },
  () =>
    `${total.judged} requests, ${total.verified} verified by the library, ${total.referenceOnly} by the reference alone`
)

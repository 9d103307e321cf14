/**
 * npm run fuzz:bodies -- [seconds] [--seed number]
 *
 * Looks for the body whose search takes longest when it does not match its digest: changes the most expensive ones that
 * it has found. Prints the worst one, and fails when its search takes longer than a diagnosis may.
 */
import { parseArgs } from 'node:util'
import { MAX_SEARCH_TIME, quickSearchTime, searchTime } from '../support/body-cost.ts'
import { findCostly } from './costly.ts'
import { createRandom } from './random.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: 'string' } } })
const [seconds, start] = [Number(positionals[0] ?? 60), Date.now()]
const seed = Number(values.seed ?? start % 2 ** 31)
if (!Number.isFinite(seconds) || !Number.isInteger(seed))
  throw new TypeError('usage: costly-body [seconds] [--seed number]')
console.log(`costly-body: seed ${seed}`)

let bodies = 0
const costly = findCostly(
  createRandom(seed),
  65_536,
  body => {
    bodies++
    return quickSearchTime(body)
  },
  () => Date.now() - start > seconds * 1000
)
// Other work of the machine adds to a cost: all are measured once more to find the worst.
const [worst] = costly.map(({ body }) => ({ body, time: searchTime(body, 200) })).sort((x, y) => y.time - x.time)
const { body, time } = worst!
console.log(
  `${bodies} bodies; the worst has ${body.length} bytes: ${JSON.stringify(body.toString('latin1', 0, 60))}...`
)
console.log(`its search takes ${time.toFixed(3)} ms, of ${MAX_SEARCH_TIME} ms that a diagnosis may take`)
console.log(body.toString('base64'))
process.exitCode = time < MAX_SEARCH_TIME ? 0 : 1

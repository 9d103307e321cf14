/**
 * npm run fuzz:bodies -- [seconds] [--seed number]
 *
 * Looks for the body that costs most when it does not match its digest: changes the most expensive ones that it has
 * found. Prints the worst one, and fails when it costs more than three times its hash and half a millisecond.
 */
import { parseArgs } from 'node:util'
import { costAboveHash, MAX_OVER, quickCostAboveHash } from '../support/body-cost.ts'
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
    return quickCostAboveHash(body)
  },
  () => Date.now() - start > seconds * 1000
)
// Other work of the machine adds to a cost: all are measured once more to find the worst.
const [worst] = costly.map(({ body }) => ({ body, ...costAboveHash(body, 200) })).sort((x, y) => y.over - x.over)
const { body, over, total, hash } = worst!
const digits = (milliseconds: number) => `${milliseconds.toFixed(3)} ms`
console.log(
  `${bodies} bodies; the worst has ${body.length} bytes: ${JSON.stringify(body.toString('latin1', 0, 60))}...`
)
console.log(`it costs ${digits(total)}, its hash ${digits(hash)}: ${digits(over)} above three times its hash`)
console.log(body.toString('base64'))
process.exitCode = over < MAX_OVER ? 0 : 1

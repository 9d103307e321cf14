// What the memory store takes: `node --expose-gc --import tsx bench/replay-memory.ts`.
import { createHash } from 'node:crypto'
import { memoryReplayStore } from '../src/replay/index.ts'

const MILLION = 1_000_000
const BATCH = 1000
const ROUNDS = 50

const collect = globalThis.gc
if (collect === undefined) throw new Error('run it with node --expose-gc --import tsx bench/replay-memory.ts')

const replayId = (n: number) => createHash('sha256').update(`${n}`).digest('base64')
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`
const ttl = (n: number) => 300 + (n % 300)

async function filled(held: number) {
  const store = memoryReplayStore({ maxEntries: held + BATCH })
  for (let n = 0; n < held; n++) await store.claim(replayId(n), ttl(n))
  return store
}

async function main() {
  await filled(10_000) // what is compiled now does not count as the store's
  collect!()
  const before = process.memoryUsage()
  const million = await filled(MILLION)
  const after = process.memoryUsage()
  collect!()
  const collected = process.memoryUsage()
  console.log(`${MILLION} ids: resident set grew by ${megabytes(after.rss - before.rss)},`)
  console.log(`by ${megabytes(collected.rss - before.rss)} after a garbage collection;`)
  const kept = collected.heapUsed + collected.arrayBuffers - before.heapUsed - before.arrayBuffers
  console.log(`the store itself is ${megabytes(kept)}`)

  // In turns, so that whatever else the machine does meets both alike.
  const thousand = await filled(1000)
  const costs = { new: { thousand: [0], million: [0] }, held: { thousand: [0], million: [0] } }
  for (let round = 0; round < ROUNDS; round++) {
    const batch = Array.from({ length: BATCH }, (_, n) => replayId(MILLION + round * BATCH + n))
    for (const [name, store, held] of [
      ['thousand', thousand, 1000],
      ['million', million, MILLION]
    ] as const) {
      const start = performance.now()
      for (const id of batch) await store.claim(id, 300)
      costs.new[name].push(performance.now() - start)
      for (const id of batch) await store.release(id)

      const known = Array.from({ length: BATCH }, (_, n) => replayId((round * 7919 + n * 10_007) % held))
      const startKnown = performance.now()
      for (const id of known) await store.claim(id, 300)
      costs.held[name].push(performance.now() - startKnown)
    }
  }
  for (const kind of ['new', 'held'] as const) {
    const small = median(costs[kind].thousand)
    const large = median(costs[kind].million)
    const each = (ms: number) => `${((ms / BATCH) * 1e6).toFixed(0)} ns`
    console.log(
      `a claim of a ${kind} id: ${each(small)} with 1,000 held, ${each(large)} with 1,000,000 held, ` +
        `ratio ${(large / small).toFixed(2)}`
    )
  }
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}

main()

// What the memory store takes: `node --expose-gc --import tsx bench/replay-memory.ts`.
import { createHash, randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { memoryReplayStore } from '../src/replay/index.ts'

const BATCH = 100 // claims between two turns of the event loop

const collect = globalThis.gc
if (collect === undefined) throw new Error('run it with node --expose-gc --import tsx bench/replay-memory.ts')

/** As the verifier's are. */
const newToken = () => randomBytes(12).toString('base64url')
const replayId = (n: number) => createHash('sha256').update(`${n}`).digest('base64')

/** Fills a store, then claims as many again while the first expire, and then claims what is held. */
async function measure(count: number) {
  collect!()
  const before = process.memoryUsage().heapUsed
  const store = memoryReplayStore({ maxEntries: count })
  let longestPause = 0
  const claims = async (expected: boolean, ids: (n: number) => string) => {
    let spent = 0
    for (let n = 0; n < count; n += BATCH) {
      const batch = Array.from({ length: BATCH }, (_, at) => ids(n + at))
      const start = performance.now()
      const claimed = await Promise.all(batch.map(id => store.claim(id, newToken(), 300 + (n % 300))))
      const pause = performance.now() - start
      if (!claimed.every(won => won === expected)) throw new Error('a claim was wrong')
      spent += pause
      longestPause = Math.max(longestPause, pause)
      await setImmediate()
    }
    return `${((spent / count) * 1000).toFixed(2)} us`
  }
  const fresh = await claims(true, replayId)
  const held = await claims(false, n => replayId((n * 7919) % count))
  collect!()
  const bytes = (process.memoryUsage().heapUsed - before) / count
  console.log(
    `${count} ids: a claim of a new id ${fresh}, of a held one ${held}, ` +
      `longest pause ${longestPause.toFixed(0)} ms, ${bytes.toFixed(0)} bytes an id`
  )
  await store.claim('last', 'token', 1).catch(() => {}) // the store lives until here
}

await measure(10_000)
await measure(100_000)
await measure(1_000_000)

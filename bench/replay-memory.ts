// Measures the memory store: `node --expose-gc --import tsx bench/replay-memory.ts`.
import { setImmediate } from 'node:timers/promises'
import { base64Digest } from '../src/core/http/digest.ts'
import { createClaims } from '../src/core/replay/claim.ts'
import { memoryReplayStore } from '../src/replay/index.ts'

const BATCH = 100 // claims between two turns of the event loop

const collect = globalThis.gc
if (collect === undefined) throw new Error('run it with node --expose-gc --import tsx bench/replay-memory.ts')

/** Makes ids as the verifier does, from text as random as a signature. */
const replayId = (n: number) => base64Digest('sha256', Buffer.from(`${n}`))

/** Fills a store through the verifier's own claims, claims ids that are held, and then one id above the limit. */
async function measure(count: number) {
  collect!()
  const before = process.memoryUsage().heapUsed
  const { claim } = createClaims(memoryReplayStore({ maxEntries: count }), 1000)
  let longestPause = 0
  const claims = async (expected: string, ids: (n: number) => string) => {
    let spent = 0
    for (let n = 0; n < count; n += BATCH) {
      const batch = Array.from({ length: BATCH }, (_, at) => ids(n + at))
      const start = performance.now()
      const results = await Promise.all(batch.map(id => claim(id, 300 + (n % 300))))
      const pause = performance.now() - start
      if (!results.every(result => (result.ok ? 'granted' : result.code) === expected))
        throw new Error('a claim was wrong')
      spent += pause
      longestPause = Math.max(longestPause, pause)
      await setImmediate()
    }
    return `${((spent / count) * 1000).toFixed(2)} us`
  }
  const fresh = await claims('granted', replayId)
  const held = await claims('replayed', n => replayId((n * 7919) % count))
  collect!()
  const bytes = (process.memoryUsage().heapUsed - before) / count
  console.log(
    `${count} ids: a claim of a new id ${fresh}, of a held one ${held}, ` +
      `longest pause ${longestPause.toFixed(0)} ms, ${bytes.toFixed(0)} bytes an id, ` +
      `the process ${process.memoryUsage().rss >> 20} MB`
  )
  const refused = await claim('one more', 60)
  if (refused.ok || refused.code !== 'replay-store-failed') throw new Error('one id more was not refused')
}

await measure(10_000)
await measure(100_000)
await measure(1_000_000)

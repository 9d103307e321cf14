import { floor, floorOnThreadPool } from './floor.ts'
import { ours, oursInFlight, oursInTurn, oursOtherwise } from './ours.ts'
import { readyPeers } from './peers/index.ts'
import { printTimings } from './report.ts'
import { alternate, type Contender, type Effort, type Timing } from './rounds.ts'
import { createSample } from './sample.ts'

const EFFORT: Effort = { rounds: 100, warmUp: 15, milliseconds: 10 }

/**
 * What a request costs that is accepted, beside the two operations that no receiver can leave out. Resolves to the
 * figures of the last part, where the other libraries are installed.
 */
export async function printAccepting(): Promise<Timing[]> {
  const sample = createSample({ bodyBytes: 1024, others: 64 })
  await print('1 KB body, 2048-bit key', [floor(sample), ours(sample), oursInTurn(sample)])
  await print('many at once', [floor(sample), oursInTurn(sample), oursInFlight(sample), floorOnThreadPool(sample, 64)])
  for (const [title, options] of LARGER) {
    const larger = createSample(options)
    await print(title, [floor(larger), ours(larger)])
  }
  await print('headers given otherwise', [floor(sample), ...oursOtherwise(sample)])

  // Last, because libraries that share a process share what it has compiled.
  const { ready, skipped } = await readyPeers(sample)
  for (const reason of skipped) console.log(`skipped: ${reason}`)
  if (ready.length === 0) return []
  return print('beside other libraries', [floor(sample), ours(sample), ...ready])
}

const LARGER = [
  ['64 KB body', { bodyBytes: 64 * 1024 }],
  ['1 MB body', { bodyBytes: 1024 * 1024 }],
  ['4096-bit key', { bodyBytes: 1024, rsaBits: 4096 }]
] as const

async function print(title: string, contenders: readonly Contender[]): Promise<Timing[]> {
  const timings = await alternate(contenders, EFFORT)
  printTimings(`Accepting: ${title}`, timings)
  return timings
}

import { floor, floorOnThreadPool } from './floor.ts'
import { ours, oursInFlight, oursInTurn, oursOtherwise } from './ours.ts'
import { readyPeers } from './peers/index.ts'
import { printTimings } from './report.ts'
import { alternate, type Contender, type Effort, type Timing } from './rounds.ts'
import { createSample } from './sample.ts'

const EFFORT: Effort = { rounds: 100, warmUp: 15, milliseconds: 10 }

/** Hash and RSA alone, and the verdict on the same request. */
export type Pair = readonly [floor: Timing, ours: Timing]

export interface Accepting {
  inFlight: Pair
  body64KB: Pair
  body1MB: Pair
  key4096: Pair
  /** the floor, ours, and the other libraries that are installed: 1 KB, 2048 bits */
  beside: Timing[]
}

/** Prints and returns what a request costs that is accepted, beside the two operations that no receiver can leave out. */
export async function printAccepting(): Promise<Accepting> {
  const sample = createSample({ bodyBytes: 1024, others: 64 })
  await print('1 KB body, 2048-bit key', [floor(sample), ours(sample), oursInTurn(sample)])
  const many = [floor(sample), oursInTurn(sample), oursInFlight(sample), floorOnThreadPool(sample, 64)]
  const [alone, , inFlight] = await print('many at once', many)
  const pairOf = async (title: string, options: Parameters<typeof createSample>[0]): Promise<Pair> => {
    const larger = createSample(options)
    const [first, second] = await print(title, [floor(larger), ours(larger)])
    return [first!, second!]
  }
  const body64KB = await pairOf('64 KB body', { bodyBytes: 64 * 1024 })
  const body1MB = await pairOf('1 MB body', { bodyBytes: 1024 * 1024 })
  const key4096 = await pairOf('4096-bit key', { bodyBytes: 1024, rsaBits: 4096 })
  await print('headers given otherwise', [floor(sample), ...oursOtherwise(sample)])

  // Last, because libraries that share a process share what it has compiled.
  const { ready, skipped } = await readyPeers(sample)
  for (const reason of skipped) console.log(`skipped: ${reason}`)
  const beside = await print('beside other libraries', [floor(sample), ours(sample), ...ready])
  return { inFlight: [alone!, inFlight!], body64KB, body1MB, key4096, beside }
}

async function print(title: string, contenders: readonly Contender[]): Promise<Timing[]> {
  const timings = await alternate(contenders, EFFORT)
  printTimings(`Accepting: ${title}`, timings)
  return timings
}

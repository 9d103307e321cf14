import { floor, floorOnThreadPool } from './floor.ts'
import { ours, oursInFlight, oursOtherwise, oursStreamed } from './ours.ts'
import { readyPeers } from './peers/index.ts'
import { printTimings } from './report.ts'
import { alternate, type Contender, type Effort, type Timing } from './rounds.ts'
import { createSample, type SampleOptions } from './sample.ts'

/** This many requests are verified in turn. */
const IN_TURN = 64

const EFFORT: Effort = { rounds: 100, warmUp: 15, milliseconds: 10 }

/** Compares hash and RSA alone with the verdict on the same request. */
export type Pair = readonly [floor: Timing, ours: Timing]

export interface Accepting {
  inFlight: Pair
  body64KB: Pair
  body1MB: Pair
  key4096: Pair
  streamed200KB: Pair
  streamed1MB: Pair
  streamed10MB: Pair
  /** the floor, ours, and the other libraries that are installed: 1 KB, 2048 bits */
  beside: Timing[]
}

/**
 * Prints and returns the cost of an accepted request, beside the two operations that no receiver can leave out. The
 * build of `--beside` is only printed.
 */
export async function printAccepting(): Promise<Accepting> {
  const sample = createSample({ bodyBytes: 1024, inTurn: IN_TURN })
  await print('1 KB body, 2048-bit key', [floor(sample), ...ours(sample)])
  const many = [floor(sample), oursInFlight(sample), floorOnThreadPool(sample, IN_TURN)]
  const [alone, inFlight] = await print('many at once', many)
  const pairOf = async (title: string, options: SampleOptions, make = ours): Promise<Pair> => {
    const larger = createSample({ inTurn: IN_TURN, ...options })
    const [first, second] = await print(title, [floor(larger), ...make(larger)])
    return [first!, second!]
  }
  const body64KB = await pairOf('64 KB body', { bodyBytes: 64 * 1024 })
  const body1MB = await pairOf('1 MB body', { bodyBytes: 1024 * 1024 })
  const key4096 = await pairOf('4096-bit key', { bodyBytes: 1024, rsaBits: 4096 })
  const streamed200KB = await pairOf('200 KB body, streamed', { bodyBytes: 200_000 }, oursStreamed)
  const streamed1MB = await pairOf('1 MB body, streamed', { bodyBytes: 1_000_000 }, oursStreamed)
  const streamed10MB = await pairOf('10 MB body, streamed', { bodyBytes: 10_000_000, inTurn: 4 }, oursStreamed)
  await print('headers given otherwise', [floor(sample), ...oursOtherwise(sample)])

  // The peers come last: libraries that share a process share what it has compiled.
  const { ready, skipped } = await readyPeers(sample)
  for (const reason of skipped) console.log(`skipped: ${reason}`)
  const beside = await print('beside other libraries', [floor(sample), ours(sample)[0]!, ...ready])
  const streamed = { streamed200KB, streamed1MB, streamed10MB }
  return { inFlight: [alone!, inFlight!], body64KB, body1MB, key4096, ...streamed, beside }
}

async function print(title: string, contenders: readonly Contender[]): Promise<Timing[]> {
  const timings = await alternate(contenders, EFFORT)
  printTimings(`Accepting: ${title}`, timings)
  return timings
}

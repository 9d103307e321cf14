import { builds } from '../dist.ts'
import { printTimings } from '../report.ts'
import { alternate, type Effort, type Timing } from '../rounds.ts'
import { createSample } from '../sample.ts'
import { type Receiver, startBare, startHandler } from './over-http.ts'

const EFFORT: Effort = { rounds: 60, warmUp: 10, milliseconds: 30 }
const IN_TURN = 64

/** The bare server, then `nodeHandler` of this build. */
export type BesideBare = readonly [bare: Timing, ours: Timing]

/**
 * Prints and returns what a verified request costs a server with `nodeHandler`, beside one that does the floor alone.
 */
export async function printBesideBare(): Promise<BesideBare> {
  const sample = createSample({ bodyBytes: 1024, inTurn: IN_TURN })
  const requests = sample.inTurn.map(({ request }) => request)
  const receivers: Receiver[] = [await startBare(sample)]
  for (const build of builds) receivers.push(await startHandler(build, 'nothing', sample))
  const names = ['bare: hash the body, verify the signature', ...builds.map(({ name }) => `${name}: nodeHandler`)]
  try {
    const timings = await alternate(
      receivers.map((receiver, i) => receiver.contender({ name: names[i]!, requests, status: 200 })),
      EFFORT
    )
    printTimings('A server with nodeHandler beside a bare one, 1 KB body, 2048-bit key', timings)
    return [timings[0]!, timings[1]!]
  } finally {
    for (const receiver of receivers) await receiver.stop()
  }
}

/**
 * Something to be timed. `run` does it the given number of times, one after the other unless the name says otherwise.
 */
export interface Contender {
  name: string
  /** the steps that it leaves out, for the report */
  note?: string
  run(times: number): void | Promise<void>
  /** returns the microseconds of CPU so far, where another process does the work */
  cpu?(): Promise<number>
}

export interface Timing {
  name: string
  note: string
  /** microseconds of CPU each, the median of all rounds */
  median: number
  /** microseconds of CPU each, in the least disturbed tenth of the rounds */
  low: number
  /** the median of its ratios to the first contender, each within one round */
  ratio: number
  /** its low over the first contender's low */
  lowRatio: number
}

export interface Effort {
  rounds: number
  /** rounds before those that count */
  warmUp: number
  /** of one contender in one round: long enough for its share of garbage collection */
  milliseconds: number
}

/**
 * Times contenders in alternating short rounds, so that other work of the machine affects all of them. The others are
 * compared with the first; each round starts with a different contender.
 */
export async function alternate(
  contenders: readonly Contender[],
  { rounds, warmUp, milliseconds }: Effort
): Promise<Timing[]> {
  const times: number[] = []
  for (const contender of contenders) times.push(await timesPerRound(contender, milliseconds))

  const seen = contenders.map((): number[] => [])
  for (let round = 0; round < warmUp + rounds; round++) {
    for (let i = 0; i < contenders.length; i++) {
      const at = (i + round) % contenders.length
      const each = await timeEach(contenders[at]!, times[at]!)
      if (round >= warmUp) seen[at]!.push(each)
    }
  }

  const first = seen[0]!
  return contenders.map(({ name, note = '' }, i) => {
    const own = seen[i]!
    return {
      name,
      note,
      median: quantile(own, 0.5),
      low: quantile(own, 0.1),
      ratio: quantile(
        own.map((time, round) => time / first[round]!),
        0.5
      ),
      lowRatio: quantile(own, 0.1) / quantile(first, 0.1)
    }
  })
}

/** Returns the CPU microseconds of its process for one run, on whichever thread: other processes do not count. */
async function timeEach({ run, cpu = ownCpu }: Contender, times: number): Promise<number> {
  const start = await cpu()
  await run(times)
  return ((await cpu()) - start) / times
}

async function ownCpu(): Promise<number> {
  const { user, system } = process.cpuUsage()
  return user + system
}

async function timesPerRound(contender: Contender, milliseconds: number): Promise<number> {
  await contender.run(50)
  const each = Math.min(await timeEach(contender, 20), await timeEach(contender, 20))
  return Math.max(1, Math.round((milliseconds * 1000) / each))
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) * q)]!
}

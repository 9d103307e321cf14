/** Milliseconds of processor time that it took: unlike a clock, the same on a machine that has other things to do. */
export async function cpuTime(run: () => unknown): Promise<number> {
  const start = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

/** Milliseconds that it took, the least of several runs, since whatever else the machine does only adds to it. */
export async function leastTime(run: () => unknown, runs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < runs; i++) {
    const start = performance.now()
    // The clock or the time of the processor, whichever is less: others can only add, and not to both at once.
    const used = await cpuTime(run)
    least = Math.min(least, used, performance.now() - start)
  }
  return least
}

/** The same for what does not wait. */
export function leastSyncTime(run: () => unknown, runs: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < runs; i++) {
    const start = performance.now()
    const before = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000, performance.now() - start)
  }
  return least
}

/** Measures again until it is below this, at most so many times: a busy machine can spoil some, but not all. */
export async function leastOf(measure: (attempt: number) => Promise<number>, below: number, attempts = 6) {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < attempts && least >= below; attempt++) least = Math.min(least, await measure(attempt))
  return least
}

/** Returns milliseconds of processor time: unlike a clock, it does not count other work of the machine. */
export async function cpuTime(run: () => unknown): Promise<number> {
  const start = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

/** Returns the least milliseconds of several runs, since other work of the machine only adds to them. */
export async function leastTime(run: () => unknown, runs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < runs; i++) {
    const start = performance.now()
    // Other work can only add to the clock or to the processor time, and not to both at once: the lower one counts.
    const used = await cpuTime(run)
    least = Math.min(least, used, performance.now() - start)
  }
  return least
}

/** Does the same for a synchronous function. */
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

/**
 * Measures again until the result is below this, at most this many times: a busy machine can spoil some, but not all.
 */
export async function leastOf(measure: (attempt: number) => Promise<number>, below: number, attempts = 6) {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < attempts && least >= below; attempt++) least = Math.min(least, await measure(attempt))
  return least
}

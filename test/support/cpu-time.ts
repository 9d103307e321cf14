/** Milliseconds of processor time that it took: unlike a clock, the same on a machine that has other things to do. */
export async function cpuTime(run: () => unknown): Promise<number> {
  const start = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

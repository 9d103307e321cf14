import { parseArgs } from 'node:util'

/**
 * `COMMAND [seconds] [--seed number]`: gives seed after seed to `run`, which returns its findings, for a minute unless
 * told otherwise, or until there are ten findings. `COMMAND 0 --seed 1234` runs that one seed.
 *
 * @param width how many seeds one run has
 */
export async function runRounds(
  name: string,
  run: (seed: number) => Promise<readonly string[]>,
  summary: () => string,
  width = 1
): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: 'string' } } })
  const [seconds, start] = [Number(positionals[0] ?? 60), Date.now()]
  const first = Number(values.seed ?? start % 2 ** 31)
  if (!Number.isFinite(seconds) || !Number.isInteger(first))
    throw new TypeError(`usage: ${name} [seconds] [--seed number]`)
  console.log(`${name}: seed ${first}`)

  const findings: string[] = []
  let seed = first
  do {
    findings.push(...(await run(seed)))
    seed += width
  } while (Date.now() - start < seconds * 1000 && findings.length < 10)

  for (const finding of findings) console.log(`${finding}\n`)
  const took = ((Date.now() - start) / 1000).toFixed(0)
  console.log(`${summary()}, ${findings.length} findings, in ${took} s from seed ${first}`)
  process.exitCode = findings.length === 0 ? 0 : 1
}

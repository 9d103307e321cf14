import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { builds } from './dist.ts'
import { quantile } from './rounds.ts'

const RUNS = 20

/** Milliseconds, medians, in a process that has done nothing else. */
export interface Start {
  import: number
  require: number
}

const WAYS = {
  import: (folder: string) => [
    '--input-type=module',
    '-e',
    timed(`await import(${JSON.stringify(`${folder}/index.js`)})`)
  ],
  require: (folder: string) => [
    '--input-type=commonjs',
    '-e',
    timed(`require(${JSON.stringify(`${folder}/index.cjs`)})`)
  ]
}

const timed = (load: string): string =>
  `const start = performance.now(); ${load}; console.log(performance.now() - start)`

/** Prints the load time of each build, measured alternately, and returns that of this one. */
export async function printStart(): Promise<Start> {
  console.log(`\nStart: medians of ${RUNS} processes`)
  return { import: await printWay('import'), require: await printWay('require') }
}

async function printWay(way: keyof Start): Promise<number> {
  const run = promisify(execFile)
  const seen = builds.map((): number[] => [])
  for (let round = 0; round < RUNS; round++) {
    for (const [i, { folder }] of builds.entries()) {
      const { stdout } = await run(process.execPath, WAYS[way](folder))
      seen[i]!.push(Number(stdout))
    }
  }
  for (const [i, { name }] of builds.entries()) console.log(`${name}: ${way} ${quantile(seen[i]!, 0.5).toFixed(1)} ms`)
  return quantile(seen[0]!, 0.5)
}

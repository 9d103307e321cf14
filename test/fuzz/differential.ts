/**
 * npx tsx test/fuzz/differential.ts [seconds] [--seed number]
 *
 * Has the same mutated requests judged by Node.js, Bun, Deno and workerd (npm ci --prefix test/runtimes, npm run build)
 * and compares.
 */
import { findDifferences, startJudges } from '../runtimes/differential.ts'
import { createProject } from '../runtimes/project.ts'
import { runRounds } from './rounds.ts'

const SEEDS = 30
const project = createProject()
const total = { judged: 0, verified: 0, explained: 0 }
try {
  const judges = await startJudges(project)
  await runRounds(
    'fuzz:runtimes',
    async first => {
      const seeds = Array.from({ length: SEEDS }, (_, at) => first + at)
      const { found, ...counts } = await findDifferences(judges, seeds)
      for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += counts[name]
      return found
    },
    () =>
      `${total.judged} requests on four runtimes, ${total.verified} verified, ${total.explained} differences for the known reason`,
    SEEDS
  )
} finally {
  project.remove()
}

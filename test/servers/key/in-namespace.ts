import { runInside } from '../../support/run-cli.ts'
import { RESOLVER, startDnsWorld } from './dns-world.ts'
import { NAME, SITUATIONS, ZONES } from './situations.ts'

/**
 * Runs in a network namespace of its own: starts the servers, then prints the command's output in each situation, as
 * JSON by name.
 */
const world = await startDnsWorld(ZONES)
const ask = (...args: string[]) => runInside(['key', '--dns-server', RESOLVER, ...args])
const results: Record<string, unknown> = {}
try {
  for (const [situation, { args, after, isPaused }] of Object.entries(SITUATIONS)) {
    const zone = `${situation.split(',')[0]}.example`
    const name = `${NAME}.${zone}`
    if (after !== undefined || isPaused) await ask(name, '--no-trace')
    if (after !== undefined) await world.publish(zone, after)
    const run = () => ask(name, ...args)
    results[situation] = await (isPaused ? world.whilePaused(run) : run())
  }
} finally {
  await world.close()
}
console.log(JSON.stringify(results))

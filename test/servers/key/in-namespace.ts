import { runInside } from '../../support/run-cli.ts'
import { RESOLVER, startDnsWorld } from './dns-world.ts'
import { SITUATIONS, ZONES } from './situations.ts'

/**
 * Runs in a network namespace of its own: starts the servers, then tells what the command says in each situation, as
 * JSON by name.
 */
const world = await startDnsWorld(ZONES)
const ask = (...args: string[]) => runInside(['key', '--dns-server', RESOLVER, ...args])
const results: Record<string, unknown> = {}
try {
  const only = process.argv.slice(2)
  for (const [name, { args, before }] of Object.entries(SITUATIONS)) {
    if (only.length > 0 && !only.includes(name)) continue
    if (before !== undefined) {
      await ask(args[0]!, '--no-trace')
      for (const [zone, spec] of Object.entries(before)) await world.publish(zone, spec)
    }
    results[name] = await ask(...args)
  }
} finally {
  await world.close()
}
console.log(JSON.stringify(results))

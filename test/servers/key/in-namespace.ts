import { runInside } from '../../support/run-cli.ts'
import { RESOLVER, startDnsWorld } from './dns-world.ts'
import { NAME, SITUATIONS, ZONES } from './situations.ts'

/**
 * Runs in a network namespace of its own: starts the servers, then tells what the command says in each situation, as
 * JSON by name.
 */
const world = await startDnsWorld(ZONES)
const ask = (...args: string[]) => runInside(['key', '--dns-server', RESOLVER, ...args])
const results: Record<string, unknown> = {}
try {
  for (const [situation, { args, after }] of Object.entries(SITUATIONS)) {
    const zone = `${situation.split(',')[0]}.example`
    if (after !== undefined) {
      await ask(`${NAME}.${zone}`, '--no-trace')
      await world.publish(zone, after)
    }
    results[situation] = await ask(`${NAME}.${zone}`, ...args)
  }
} finally {
  await world.close()
}
console.log(JSON.stringify(results))

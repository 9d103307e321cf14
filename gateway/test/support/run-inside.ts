import type { Finished } from '../../../test/support/run-process.ts'
import { run } from '../../src/command.ts'

/** Runs the gateway's command line without a process of its own, and ends at once whatever it starts. */
export async function runGatewayInside(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {}
): Promise<Finished> {
  const output = { stdout: '', stderr: '' }
  const code = await run(args, {
    print: line => {
      output.stdout += `${line}\n`
    },
    note: line => {
      output.stderr += `${line}\n`
    },
    env,
    stopped: async () => undefined
  })
  return { code, ...output }
}

import type { Finished } from '../../../test/support/run-process.ts'
import { run } from '../../src/command.ts'

/** The command line of the gateway without a process around it; what it starts is told to end at once. */
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
    stopped: async () => {}
  })
  return { code, ...output }
}

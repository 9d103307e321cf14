import { Readable } from 'node:stream'
import { run } from '../../cli/run-command.ts'
import type { Finished } from './run-process.ts'

/** Runs the command line without a process of its own. */
export async function runInside(
  args: readonly string[],
  input: string | Uint8Array = '',
  color = false,
  env: Readonly<Record<string, string>> = {}
): Promise<Finished> {
  const output = { stdout: '', stderr: '' }
  const code = await run(args, {
    stdin: Readable.from([Buffer.from(input as string)]),
    print: text => {
      output.stdout += `${text}\n`
    },
    note: text => {
      output.stderr += `${text}\n`
    },
    color,
    env
  })
  return { code, ...output }
}

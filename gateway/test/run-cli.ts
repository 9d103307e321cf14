import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const CLI = fileURLToPath(new URL('../src/cli.ts', import.meta.url))

/** Runs the command to its end, in a process of its own. */
export async function runCli(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--import', 'tsx', CLI, ...args], {
    env: { PATH: process.env['PATH'], ...env }
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', text => {
      output[name] += text
    })
  }
  const [code] = await once(child, 'close')
  return { code: code as number | null, ...output }
}

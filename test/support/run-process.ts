import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs a file of Node.js to its end; `input` goes to standard input. */
export async function runProcess(
  file: string,
  args: readonly string[],
  input: string | Uint8Array = '',
  env: Readonly<Record<string, string>> = {}
): Promise<Finished> {
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    timeout: 60_000
  })
  child.stdin.on('error', () => {}).end(input)
  const closed = once(child, 'close') as Promise<[number | null]>
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { code, stdout, stderr }
}

const VECTORS_CLI = fileURLToPath(new URL('../../fixtures/cli.js', import.meta.url))

/** Runs the runner of the vectors, as a user starts it. */
export const runVectors = (args: readonly string[]): Promise<Finished> => runProcess(VECTORS_CLI, args)

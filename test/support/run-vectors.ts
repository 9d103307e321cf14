import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Finished } from './cli.ts'

const CLI = fileURLToPath(new URL('../../fixtures/cli.js', import.meta.url))

/** The runner of the vectors, as a user starts it. */
export async function runVectors(args: readonly string[]): Promise<Finished> {
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = new Promise<number | null>(resolve => child.on('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { code, stdout, stderr }
}

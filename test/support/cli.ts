import { spawn } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'tsup'
import { commandLine } from '../../tsup.config.ts'

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

export interface CommandLine {
  /** a folder for the test's own files */
  readonly folder: string
  /** runs the built bin; `input` goes to standard input */
  run(args: readonly string[], input?: string | Uint8Array): Promise<Finished>
  close(): Promise<void>
}

/** The bin as it is shipped, built into a folder of its own. */
export async function buildCommandLine(): Promise<CommandLine> {
  const folder = await mkdtemp(join(tmpdir(), 'signed-requests-'))
  await build({ ...commandLine, config: false, outDir: folder, silent: true })
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  // The package's own dependency lies beside it when it is installed.
  await symlink(resolve('node_modules'), join(folder, 'node_modules'))
  const bin = join(folder, 'cli.js')
  return {
    folder,
    run: (args, input = '') =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [bin, ...args], {
          env: { PATH: process.env['PATH'] },
          timeout: 15_000
        })
        const output = { stdout: '', stderr: '' }
        child.stdout.setEncoding('utf8').on('data', text => {
          output.stdout += text
        })
        child.stderr.setEncoding('utf8').on('data', text => {
          output.stderr += text
        })
        child.on('error', reject)
        child.on('close', code => resolve({ code, ...output }))
        child.stdin.on('error', () => {})
        child.stdin.end(input)
      }),
    close: () => rm(folder, { recursive: true })
  }
}

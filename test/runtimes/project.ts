import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BIN = fileURLToPath(new URL('node_modules/.bin', import.meta.url))

/** A user's project in a folder of its own: the built package under its name, and one example. */
export interface Project {
  write(name: string, content: string): void
  /** runs a tool to its end */
  run(tool: string, ...args: string[]): void
  /** starts a server; resolves to its port, once it has said it */
  serve(env: Record<string, string>, tool: string, ...args: string[]): Promise<number>
  /** ends the server and removes the folder */
  remove(): void
}

export function createProject(...files: string[]): Project {
  const folder = mkdtempSync(join(tmpdir(), 'project-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(ROOT, join(folder, 'node_modules', 'signed-requests'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const file of files) cpSync(join(ROOT, file), join(folder, file.split('/').at(-1)!))
  let child: ChildProcess | undefined

  return {
    write: (name, content) => writeFileSync(join(folder, name), content),
    run: (tool, ...args) => execFileSync(join(BIN, tool), args, { cwd: folder, stdio: 'pipe' }),
    async serve(env, tool, ...args) {
      // The fourth descriptor is where workerd says its port; the others say it in their output.
      child = spawn(join(BIN, tool), args, {
        cwd: folder,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe', 'pipe']
      })
      return new Promise((resolve, reject) => {
        let output = ''
        for (const stream of child!.stdio.slice(1) as Readable[]) {
          createInterface(stream).on('line', line => {
            output += `${line}\n`
            const port = /(?:https?:\/\/[^/]*:|"port":)(\d+)/.exec(line)?.[1]
            if (port !== undefined) resolve(Number(port))
          })
        }
        child!.on('error', reject)
        child!.on('exit', () => reject(new Error(`${tool} ended: ${output}`)))
      })
    },
    remove() {
      child?.kill()
      rmSync(folder, { recursive: true })
    }
  }
}

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BIN = fileURLToPath(new URL('node_modules/.bin', import.meta.url))
const execute = promisify(execFile)

/** Where a tool of `test/runtimes` is. */
export const toolPath = (tool: string): string => join(BIN, tool)

/** A user's project in a folder of its own: the built package under its name. */
export interface Project {
  readonly folder: string
  write(name: string, content: string): void
  /** runs a tool to its end; resolves to its output */
  run(tool: string, ...args: string[]): Promise<string>
  /** starts a server; resolves to its port, once it has said it */
  serve(env: Record<string, string>, tool: string, ...args: string[]): Promise<number>
  /** ends the server and removes the folder */
  remove(): void
}

/** A project with the package as it stands here, and some of its files; `link` puts a package of ours into it. */
export function createProject(...files: string[]): Project & { link(name: string): void } {
  const project = projectIn(makeFolder())
  const modules = join(project.folder, 'node_modules')
  mkdirSync(modules)
  symlinkSync(ROOT, join(modules, 'signed-requests'))
  for (const file of files) cpSync(join(ROOT, file), join(project.folder, file.split('/').at(-1)!))
  return { ...project, link: name => symlinkSync(join(BIN, '..', name), join(modules, name)) }
}

/** A project into which the package's own tarball was installed. */
export async function installProject(): Promise<Project> {
  const folder = makeFolder()
  await execute('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT })
  const tarball = readdirSync(folder).find(file => file.endsWith('.tgz'))
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline']
  await execute('npm', ['install', ...quiet, `./${tarball}`], { cwd: folder })
  return projectIn(folder)
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'project-'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  return folder
}

function projectIn(folder: string): Project {
  let child: ChildProcess | undefined
  return {
    folder,
    write(name, content) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), content)
    },
    run: async (tool, ...args) => (await execute(toolPath(tool), args, { cwd: folder })).stdout,
    async serve(env, tool, ...args) {
      // The fourth descriptor is where workerd says its port; the others say it in their output.
      child = spawn(toolPath(tool), args, {
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

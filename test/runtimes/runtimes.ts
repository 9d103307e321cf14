import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Tasks } from './program/tasks.ts'
import { type Project, toolPath } from './project.ts'

/** A runtime of the matrix. */
export interface Runtime {
  name: string
  /** the package that it comes in, here under `node_modules` */
  package: string
  version: string | undefined
  /** the tool and its arguments that run a file; undefined for a runtime without a command line */
  command: readonly [tool: string, ...args: string[]] | undefined
  /** vectors that it cannot judge as asked, with the reason */
  limits: Readonly<Record<string, string>>
}

/** The packages of Node.js are for this platform only; those of the other runtimes have more. */
export const isLinux = process.platform === 'linux' && process.arch === 'x64'

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

function runtime(name: string, limits = {}, command?: Runtime['command']): Runtime {
  const manifest = path(`node_modules/${name}/package.json`)
  const version = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : undefined
  // Some packages of Node.js prefix the version with a v.
  return { name: name.replace(/^node-.*/, 'node'), package: name, version: version?.replace(/^v/, ''), command, limits }
}
const node = (name: string) => runtime(name, {}, [toolPath(`../${name}/bin/node`)])
const DENO_LIMITS = {
  'key-ed25519-not-on-the-curve': 'Deno refuses such a key when it reads it (key-unreadable)',
  'key-8192-bits': 'Deno reads no RSA key above 4096 bits'
}

export const RUNTIMES: readonly Runtime[] = [
  node('node-20-floor'), // the oldest that package.json promises
  node('node-20'),
  node('node-22'),
  node('node-24'),
  node('node-26'),
  runtime('bun', {}, [toolPath('bun')]),
  runtime('deno', DENO_LIMITS, [toolPath('deno'), 'run', '--allow-all']),
  runtime('workerd')
].filter(({ package: name, version }) => {
  const isHere = version !== undefined || isLinux
  if (!isHere) console.warn(`${name} is left out: it has no package for this platform.`)
  return isHere
})

/** Bundles as wrangler does: dns-packet is CommonJS and requires `buffer`, and an ES module has no `require`. */
const REQUIRE_BUFFER = '--banner:js=import * as nodeBuffer from "node:buffer"; const require = () => nodeBuffer'

/** Runs the program of a project on every runtime. */
export interface Program {
  run<Task extends keyof Tasks>(
    runtime: Runtime,
    task: Task,
    input: Parameters<Tasks[Task]>[0]
  ): Promise<Awaited<ReturnType<Tasks[Task]>>>
}

/**
 * Compiles the program in TypeScript to one file each for a command line and for workerd.
 *
 * @param outbound the port of the server from which a Worker fetches
 */
export async function compileProgram(project: Project, outbound?: number): Promise<Program> {
  // The bundle ignores our tsconfig.json, in which the package's name means its source.
  const alone = ['--packages=external', '--tsconfig-raw={}']
  for (const entry of ['main', 'worker']) await project.bundle(path(`program/${entry}.ts`), `${entry}.mjs`, ...alone)
  // A Worker is one file that includes the installed package. It has a name instead of an address.
  await project.bundle('worker.mjs', 'bundle.js', '--define:import.meta.url="file:///worker"', REQUIRE_BUFFER)

  let runs = 0
  let port: Promise<number> | undefined
  return {
    async run({ command }, task, input) {
      const body = JSON.stringify({ task, input })
      if (command === undefined) {
        port ??= project.serveWorker('bundle.js', outbound === undefined ? {} : { outbound })
        return (await fetch(`http://127.0.0.1:${await port}/`, { method: 'POST', body })).json() as never
      }
      // Two runs at once must not write the same file.
      const file = `input-${runs++}.json`
      project.write(file, body)
      return JSON.parse(await project.run(...command, 'main.mjs', file))
    }
  }
}

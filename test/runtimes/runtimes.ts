import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Input, Report } from './program/program.ts'
import { type Project, toolPath } from './project.ts'

/** A runtime of the matrix. */
export interface Runtime {
  name: string
  /** the package that it comes in, here under `node_modules` */
  package: string
  /** runs the program in the project */
  run(project: Project, input: Input): Promise<Report>
  /** the tool and its arguments that run a file; undefined where there is no command line */
  command?: readonly string[]
  /** vectors that it cannot judge as asked, and why */
  limits: Readonly<Record<string, string>>
}

export const RUNTIMES: readonly Runtime[] = [
  node('node-20-floor'), // the oldest that package.json promises
  node('node-20'),
  node('node-22'),
  node('node-24'),
  node('node-26'),
  { name: 'bun', package: 'bun', ...onCommandLine('bun'), limits: {} },
  {
    name: 'deno',
    package: 'deno',
    ...onCommandLine('deno', 'run', '--allow-all'),
    limits: {
      'key-ed25519-not-on-the-curve': 'Deno refuses such a key when it reads it (key-unreadable)',
      'key-8192-bits': 'Deno reads no RSA key above 4096 bits'
    }
  },
  { name: 'workerd', package: 'workerd', run: onWorkerd, limits: {} }
]

function node(name: string): Runtime {
  return { name: 'node', package: name, ...onCommandLine(`../${name}/bin/node`), limits: {} }
}

/** The version of a runtime's package; undefined when this platform has no such package. */
export function installedVersion(runtime: Runtime): string | undefined {
  const manifest = fileURLToPath(new URL(`node_modules/${runtime.package}/package.json`, import.meta.url))
  if (!existsSync(manifest)) return undefined
  const { version }: { version: string } = JSON.parse(readFileSync(manifest, 'utf8'))
  return version.replace(/^v/, '') // as it stands in some packages of Node.js
}

/** Compiles the program in TypeScript to one file each for a command line and for workerd. */
export async function compileProgram(project: Project): Promise<void> {
  for (const entry of ['main', 'worker', 'resolver-main', 'resolver-worker']) {
    const source = fileURLToPath(new URL(`program/${entry}.ts`, import.meta.url))
    // Without our tsconfig.json, in which the package's name means its source.
    const options = ['--packages=external', '--tsconfig-raw={}', `--outfile=${entry}.mjs`]
    await project.run('esbuild', source, ...BUNDLE, ...options)
  }
  // A Worker is one file, with the installed package in it. It has a name in the place of an address.
  for (const [entry, bundle] of [
    ['worker', 'bundle'],
    ['resolver-worker', 'resolver-bundle']
  ]) {
    const options = ['--define:import.meta.url="file:///worker"', REQUIRE_BUFFER, `--outfile=${bundle}.js`]
    await project.run('esbuild', `${entry}.mjs`, ...BUNDLE, ...options)
  }
}

/** As wrangler does: dns-packet is CommonJS and requires `buffer`, and an ES module has no `require`. */
export const REQUIRE_BUFFER = '--banner:js=import * as nodeBuffer from "node:buffer"; const require = () => nodeBuffer'

const BUNDLE = ['--bundle', '--format=esm', '--platform=node', '--log-level=warning']

function onCommandLine(tool: string, ...args: string[]): Pick<Runtime, 'run' | 'command'> {
  return {
    command: [toolPath(tool), ...args],
    async run(project, input) {
      project.write('input.json', JSON.stringify(input))
      return JSON.parse(await project.run(tool, ...args, 'main.mjs'))
    }
  }
}

/** There is no UDP. */
async function onWorkerd(project: Project, { vectors, records, requests }: Input): Promise<Report> {
  project.write(
    'config.capnp',
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "worker", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "bundle.js")],
  compatibilityDate = "2025-09-01",
  compatibilityFlags = ["nodejs_compat"]
);
`
  )
  const port = await project.serve({}, 'workerd', 'serve', '--control-fd=3', 'config.capnp')
  const body = JSON.stringify({ vectors, records, requests } satisfies Input)
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })
  return (await response.json()) as Report
}

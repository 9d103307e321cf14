import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Certificate } from '../support/https.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MODULES = fileURLToPath(new URL('node_modules', import.meta.url))
const execute = promisify(execFile)

/** Returns the path of a tool of `test/runtimes`. */
export const toolPath = (tool: string): string => resolve(MODULES, '.bin', tool)

/** A user's project is a folder of its own, with the built package under its name. */
export type Project = ReturnType<typeof projectIn>

/** Makes a project with the package as built here, and some of its files. */
export function createProject(...files: string[]): Project {
  const project = projectIn(makeFolder())
  const modules = join(project.folder, 'node_modules')
  mkdirSync(modules)
  symlinkSync(ROOT, join(modules, 'signed-requests'))
  // Files of src/ in the program import this package.
  symlinkSync(join(ROOT, 'node_modules/structured-headers'), join(modules, 'structured-headers'))
  for (const file of files) cpSync(join(ROOT, file), join(project.folder, file.split('/').at(-1)!))
  return project
}

/** Makes a project into which the package's own tarball was installed. */
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

/** Describes the environment of a Worker. */
export interface WorkerSetting {
  /** the port of what it fetches from, by plain HTTP; nothing when left out */
  outbound?: number
  /** with one it is served over HTTPS */
  certificate?: Certificate
  date?: string
  flags?: readonly string[]
  /** further lines of its configuration */
  more?: string
}

function projectIn(folder: string) {
  const children: ChildProcess[] = []

  function write(name: string, content: string): void {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }

  /** Runs a tool to its end; resolves to its output. */
  const run = async (tool: string, ...args: string[]): Promise<string> =>
    (await execute(toolPath(tool), args, { cwd: folder, maxBuffer: 2 ** 28 })).stdout

  /** Starts a server; resolves to its port, once it has reported it. */
  async function serve(env: Record<string, string>, tool: string, ...args: string[]): Promise<number> {
    // workerd reports its port on the fourth descriptor; the others do in their output.
    const stdio = ['ignore', 'pipe', 'pipe', 'pipe'] as const
    const child = spawn(toolPath(tool), args, { cwd: folder, env: { ...process.env, ...env }, stdio: [...stdio] })
    children.push(child)
    return new Promise((settle, reject) => {
      let output = ''
      for (const stream of child.stdio.slice(1) as Readable[]) {
        createInterface(stream).on('line', line => {
          output += `${line}\n`
          const port = /(?:https?:\/\/[^/]*:|"port":)(\d+)/.exec(line)?.[1]
          if (port !== undefined) settle(Number(port))
        })
      }
      child.on('error', reject)
      child.on('exit', () => reject(new Error(`${tool} ended: ${output}`)))
    })
  }

  return {
    folder,
    write,
    run,
    serve,
    /** Links one of our packages into it. */
    link: (name: string) => symlinkSync(join(MODULES, name), join(folder, 'node_modules', name)),
    /** Bundles a file as wrangler does; any output of the bundler is an error. */
    bundle: (source: string, file: string, ...more: string[]): Promise<string> =>
      run(
        'esbuild',
        source,
        '--bundle',
        '--format=esm',
        '--platform=node',
        '--log-level=warning',
        ...more,
        `--outfile=${file}`
      ),
    /** Serves a bundled file as workerd runs a Worker; resolves to its port. */
    serveWorker(file: string, setting: WorkerSetting = {}): Promise<number> {
      const { outbound = 9, certificate, date = '2025-09-01', flags = ['nodejs_compat'], more = '' } = setting
      write('key.pem', certificate?.key ?? '')
      write('cert.pem', certificate?.cert ?? '')
      const pair = '(privateKey = embed "key.pem", certificateChain = embed "cert.pem")'
      const socket = certificate === undefined ? 'http = ()' : `https = (tlsOptions = (keypair = ${pair}))`
      write(
        'config.capnp',
        `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = .worker),
    (name = "internet", external = (address = "127.0.0.1:${outbound}", http = ()))
  ],
  sockets = [(name = "socket", address = "127.0.0.1:0", ${socket}, service = "worker")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "${file}")],
  compatibilityDate = "${date}",
  compatibilityFlags = ${JSON.stringify(flags)},
  globalOutbound = "internet",${more}
);
`
      )
      return serve({}, 'workerd', 'serve', '--control-fd=3', 'config.capnp')
    },
    /** Ends the servers and removes the folder. */
    remove() {
      for (const child of children) child.kill()
      rmSync(folder, { recursive: true })
    }
  }
}

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Batch } from './program/batch.ts'
import type { Project } from './project.ts'

/** Judges a batch on one runtime. */
export interface Judge {
  name: string
  judge(batch: Batch): Promise<readonly string[]>
}

const BUNDLE = ['--bundle', '--format=esm', '--platform=node', '--log-level=warning']

/** The package as it is built, in a project of its own, ready to judge on Node.js, Bun, Deno and workerd. */
export async function startJudges(project: Project, nodes: readonly string[] = ['node-24']): Promise<Judge[]> {
  for (const entry of ['batch-main', 'batch-worker']) {
    const source = fileURLToPath(new URL(`program/${entry}.ts`, import.meta.url))
    const options = ['--packages=external', '--tsconfig-raw={}', `--outfile=${entry}.mjs`]
    await project.run('esbuild', source, ...BUNDLE, ...options)
  }
  const define = '--define:import.meta.url="file:///worker"'
  await project.run('esbuild', 'batch-worker.mjs', ...BUNDLE, define, '--outfile=batch-bundle.js')
  project.write('batch.capnp', WORKERD)
  const port = await project.serve({}, 'workerd', 'serve', '--control-fd=3', 'batch.capnp')

  const onCommandLine = (name: string, tool: string, ...args: string[]): Judge => ({
    name,
    async judge(batch) {
      // Two calls at once must not write the same files.
      const id = randomUUID()
      const [input, output] = [`batch-${id}.json`, `verdicts-${id}.json`]
      project.write(input, JSON.stringify(batch))
      await project.run(tool, ...args, 'batch-main.mjs', input, output)
      return JSON.parse(readFileSync(join(project.folder, output), 'utf8'))
    }
  })
  return [
    ...nodes.map(node => onCommandLine(node, `../${node}/bin/node`)),
    onCommandLine('bun', 'bun'),
    onCommandLine('deno', 'deno', 'run', '--allow-all'),
    {
      name: 'workerd',
      async judge(batch) {
        const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify(batch) })
        return (await response.json()) as string[]
      }
    }
  ]
}

const WORKERD = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "worker", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "batch-bundle.js")],
  compatibilityDate = "2025-09-01",
  compatibilityFlags = ["nodejs_compat"]
);
`

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { replayStoreContract } from '../../src/testing/index.ts'
import { createProject } from './project.ts'
import { installedVersion, RUNTIMES } from './runtimes.ts'

const source = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Runs the contract inside of the Worker, where the store is used. */
const WORKER = `
import { durableReplayStore } from './durable-object.ts'
import { replayStoreContract } from '${source('src/testing/replay-store-contract.ts')}'
export { ReplayId } from './durable-object.ts'

export default {
  async fetch(_, env) {
    const outcomes = []
    for (const { name, run } of replayStoreContract(() => durableReplayStore(env.REPLAY))) {
      outcomes.push([name, await run().then(() => 'passed', error => error.message)])
    }
    return Response.json(outcomes)
  }
}
`
const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "worker", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2025-09-01",
  compatibilityFlags = ["nodejs_compat"],
  durableObjectNamespaces = [(className = "ReplayId", uniqueKey = "replay")],
  durableObjectStorage = (inMemory = void),
  bindings = [(name = "REPLAY", durableObjectNamespace = "ReplayId")]
);
`

const workerd = RUNTIMES.find(({ name }) => name === 'workerd')!
const version = installedVersion(workerd)
if (version === undefined) console.warn('workerd is left out: it has no package for this platform.')

test.skipIf(version === undefined)(`keeps the contract of a store on workerd ${version}`, async () => {
  const project = createProject()
  try {
    project.write('durable-object.ts', readFileSync(source('examples/stores/durable-object.ts'), 'utf8'))
    project.write('worker.ts', WORKER)
    project.write('config.capnp', CONFIG)
    const options = ['--bundle', '--format=esm', '--platform=node', '--outfile=worker.js']
    await project.run('esbuild', 'worker.ts', ...options)
    const port = await project.serve({}, 'workerd', 'serve', '--control-fd=3', 'config.capnp')
    const outcomes = await (await fetch(`http://127.0.0.1:${port}/`)).json()
    const cases = replayStoreContract(() => expect.unreachable())
    expect(outcomes).toEqual(cases.map(({ name }) => [name, 'passed']))
  } finally {
    project.remove()
  }
})

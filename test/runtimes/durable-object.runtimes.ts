import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { replayStoreContract } from '../../src/testing/index.ts'
import { createProject } from './project.ts'
import { RUNTIMES } from './runtimes.ts'

/** Runs the contract inside of the Worker, where the store is used. */
const WORKER = `
import { durableReplayStore } from './durable-object.ts'
import { replayStoreContract } from '${fileURLToPath(new URL('../../src/testing/replay-store-contract.ts', import.meta.url))}'
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
const NAMESPACE = `
  durableObjectNamespaces = [(className = "ReplayId", uniqueKey = "replay")],
  durableObjectStorage = (inMemory = void),
  bindings = [(name = "REPLAY", durableObjectNamespace = "ReplayId")]`

const workers = RUNTIMES.filter(({ name }) => name === 'workerd')

test.each(workers)('keeps the contract of a store on workerd $version', async () => {
  const project = createProject('examples/stores/durable-object.ts')
  try {
    project.write('worker.ts', WORKER)
    await project.bundle('worker.ts', 'worker.js')
    const port = await project.serveWorker('worker.js', { more: NAMESPACE })
    const outcomes = await (await fetch(`http://127.0.0.1:${port}/`)).json()
    const cases = replayStoreContract(() => expect.unreachable())
    expect(outcomes).toEqual(cases.map(({ name }) => [name, 'passed']))
  } finally {
    project.remove()
  }
})

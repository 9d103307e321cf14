import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestService } from '../../src/testing/index.ts'
import type { DnsOutcome } from '../support/dns-answer.ts'
import { type DohServer, startDohServer } from '../support/doh-server.ts'
import { createProject, type Project } from './project.ts'
import { installedVersion, REQUIRE_BUFFER, RUNTIMES } from './runtimes.ts'

/** What a resolver may answer, and the verdict on a request whose key is asked for. */
const CASES: readonly [DnsOutcome | 'found' | 'unsigned' | 'redirected' | 'broken', string][] = [
  ['found', 'verified'],
  ['nxdomain', 'rejected key-not-found'],
  ['nxdomain-behind-cname', 'rejected key-not-found'],
  ['nodata', 'rejected key-not-found'],
  ['dangling-cname', 'rejected key-not-found'],
  ['only-a', 'rejected key-not-found'],
  ['empty-string', 'rejected key-not-found'],
  ['servfail', 'unavailable key-lookup-failed'],
  ['refused', 'unavailable key-lookup-failed'],
  ['formerr', 'unavailable key-lookup-failed'],
  ['notimp', 'unavailable key-lookup-failed'],
  ['malformed', 'unavailable key-lookup-failed'],
  ['truncated', 'unavailable key-lookup-failed'],
  ['silence', 'unavailable key-lookup-timeout'],
  ['unsigned', 'unavailable key-lookup-failed'],
  ['redirected', 'unavailable key-lookup-failed'],
  ['broken', 'unavailable key-lookup-failed']
]

/** Runs on each; the package is the built one. */
const PROGRAM = `
import { createVerifier } from 'signed-requests'
import { dohTxtLookup } from 'signed-requests/doh'

export async function run({ url, requests }) {
  const outcomes = []
  for (const method of ['POST', 'GET']) {
    const verify = createVerifier({
      serviceDomain: 'service.example',
      hosts: 'receiver.example',
      accounts: '1234',
      lookupTxt: dohTxtLookup({ url, method, timeout: 1000, requireAuthenticated: true })
    })
    const verdicts = await Promise.all(requests.map(request => verify(request)))
    outcomes.push(verdicts.map(({ status, failures }) => [status, ...failures.map(({ code }) => code)].join(' ')))
  }
  return outcomes
}
`
const MAIN = `
import { run } from './program.mjs'
console.log(JSON.stringify(await run(JSON.parse(process.argv[2]))))
`
const WORKER = `
import { run } from './program.mjs'
export default { fetch: async request => Response.json(await run(await request.json())) }
`

const service = createTestService()
let project: Project
let server: DohServer
let input: { url: string; requests: unknown[] }
beforeAll(async () => {
  const requests = CASES.map(([outcome]) => {
    if (outcome !== 'found') service.rotateKey()
    return service.sign({ target: `/hook?${outcome}` })
  })
  const names = Object.keys(service.records)
  server = await startDohServer(service.records)
  const byName = new Map(CASES.map(([outcome], n) => [names[n]!, outcome]))
  for (const [name, outcome] of byName) {
    if (outcome !== 'unsigned') server.authenticated.add(name)
    if (!['found', 'unsigned', 'redirected', 'broken'].includes(outcome)) {
      server.outcomes.set(name, outcome as DnsOutcome)
    }
  }
  server.intercept = (name, response) => {
    const outcome = byName.get(name)
    if (outcome === 'redirected') response.writeHead(307, { location: '/elsewhere' }).end()
    if (outcome === 'broken') response.destroy()
    return outcome === 'redirected' || outcome === 'broken'
  }
  input = { url: server.url, requests }
  project = createProject()
  project.write('program.mjs', PROGRAM)
  project.write('main.mjs', MAIN)
  project.write('worker.mjs', WORKER)
})
afterAll(async () => {
  project?.remove()
  await server?.close()
})

const judge = async (runtime: (typeof RUNTIMES)[number]): Promise<string[][]> => {
  const json = JSON.stringify(input)
  if (runtime.name === 'workerd') return judgeOnWorkerd(project, server, json)
  const tool = runtime.name === 'node' ? `../${runtime.package}/bin/node` : runtime.name
  const args = runtime.name === 'deno' ? ['run', '--allow-all'] : []
  return JSON.parse(await project.run(tool, ...args, 'main.mjs', json))
}

for (const runtime of RUNTIMES) {
  const version = installedVersion(runtime)
  if (version === undefined) console.warn(`${runtime.package} is left out: it has no package for this platform.`)

  test.skipIf(version === undefined)(`judges every answer as it must on ${runtime.name} ${version}`, async () => {
    const expected = CASES.map(([outcome, verdict]) => [outcome, verdict])
    const [post, get] = await judge(runtime)
    expect(CASES.map(([outcome], n) => [outcome, post![n]])).toEqual(expected)
    expect(CASES.map(([outcome], n) => [outcome, get![n]])).toEqual(expected)
    expect(server.seen.filter(({ url }) => url.includes('elsewhere'))).toEqual([])
  })
}

/** As wrangler bundles and workerd runs a Worker; whatever it fetches goes to the server. */
async function judgeOnWorkerd(project: Project, { url }: DohServer, json: string): Promise<string[][]> {
  const options = ['--bundle', '--format=esm', '--platform=node', REQUIRE_BUFFER, '--outfile=worker.js']
  await project.run('esbuild', 'worker.mjs', ...options)
  project.write(
    'config.capnp',
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = .worker),
    (name = "internet", external = (address = "${new URL(url).host}", http = ()))
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2025-09-01",
  compatibilityFlags = ["nodejs_compat"],
  globalOutbound = "internet"
);
`
  )
  const port = await project.serve({}, 'workerd', 'serve', '--control-fd=3', 'config.capnp')
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: json })
  return (await response.json()) as string[][]
}

import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestService } from '../../src/testing/index.ts'
import { KINDS } from '../meta/examples/kinds.ts'
import { type RunningRecipe, testRecipe } from '../meta/examples/recipe.ts'
import { behindProxy, sendOverHttp } from '../meta/examples/senders.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { makeCertificate, send } from '../support/https.ts'
import { listen } from '../support/listen.ts'
import { parsedBodyMessage } from '../support/parsed-body.ts'
import { createDnsOverHttps } from './dns-over-https.ts'
import { createProject } from './project.ts'

const HOST = 'receiver.example'
const service = createTestService()

let dns: DnsServer
let dnsOverHttps: Server
beforeAll(async () => {
  dns = await startDnsServer(service.records)
  dnsOverHttps = createDnsOverHttps(name => service.records[name] ?? 'nxdomain')
})
afterAll(async () => {
  dnsOverHttps.close()
  await dns.close()
})

/** Starts a server whose lookups ask our DNS server. */
async function serve(example: string, tool: string, ...args: string[]): Promise<RunningRecipe> {
  const project = createProject(`examples/${example}`, 'examples/verify.ts', 'test/meta/examples/resolver.ts')
  const port = await project.serve({ PORT: '0', DNS_SERVER: dns.address }, tool, ...args)
  return { ...behindProxy(port), close: project.remove }
}

testRecipe('Bun', service, () => serve('bun.mjs', 'bun', '--preload', './resolver.ts', 'bun.mjs'))

testRecipe('Deno', service, () =>
  serve('deno.mjs', 'deno', 'run', '--allow-all', '--preload', './resolver.ts', 'deno.mjs')
)

describe('on a real Next.js', () => {
  let next: RunningRecipe
  // Next.js is built and started as in production. It follows no link out of its root, and the packages here are links.
  beforeAll(async () => {
    vi.stubEnv('NEXT_TELEMETRY_DISABLED', '1')
    const project = createProject('test/meta/examples/resolver.ts', 'examples/verify.ts')
    for (const name of ['next', 'react', 'react-dom']) project.link(name)
    const route = readFileSync('examples/next-route.ts', 'utf8').replace('./verify.ts', './verify.js')
    project.write('app/hook/[[...path]]/route.js', route)
    // The message for a parsed body advises this for pages.
    const [advice = ''] = /export const config = .*\}/.exec(parsedBodyMessage()) ?? []
    const page = [
      "import { createVerifier, nodeHandler } from 'signed-requests'",
      "const known = { serviceDomain: 'service.example', hosts: 'receiver.example', accounts: '1234' }",
      'export default nodeHandler(createVerifier({ ...known, requireHttps: false }), () => {})',
      advice
    ]
    project.write('pages/api/hook.js', page.join('\n'))
    project.write('next.config.js', "export default { turbopack: { root: '/' } }")
    await project.run('esbuild', 'resolver.ts', '--outfile=resolver.mjs')
    await project.run('esbuild', 'verify.ts', '--outfile=app/hook/[[...path]]/verify.js')
    await project.run('next', 'build')
    const environment = { DNS_SERVER: dns.address, NODE_OPTIONS: '--import ./resolver.mjs' }
    const port = await project.serve(environment, 'next', 'start', '-p', '0', '-H', '127.0.0.1')
    next = { send: request => sendOverHttp(request, port), close: project.remove }
  }, 120_000)
  afterAll(() => {
    vi.unstubAllEnvs()
    next?.close()
  })

  const whole = { ...KINDS.at(-1)!, request: { target: '/hook/a%2Fb/caf%C3%A9?name=value&empty=', body: '{}' } }
  const kinds = [...KINDS.slice(0, -1), whole]
  testRecipe('the route handler', service, async () => ({ ...next, close() {} }), { kinds, behind: 'nothing' })

  const statusOf = (target: string) => next.send(service.sign({ target, body: '{}' }))
  test.each(['?e', '?a=%20', '?a=~', '?a[]=1'])('re-encodes the query %s, as the page says', async query => {
    expect(await statusOf(`/hook${query}`)).toBe(401)
  })
  test('a route of pages lets a signed body in with what the message for a parsed body says', async () => {
    expect(await statusOf('/api/hook')).toBe(204)
  })
  test.each(['/hook//a', '/hook/'])('answers %s with 308, as the page says', async target => {
    expect(await statusOf(target)).toBe(308)
  })
})

/** Starts a Worker on workerd; whatever it fetches goes to this server. */
async function work(file: string, to: Server, date: string, flags: readonly string[]): Promise<RunningRecipe> {
  const project = createProject(`examples/${file}`, 'examples/verify.ts')
  const certificate = await makeCertificate(HOST)
  await project.bundle(file, 'worker.js')
  const port = await project.serveWorker('worker.js', { outbound: await listen(to), certificate, date, flags })
  const recipient = { host: HOST, port, cert: certificate.cert }
  return { send: request => send(request, recipient), close: project.remove }
}

// The newest date that this workerd supports, and one before Node.js compatibility became the default.
const NEWEST = ['2026-10-20', []] as const
for (const [date, flags] of [NEWEST, ['2025-09-01', ['nodejs_compat']]] as const) {
  const start = () => work('workers.ts', dnsOverHttps, date, flags)
  testRecipe(`Cloudflare Workers at ${date}`, service, start, { behind: 'nothing' })
}

testRecipe(
  'a Cloudflare Worker in front of an origin',
  service,
  async () => {
    let seen: { method: string; target: string; body: string } | undefined
    const internet = createServer(async (req, res) => {
      if (req.headers.host !== 'origin.example') return dnsOverHttps.emit('request', req, res)
      const { method = '', url: target = '' } = req
      seen = { method, target, body: (await buffer(req)).toString('latin1') }
      res.writeHead(req.headers['signed-request-account'] === '1234' ? 202 : 500).end()
    })
    const worker = await work('workers-origin.ts', internet, ...NEWEST)
    return {
      async send(request) {
        seen = undefined
        const status = await worker.send(request)
        const { method, target } = request
        const body = Buffer.from((request.body ?? '') as Uint8Array).toString('latin1')
        expect(seen).toEqual(status === 202 ? { method, target, body } : undefined)
        return status
      },
      close() {
        internet.close()
        worker.close()
      }
    }
  },
  { behind: 'nothing', answer: 202 }
)

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { createTestService } from '../../src/testing/index.ts'
import { type RunningRecipe, testRecipe } from '../meta/examples/recipe.ts'
import { behindProxy } from '../meta/examples/senders.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { makeCertificate, send } from '../support/https.ts'
import { createDnsOverHttps } from './dns-over-https.ts'
import { createProject } from './project.ts'

const HOST = 'receiver.example'
const service = createTestService()

describe('on other runtimes than Node.js', () => {
  let dns: DnsServer
  let dnsOverHttps: Server
  beforeAll(async () => {
    dns = await startDnsServer(service.records)
    dnsOverHttps = createDnsOverHttps(name => service.records[name] ?? 'nxdomain')
    dnsOverHttps.listen(0, '127.0.0.1')
    await once(dnsOverHttps, 'listening')
  })
  afterAll(async () => {
    dnsOverHttps.close()
    await dns.close()
  })

  /** A server whose lookups ask our DNS server. */
  async function serve(example: string, tool: string, ...args: string[]): Promise<RunningRecipe> {
    const project = createProject(`examples/${example}`, 'test/meta/examples/resolver.ts')
    const port = await project.serve({ PORT: '0', DNS_SERVER: dns.address }, tool, ...args)
    return { ...behindProxy(port), close: project.remove }
  }

  testRecipe('Bun', service, () => serve('bun.mjs', 'bun', '--preload', './resolver.ts', 'bun.mjs'))

  testRecipe('Deno', service, () =>
    serve('deno.mjs', 'deno', 'run', '--allow-all', '--preload', './resolver.ts', 'deno.mjs')
  )

  /** A Worker on workerd, whatever it fetches goes to the server on this port. */
  async function work(file: string, outbound: Server, date: string, flags: string): Promise<RunningRecipe> {
    const project = createProject(`examples/${file}`)
    const certificate = await makeCertificate(HOST)
    const bundle = ['--bundle', '--format=esm', '--platform=node', '--outfile=worker.js']
    await project.run('esbuild', file, ...bundle)
    project.write('key.pem', certificate.key)
    project.write('cert.pem', certificate.cert)
    project.write('config.capnp', workerdConfig((outbound.address() as AddressInfo).port, date, flags))
    const port = await project.serve({}, 'workerd', 'serve', '--control-fd=3', 'config.capnp')
    const to = { host: HOST, port, cert: certificate.cert }
    return { send: request => send(request, to), close: project.remove }
  }

  // The newest date that this workerd knows, and one before Node.js compatibility was the default.
  const NEWEST = ['2026-10-20', '[]'] as const
  for (const [date, flags] of [NEWEST, ['2025-09-01', '["nodejs_compat"]']] as const) {
    testRecipe(
      `Cloudflare Workers at ${date}`,
      service,
      () => work('workers.ts', dnsOverHttps, date, flags),
      { behind: 'nothing' }
    )
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
      }).listen(0, '127.0.0.1')
      await once(internet, 'listening')
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
})

/** As wrangler bundles and workerd runs a Worker; whatever it fetches goes to this port, by plain HTTP. */
const workerdConfig = (port: number, date: string, flags: string): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = .worker),
    (name = "internet", external = (address = "127.0.0.1:${port}", http = ()))
  ],
  sockets = [(
    name = "https",
    address = "127.0.0.1:0",
    https = (tlsOptions = (keypair = (privateKey = embed "key.pem", certificateChain = embed "cert.pem"))),
    service = "worker"
  )]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "${date}",
  compatibilityFlags = ${flags},
  globalOutbound = "internet"
);
`

import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe } from 'vitest'
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

  // The newest date that this workerd knows, and one before Node.js compatibility was the default.
  for (const [date, flags] of [
    ['2026-10-20', '[]'],
    ['2025-09-01', '["nodejs_compat"]']
  ] as const) {
    testRecipe(
      `Cloudflare Workers at ${date}`,
      service,
      async () => {
        const project = createProject('examples/workers.ts')
        const certificate = await makeCertificate(HOST)
        await project.run(
          'esbuild',
          'workers.ts',
          '--bundle',
          '--format=esm',
          '--platform=node',
          '--outfile=worker.js'
        )
        project.write('key.pem', certificate.key)
        project.write('cert.pem', certificate.cert)
        project.write(
          'config.capnp',
          workerdConfig((dnsOverHttps.address() as AddressInfo).port, date, flags)
        )
        const port = await project.serve({}, 'workerd', 'serve', '--control-fd=3', 'config.capnp')
        const to = { host: HOST, port, cert: certificate.cert }
        return { send: request => send(request, to), close: project.remove }
      },
      { behind: 'nothing' }
    )
  }
})

/** As wrangler bundles and workerd runs a Worker; whatever it fetches goes to our DNS over HTTPS. */
const workerdConfig = (dnsPort: number, date: string, flags: string): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = .worker),
    (name = "internet", external = (address = "127.0.0.1:${dnsPort}", http = ()))
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

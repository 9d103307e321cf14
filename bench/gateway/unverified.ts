import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { trackConnections } from '../../gateway/src/connections.ts'
import { createUpstream } from '../../gateway/src/forward.ts'
import { logText } from '../../gateway/src/log.ts'
import type { GatewaySettings } from '../../gateway/src/options/settings.ts'
import { createServe } from '../../gateway/src/serve.ts'
import { readBody } from '../../src/core/body/read.ts'
import { allPassed, refuse } from '../../src/core/verdict/refuse.ts'
import type { ReceivedRequest, Verdict } from '../../src/index.ts'

/**
 * The gateway without verification: its own code reads, forwards, answers and logs, and lets every request in.
 * `unverified.ts UPSTREAM`
 */
const limits = { maxBodyBytes: 10_485_760, bodyTimeout: 30_000 }

/** This gateway checked nothing. */
const NOT_CHECKED = allPassed(false)

async function letIn(request: ReceivedRequest): Promise<Verdict> {
  const lines = request.headers as readonly (readonly [string, string])[]
  const [, announced] = lines.find(([name]) => name.toLowerCase() === 'content-length') ?? []
  const body = await readBody(request.body, limits, { announced })
  // The load generator stops in the middle of requests.
  if (!body.ok) return refuse({ digest: body }, 'nothing is checked here')
  return {
    status: 'verified',
    failures: [],
    scheme: 'draft-cavage',
    accountId: '1234',
    keyId: 'one._domainkey.service.example',
    algorithm: 'rsa-sha256',
    date: new Date(),
    coveredHeaders: ['(request-target)', 'host', 'date', 'x-service-id', 'digest'],
    coveredValues: {},
    nonce: undefined,
    body: body.value,
    replayId: undefined,
    checks: NOT_CHECKED
  }
}

const verify = Object.assign(letIn, { release: async () => {} })

/** The object is complete and has no cast: a setting that the gateway gets and this one lacks does not compile. */
const settings: GatewaySettings = {
  listen: { host: '127.0.0.1', port: 0 },
  https: true,
  prefix: undefined,
  verifier: { serviceDomain: 'service.example', hosts: 'receiver.example', accounts: '1234' },
  replay: { kind: 'none' },
  log: 'json',
  maxConnections: 1000,
  drainDelay: 0,
  drain: 10_000,
  upstream: new URL(process.argv[2]!),
  upstreamTimeout: 30_000,
  tls: undefined,
  requestId: undefined,
  observe: false,
  refusalStatus: undefined,
  admin: undefined
}
const serve = createServe(settings, verify, createUpstream(settings.upstream, settings.upstreamTimeout))
const server = createServer({ keepAliveTimeout: 65_000 }, (req, res) => {
  connections.run(res, async () => {
    process.stdout.write(`${logText(await serve(req, res), 'json')}\n`)
    return true
  })
})
const connections = trackConnections(server, false, settings.maxConnections)
server.listen(0, '127.0.0.1', () => console.error(`listening on ${(server.address() as AddressInfo).port}`))

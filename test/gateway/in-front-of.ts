import type { VerifierOptions } from '../../src/index.ts'
import { startGateway } from '../../src/gateway/gateway.ts'
import type { GatewaySettings } from '../../src/gateway/options.ts'

export interface TestGateway {
  readonly port: number
  readonly url: string
  close(): Promise<void>
}

/** A gateway in this process, on a free port, in front of this upstream. */
export async function startTestGateway(
  upstream: string,
  verifier: VerifierOptions,
  settings: Partial<GatewaySettings> = {}
): Promise<TestGateway> {
  const gateway = await startGateway({
    listen: { host: '127.0.0.1', port: 0 },
    upstream: new URL(upstream),
    upstreamTimeout: 10_000,
    tls: undefined,
    https: true,
    verifier,
    replay: { kind: 'memory' },
    observe: false,
    log: 'json',
    admin: undefined,
    maxConnections: 1000,
    drain: 1000,
    workers: 1,
    ...settings
  })
  const url = `http://${gateway.address}`
  return { port: Number(new URL(url).port), url, close: gateway.close }
}

import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { TestService } from 'signed-requests/testing'
import { listen } from '../../test/support/listen.ts'
import { service as defaultService } from '../../test/support/service.ts'
import type { Exchange, Malformed } from '../src/exchange.ts'
import { startGateway } from '../src/gateway.ts'
import type { GatewaySettings } from '../src/options/settings.ts'

/** Describes one request as the application saw it. */
export interface Seen {
  method: string
  target: string
  /** name and value one after the other, as received */
  rawHeaders: string[]
  headers: IncomingMessage['headers']
  body: Buffer
}

export interface Application {
  readonly url: URL
  readonly seen: Seen[]
  close(): Promise<void>
}

/** Starts an application behind the gateway: it records its requests, and answers 200 with `done`. */
export async function startApplication(
  answer: (res: ServerResponse, seen: Seen, count: number) => void = res => res.end('done')
): Promise<Application> {
  const seen: Seen[] = []
  const server = createServer(async (req, res) => {
    const body = await buffer(req).catch(() => undefined)
    if (body === undefined) return // the sender disconnected
    const { method = '', url: target = '', rawHeaders, headers } = req
    const request = { method, target, rawHeaders, headers, body }
    seen.push(request)
    answer(res, request, seen.length)
  })
  const url = new URL(`http://127.0.0.1:${await listen(server)}`)
  const close = async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
  return { url, seen, close }
}

export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>

/** Starts a gateway on a free port for the requests of a test service, which may come over plain HTTP. */
export async function startTestGateway(
  upstream: URL,
  settings: Partial<GatewaySettings> = {},
  service = defaultService
) {
  /** each finished request with a verdict */
  const exchanges: Exchange[] = []
  /** each finished request without a verdict */
  const malformed: Malformed[] = []
  const events = new EventEmitter()
  const running = await startGateway(testSettings(upstream, service, settings), exchange => {
    if (exchange.verdict === undefined) malformed.push(exchange)
    else exchanges.push(exchange)
    events.emit('over')
  })
  /** resolves when this many are finished */
  const over = async (count: number) => {
    while (exchanges.length < count) await once(events, 'over')
    return exchanges
  }
  return { ...running, exchanges, malformed, over }
}

export const testSettings = (
  upstream: URL,
  service: TestService,
  settings: Partial<GatewaySettings> = {}
): GatewaySettings => ({
  listen: { host: '127.0.0.1', port: 0 },
  upstream,
  upstreamTimeout: 5000,
  tls: undefined,
  https: true,
  prefix: undefined,
  requestId: undefined,
  verifier: service.options,
  replay: { kind: 'memory' },
  observe: false,
  refusalStatus: undefined,
  log: 'json',
  admin: undefined,
  maxConnections: 1000,
  drainDelay: 0,
  drain: 5000,
  ...settings
})

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../addresses.ts'
import { createBudget, type Lease } from '../budget.ts'
import { type ClockOffsets, clockFact } from '../clock.ts'
import { listen } from '../connections.ts'
import { type Exchange, type Malformed, otherDomainOf } from '../exchange.ts'
import type { GatewaySettings } from '../options/settings.ts'
import { loadPage } from '../page-files.ts'
import { accessRefusal } from './access.ts'
import { createMetrics } from './metrics.ts'
import { createEventStreams, type Recent } from './recent.ts'
import { accountFact, type SetupSettings, setupOf } from './setup.ts'
import { detailOf, type Outcome, outcomeOf } from './view.ts'

export interface AdminSettings extends SetupSettings, NonNullable<GatewaySettings['admin']> {
  /** the requests that the page shows; the verifier records the refused ones there */
  recent: Recent
  /** accounts of requests whose signature has verified, where each is accepted */
  seenAccounts: ReadonlySet<string>
  /** how far the clock of this machine is off */
  clockOffsets: () => ClockOffsets
  /** false while the gateway ends and running requests finish */
  isReady: () => boolean
}

export type Admin = Awaited<ReturnType<typeof startAdmin>>

/** Everything shown is untrusted input: the page runs only its own script, and may not be framed. */
const HEADERS = {
  'Content-Security-Policy': "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  Connection: 'close'
}

/**
 * Serves the admin address: `/healthz`, `/metrics`, and the page with its data.
 *
 * @param settings with a token where the address is not a loopback one
 * @throws (rejects) when the address cannot be listened on
 */
export async function startAdmin(settings: AdminSettings) {
  const { address, token, redact, verifier, recent } = settings
  const files = loadPage()
  const metrics = createMetrics(settings.clockOffsets)
  const counts: Record<Outcome | 'elsewhere', number> = {
    verified: 0,
    refused: 0,
    'asked-again': 0,
    unavailable: 0,
    forwarded: 0,
    elsewhere: 0
  }
  const summary = () => ({ counts, account: accountFact(settings), clock: clockFact(settings.clockOffsets()) })
  const openStream = createEventStreams(recent, () => setupOf(settings), summary)

  async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) res.setHeader(name, value)
    const path = req.url!.split('?', 1)[0]!
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD')
      return send(res, 405, 'Only GET and HEAD.\n')
    }
    if (path === '/healthz') return settings.isReady() ? send(res, 200, 'ok\n') : send(res, 503, 'draining\n')
    const refused = accessRefusal(req, address.host, token)
    if (refused === 401) res.setHeader('WWW-Authenticate', 'Basic realm="signed-requests"')
    if (refused !== undefined) return send(res, refused, REFUSALS[refused])
    if (path === '/metrics') return send(res, 200, await metrics.registry.metrics(), metrics.registry.contentType)
    if (path === '/events') return openStream(req, res)
    const file = files.get(path)
    if (file !== undefined) return send(res, 200, file.bytes, file.type)
    const [, number = ''] = /^\/requests\/(\d{1,16})$/.exec(path) ?? []
    const exchange = recent.get(Number(number))
    if (exchange === undefined) return send(res, 404, 'There is no such page, or it is no longer kept.\n')
    return send(res, 200, JSON.stringify(detailOf(exchange, verifier, redact)), 'application/json')
  }

  const server = createServer(LIMITS, (req, res) => {
    respond(req, res).catch(error => {
      console.error(error)
      res.destroy()
    })
  })
  server.timeout = IDLE
  replaceSilent(server)
  return {
    /** `127.0.0.1:9901` */
    address: await listen(server, address),
    /** Counts what was answered, and keeps what has a verdict for the page. */
    record(exchange: Exchange | Malformed): void {
      metrics.count(exchange)
      if (exchange.verdict === undefined) return
      counts[outcomeOf(exchange)] += 1
      if (otherDomainOf(exchange.verdict) !== undefined) counts.elsewhere += 1
      recent.keep(exchange)
    },
    async close(): Promise<void> {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    }
  }
}

const REFUSALS = {
  401: 'The token is missing or wrong.\n',
  403: 'The Host of this request is not the admin address, such as localhost:9901.\n'
}

/** Milliseconds. Each connection is for one request. */
const LIMITS = { headersTimeout: 5000, requestTimeout: 5000, connectionsCheckingInterval: 1000 }

/** Milliseconds without a byte: a page that is open gets one every five seconds. */
const IDLE = 15_000

/** Connections that have not sent their request. */
export const MAX_SILENT = 64

/** Closes one that has not sent its request when there are too many, so that others can still connect. */
function replaceSilent(server: Server): void {
  const silent = createBudget({ choose: 'random' })
  const leases = new WeakMap<Socket, Lease>()
  server.on('connection', socket => {
    if (silent.used() >= MAX_SILENT) silent.revokeOne()
    const lease = silent.lease(networkOf(socket.remoteAddress), () => socket.destroy())
    lease.charge(1)
    leases.set(socket, lease)
    socket.once('close', () => lease.release())
  })
  server.on('request', ({ socket }: IncomingMessage) => leases.get(socket)?.release())
}

const TEXT = 'text/plain; charset=utf-8'

function send(res: ServerResponse, status: number, body: string | Buffer, type = TEXT): void {
  res.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }).end(body)
}

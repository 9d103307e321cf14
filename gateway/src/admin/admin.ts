import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Verdict } from '../../../src/verdict/verdict.ts'
import type { Exchange } from '../exchange.ts'
import { loadPage } from '../page-files.ts'
import type { Counted } from '../report.ts'
import { assertProtected, authorityOf, createAccessCheck } from './access.ts'
import { createEventStreams } from './events.ts'
import { explainCommand } from './explain-command.ts'
import { type FixtureSettings, fixtureName, fixtureOf } from './fixture.ts'
import { createMetrics } from './metrics.ts'
import { type CutExchange, createRecent, cutDown, type KeptExchange } from './recent.ts'
import { detailOf } from './view.ts'

export interface AdminSettings extends FixtureSettings {
  /** port 0 is any free one */
  address: { host: string; port: number }
  /** required for an address that is not a loopback one */
  token: string | undefined
  /** false while the gateway ends and running requests finish */
  isReady: () => boolean
}

export interface Admin {
  /** `127.0.0.1:9901` */
  address: string
  /** Keeps a request for the page and counts it. */
  record(exchange: Exchange): void
  /** the two steps of it, for requests of other processes */
  keep(exchange: CutExchange): void
  count(counted: Counted): void
  close(): Promise<void>
}

/** Everything shown comes from strangers: the page runs only its own script, and may not be framed. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer'
}

/**
 * Serves the admin address: `/healthz`, `/metrics`, and the page with its data.
 *
 * @throws (rejects with) TypeError for an address that anyone could reach, and with the system's error when the address
 *   cannot be listened on
 */
export async function startAdmin(settings: AdminSettings): Promise<Admin> {
  const { address, token, isReady } = settings
  assertProtected(address.host, token)
  const files = await loadPage()
  const metrics = createMetrics()
  const recent = createRecent()
  const run = randomBytes(8).toString('hex')
  const counts: Record<Verdict['status'], number> = { verified: 0, rejected: 0, unavailable: 0 }
  const streams = createEventStreams(recent, run, () => ({ counts }))

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) res.setHeader(name, value)
    const [path = ''] = (req.url ?? '').split('?', 1)
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD')
      return sendText(res, 405, 'Only GET and HEAD.\n')
    }
    if (path === '/healthz') return isReady() ? sendText(res, 200, 'ok\n') : sendText(res, 503, 'draining\n')
    const denied = isAllowed(req)
    if (denied !== undefined) {
      if (denied.status === 401) res.setHeader('WWW-Authenticate', 'Basic realm="signed-requests"')
      return sendText(res, denied.status, `${denied.message}\n`)
    }
    if (path === '/metrics') return send(res, metrics.registry.contentType, await metrics.registry.metrics())
    if (path === '/events') return streams.open(req, res)
    const file = files.get(path)
    if (file !== undefined) return send(res, file.type, file.bytes)
    const [, number, isFixture] = new RegExp(`^/requests/${run}-(\\d{1,15})(/fixture)?$`).exec(path) ?? []
    const kept = number === undefined ? undefined : recent.get(Number(number))
    if (kept === undefined)
      return sendText(res, 404, 'There is no such page, or its request is no longer kept.\n')
    if (isFixture === undefined) return send(res, 'application/json', JSON.stringify(await opened(kept)))
    const fixture = await fixtureOf(kept, settings)
    if (fixture === undefined) return sendText(res, 404, 'There is no fixture of this request.\n')
    res.setHeader('Content-Disposition', `attachment; filename="${fixtureName(kept)}.json"`)
    return send(res, 'application/json', fixture.json)
  }

  async function opened(kept: KeptExchange): Promise<object> {
    const fixture = await fixtureOf(kept, settings)
    const file = `${fixtureName(kept)}.json`
    const command = explainCommand(file, fixture?.now ?? kept.receivedAt, settings.verifier)
    return { ...detailOf(kept, settings.verifier, settings.redact), fixture: fixture?.json, file, command }
  }

  const count = (counted: Counted) => {
    counts[counted.verdict.status] += 1
    metrics.observe(counted)
  }
  const keep = (exchange: CutExchange) => {
    recent.keep(exchange)
    streams.notify()
  }

  const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (req, res) => {
    answer(req, res).catch(error => {
      console.error(error)
      if (res.headersSent) res.destroy()
      else sendText(res, 500, 'This is an error of the gateway: see its log.\n')
    })
  })
  server.maxConnections = 100
  server.listen(address.port, address.host.replace(/^\[|\]$/g, ''))
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const isAllowed = createAccessCheck(address.host, port, token)

  return {
    address: authorityOf(address.host, port),
    record(exchange) {
      count(exchange)
      keep(cutDown(exchange, settings.redact))
    },
    keep,
    count,
    async close() {
      const closed = once(server, 'close')
      server.close()
      streams.close()
      server.closeAllConnections()
      await closed
      metrics.registry.clear()
    }
  }
}

function send(res: ServerResponse, type: string, body: string | Buffer): void {
  res.setHeader('Content-Type', type)
  res.setHeader('Content-Length', Buffer.byteLength(body))
  res.end(body)
}

function sendText(res: ServerResponse, status: number, text: string): void {
  res.statusCode = status
  send(res, 'text/plain; charset=utf-8', text)
}

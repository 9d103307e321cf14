import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse
} from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { dnsTxtLookup } from '../../src/key/dns.ts'
import { createVerifier } from '../../src/verify.ts'
import { authorityOf } from './admin/access.ts'
import type { Admin, AdminSettings } from './admin/admin.ts'
import { trackConnections } from './connections.ts'
import { type DnsAnswer, keepAnswers } from './dns-answers.ts'
import type { Exchange } from './exchange.ts'
import { createUpstream } from './forward.ts'
import { connectReplayStore } from './replay-store.ts'
import { createServe } from './serve.ts'
import type { Address, GatewaySettings } from './settings.ts'

/** A gateway that listens. */
export interface Gateway {
  /** IP and port, the real one when 0 was asked for: `127.0.0.1:8080` */
  readonly address: string
  /** the same of the admin address */
  readonly admin: string | undefined
  /** Takes no new connection, lets running requests end, and aborts what is left; true when nothing was left. */
  close(): Promise<boolean>
}

const LIMITS = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  // Node.js checks every 30 s by default, so a 10 s limit could take 40 s.
  connectionsCheckingInterval: 1000,
  // Longer than nginx keeps a connection to its upstream (60 s), so that it is nginx that closes it.
  keepAliveTimeout: 65_000
} as const satisfies ServerOptions

/**
 * Starts a gateway in this process.
 *
 * @param onExchange called once for each request that got a verdict, when it is over
 * @throws (rejects) when an address is in use, or the replay store cannot be reached
 */
export async function startGateway(
  settings: GatewaySettings,
  onExchange: (exchange: Exchange) => void = () => {}
): Promise<Gateway> {
  const { tls } = settings
  const dns = new Map<string, DnsAnswer>()
  const lookupTxt = settings.verifier.lookupTxt ?? dnsTxtLookup()
  let isReady = false
  let admin: Admin | undefined

  const { store, close: closeStore } = await connectReplayStore(settings.replay)
  const verify = createVerifier({
    ...settings.verifier,
    lookupTxt: settings.admin === undefined ? lookupTxt : keepAnswers(lookupTxt, dns),
    ...(store && { replayStore: store })
  })
  const upstream = createUpstream(settings.upstream, settings.upstreamTimeout)
  const serve = createServe(settings, verify, upstream)
  const serving = new Set<Promise<void>>()

  const listener = (req: IncomingMessage, res: ServerResponse) => {
    connections.add(res)
    if (req.socket.destroyed) return
    const served = serve(req, res)
      .then(exchange => {
        if (exchange === undefined) return
        admin?.count(exchange)
        admin?.keep(exchange)
        onExchange(exchange)
      })
      .catch(error => {
        console.error(error)
        res.destroy()
      })
      .finally(() => serving.delete(served))
    serving.add(served)
  }
  const server = tls
    ? createHttpsServer({ ...LIMITS, ...tls, handshakeTimeout: LIMITS.headersTimeout }, listener)
    : createServer(LIMITS, listener)
  server.maxConnections = settings.maxConnections
  const connections = trackConnections(server, tls !== undefined)
  try {
    await listen(server, settings.listen)
    if (settings.admin !== undefined) {
      admin = await startAdmin({
        ...settings.admin,
        upstream: settings.upstream,
        replay: settings.replay,
        observe: settings.observe,
        https: settings.https,
        verifier: settings.verifier,
        origin: `${tls ? 'https' : 'http'}://${addressOf(server)}`,
        dns,
        isReady: () => isReady
      })
    }
  } catch (error) {
    server.close()
    await closeStore()
    throw error
  }
  isReady = true

  async function close(): Promise<boolean> {
    isReady = false
    const end = performance.now() + settings.drain
    const isDrained = await connections.drain(settings.drain)
    // A request whose sender disconnected has no connection to wait for, but gets the same time.
    const late = delay(end - performance.now(), false, { ref: false })
    const isDone = isDrained && (await Promise.race([Promise.all(serving).then(() => true), late]))
    // The upstream's side first: claims are released before senders can see the end.
    await upstream.destroy()
    connections.destroy()
    await Promise.all(serving)
    server.close()
    await Promise.all([closeStore(), admin?.close()])
    return isDone
  }
  let closing: Promise<boolean> | undefined
  return {
    address: addressOf(server),
    admin: admin?.address,
    close() {
      closing ??= close()
      return closing
    }
  }
}

const startAdmin = async (settings: AdminSettings): Promise<Admin> =>
  (await import('./admin/admin.ts')).startAdmin(settings)

const listen = (server: Server, { host, port }: Address): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })

function addressOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo
  return authorityOf(address, port)
}

import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse
} from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { fromNodeRequest } from '../adapters/node.ts'
import type { HeaderLine } from '../adapters/proxy.ts'
import { readBody } from '../body/read.ts'
import { answerAndClose } from '../handlers/answer-and-close.ts'
import { releaseClaim } from '../handlers/handling.ts'
import { sendRefusal, validateDrainLimits } from '../handlers/send-refusal.ts'
import { isTurnOf, whenOver } from '../handlers/turns.ts'
import { createVerifier } from '../verify.ts'
import type { Exchange, UpstreamResult } from './exchange.ts'
import { createUpstream } from './forward.ts'
import { requestHeaders, verdictHeaders } from './forwarded-headers.ts'
import type { Address, GatewaySettings } from './options.ts'
import { connectReplayStore } from './replay-store.ts'

/** A gateway that listens. */
export interface Gateway {
  /** IP and port, the real one when 0 was asked for: `127.0.0.1:8080` */
  readonly address: string
  /** the same of the admin address */
  readonly admin: string | undefined
  /** Takes no new connection, lets running requests end, and then breaks off what is left. */
  close(): Promise<void>
}

const LIMITS: ServerOptions = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  // Longer than nginx keeps a connection to its upstream (60 s), so that it is nginx that closes it.
  keepAliveTimeout: 65_000
}

/**
 * Starts a gateway in this process.
 *
 * @param onExchange called once for each request that got a verdict, when it is over
 * @throws (rejects) when an address is taken, or the replay store out of reach
 */
export async function startGateway(
  settings: GatewaySettings,
  onExchange: (exchange: Exchange) => void = () => {}
): Promise<Gateway> {
  const { store, close: closeStore } = await connectReplayStore(settings.replay)
  const verify = createVerifier({ ...settings.verifier, ...(store && { replayStore: store }) })
  const upstream = createUpstream(settings.upstream, settings.upstreamTimeout)
  const drainLimits = validateDrainLimits({})
  const https = settings.https === undefined ? {} : { https: settings.https }
  const bodyLimits = { maxBodyBytes: settings.verifier.maxBodyBytes ?? 10_485_760, bodyTimeout: 30_000 }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const receivedAt = Date.now()
    const start = performance.now()
    if (!isForwardable(req)) return answerAndClose(res, 400, {}, drainLimits)
    if (!(await isTurnOf(req, res))) return

    const streamed = fromNodeRequest(req, https)
    // What is forwarded whatever the verdict has to be read whatever the verdict.
    const observed = settings.observe ? await readBody(streamed.body, bodyLimits) : undefined
    const received =
      observed === undefined ? streamed : { ...streamed, body: observed.ok ? observed.value : UNREAD }
    const verdict = await verify(received)

    const { method, target } = received
    const headers = received.headers as HeaderLine[]
    const body = verdict.status === 'verified' ? verdict.body : observed?.ok ? observed.value : undefined
    let result: UpstreamResult = 'not-asked'
    if (body !== undefined) {
      const covered = verdict.status === 'verified' ? verdict.coveredHeaders : []
      const outgoing = {
        method,
        target,
        headers: requestHeaders(headers, covered, verdictHeaders(verdict, settings.observe)),
        body
      }
      result = await upstream.forward(outgoing, res, () => releaseClaim(verify, verdict))
    } else if (observed?.ok === false) {
      answerAndClose(res, observed.code === 'body-too-large' ? 413 : 400, {}, drainLimits)
    } else if (verdict.status !== 'verified') sendRefusal(res, verdict)
    await whenOver(res)
    onExchange({
      receivedAt,
      duration: performance.now() - start,
      method,
      target,
      headers,
      https: received.https,
      verdict,
      status: res.headersSent ? res.statusCode : 0,
      upstream: result
    })
  }

  const listener = (req: IncomingMessage, res: ServerResponse) => {
    serve(req, res).catch(error => {
      console.error(error)
      answerAndClose(res, 500, {}, drainLimits)
    })
  }
  const server = settings.tls
    ? createHttpsServer({ ...LIMITS, ...settings.tls, handshakeTimeout: LIMITS.headersTimeout! }, listener)
    : createServer(LIMITS, listener)
  server.maxConnections = settings.maxConnections
  await listen(server, settings.listen)

  return {
    address: addressOf(server),
    admin: undefined,
    async close() {
      await new Promise<void>(resolve => {
        server.close(() => resolve())
      })
      upstream.destroy()
      await closeStore()
    }
  }
}

/** In place of a body that could not be read to its end: it is the verdict's `body-unreadable`. */
const UNREAD: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('the body was not read')) })
}

/**
 * Whether the target may go on as it is (RFC 9112 section 3.2): a path, `*` of OPTIONS, or a URL whose authority is
 * Host, as the next server takes one or the other for the host.
 */
function isForwardable({ url = '', method, rawHeaders }: IncomingMessage): boolean {
  if (url.startsWith('/')) return true
  if (url === '*') return method === 'OPTIONS'
  const [, scheme, authority] = /^(https?):\/\/([^/?#]+)/i.exec(url) ?? []
  if (scheme === undefined || authority === undefined) return false
  const port = scheme.toLowerCase() === 'https' ? /:443$/ : /:80$/
  const plain = (host: string) => host.toLowerCase().replace(port, '')
  const hosts = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === 'host')
  return hosts.length === 1 && plain(hosts[0]!) === plain(authority)
}

const listen = (server: Server, { host, port }: Address): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`
}

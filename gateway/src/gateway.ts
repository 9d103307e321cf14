import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse
} from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createVerifier, type ReplayStore, type VerifierOptions, type Verify } from 'signed-requests'
import { authorityOf } from './addresses.ts'
import type { Admin } from './admin/admin.ts'
import { answer, answerSocket } from './answer.ts'
import { type Connections, listen, trackConnections } from './connections.ts'
import type { Exchange, Malformed, NodeCode } from './exchange.ts'
import type { GatewaySettings } from './options/settings.ts'
import { type Connected, connectReplayStore, NO_CLAIMS } from './replay-store.ts'
import { noteAccounts } from './seen-accounts.ts'
import { createServe } from './serve.ts'
import { SERVER_TIMEOUTS } from './server-timeouts.ts'
import { watchStore } from './store-watch.ts'

type Recorder = NonNullable<VerifierOptions['recorder']>

export type Gateway = Awaited<ReturnType<typeof startGateway>>

const LIMITS = {
  maxHeaderSize: 16_384,
  ...SERVER_TIMEOUTS,
  // Longer than nginx keeps a connection to its upstream (60 s), so that nginx closes it.
  keepAliveTimeout: 65_000
} as const satisfies ServerOptions

/**
 * Starts a gateway in this process.
 *
 * @param onOver called once for everything that was answered, when it is over
 * @param note called with a line for the operator, such as that the replay store fails
 * @throws (rejects) when an address is in use, or the replay store cannot be reached
 */
export async function startGateway(
  settings: GatewaySettings,
  onOver: (exchange: Exchange | Malformed) => void = () => {},
  note: (line: string) => void = () => {}
) {
  const { tls, observe } = settings
  const seenAccounts = new Set<string>()
  let isReady = false
  let admin: Admin | undefined

  // Observing claims nothing: a receiver that is already running may use the same store.
  const replay: Connected = observe ? OBSERVED : await connectReplayStore(settings.replay)
  for (const finding of replay.findings) note(`warning: ${finding}`)
  const watch = watchStore(replay.store, note)
  const page = settings.admin && (await createPage(settings, settings.admin, replay.clock))
  const verify = createVerifierOf(settings, watch.store, seenAccounts, page?.recent)
  // Only now: what is loaded for it takes longer than all else, and --help, --check and authorize need none of it.
  const { createUpstream } = await import('./forward.ts')
  const upstream = createUpstream(settings.upstream, settings.upstreamTimeout)
  const serve = createServe(settings, verify, upstream)

  const end = (over: Exchange | Malformed) => {
    const exchange = watch.withError(over)
    onOver(exchange)
    admin?.record(exchange)
    void page?.clock.note(exchange)
  }
  const server = createListener(tls, (req, res) => {
    void connections.run(res, async waits => end(await serve(req, res, waits)))
  })
  const connections = trackConnections(server, tls !== undefined, settings.maxConnections)
  answerUnparsed(server, connections, end)

  /** Ends what is left. */
  async function abort(): Promise<void> {
    // The side of the upstream ends first: claims are released before senders can see the end.
    await upstream.destroy()
    connections.destroy()
    await connections.served()
    server.close()
    page?.clock.close()
    await Promise.all([replay.close(), admin?.close()])
  }

  // Before the address for requests, so that the metrics count every request.
  let address = authorityOf(settings.listen.host, settings.listen.port)
  try {
    if (page !== undefined) {
      const { startAdmin } = await import('./admin/admin.ts')
      const origin = () => `${tls ? 'https' : 'http'}://${address}`
      const live = { origin, seenAccounts, clockOffsets: page.clock.offsets, isReady: () => isReady }
      admin = await startAdmin({ ...settings, ...page, ...live })
    }
    address = await listen(server, settings.listen)
  } catch (error) {
    await abort()
    throw error
  }
  isReady = true
  let isClosed = false

  /** Answers 503 at /healthz, and closes each connection after its next response. New ones are still accepted. */
  function announceEnd(): void {
    isReady = false
    connections.announceEnd()
  }

  /** Takes no new connection, lets running requests end, and aborts what is left; true when nothing was left. */
  async function close(): Promise<boolean> {
    if (isClosed) return true
    isClosed = true
    isReady = false
    connections.drain()
    const isDone = await Promise.race([connections.served(), delay(settings.drain, false, { ref: false })])
    await abort()
    return isDone
  }
  // IP and port, the real one when 0 was asked for: `127.0.0.1:8080`
  return { address, admin: admin?.address, announceEnd, close }
}

const OBSERVED: Connected = { store: NO_CLAIMS, findings: [], close: async () => {} }

/** Makes what the page and the metrics need besides the requests themselves. */
async function createPage(
  { verifier }: GatewaySettings,
  admin: NonNullable<GatewaySettings['admin']>,
  storeClock: Connected['clock']
) {
  const [{ createRecent }, { watchClock }] = await Promise.all([import('./admin/recent.ts'), import('./clock.ts')])
  return { ...admin, recent: createRecent(admin.redact, verifier), clock: watchClock({ verifier, storeClock }) }
}

function createVerifierOf(
  { verifier }: GatewaySettings,
  replayStore: ReplayStore | undefined,
  seenAccounts: Set<string>,
  recorder: Recorder | undefined
): Verify {
  const { accounts } = verifier
  return createVerifier({
    ...verifier,
    ...(typeof accounts === 'function' && { accounts: noteAccounts(accounts, seenAccounts) }),
    ...(replayStore && { replayStore }),
    ...(recorder && { recorder })
  })
}

const createListener = (tls: GatewaySettings['tls'], listener: RequestListener): Server =>
  tls
    ? createHttpsServer({ ...LIMITS, ...tls, handshakeTimeout: LIMITS.headersTimeout }, listener)
    : createServer(LIMITS, listener)

/** Answers what Node.js does not pass on as a request. */
function answerUnparsed(server: Server, connections: Connections, end: (malformed: Malformed) => void): void {
  server.on('checkExpectation', (_req: IncomingMessage, res: ServerResponse) => {
    answer(res, 417, { isLast: true })
    end({ receivedAt: Date.now(), status: 417, upstream: 'malformed', reason: 'expectation' })
  })
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket: Socket) => {
    const status = statusOf(code)
    if (status === undefined || !socket.writable) return void socket.destroy()
    const last = connections.lastAnswer(socket)
    // A request whose body was cut off is over by itself, and counted then.
    const isCutOff = code === 'HPE_INVALID_EOF_STATE' && last?.req.complete === false
    if (!isCutOff) end({ receivedAt: Date.now(), status, upstream: 'malformed', reason: code as NodeCode })
    // The malformed bytes arrived behind a request that is whole, and that gets its answer.
    if (last?.req.complete) last.once('finish', () => socket.destroySoon())
    else if (last?.headersSent) socket.destroy()
    else answerSocket(socket, status)
  })
}

/**
 * Returns the status for bytes that Node.js could not parse, or that were late; undefined when nobody is there to get
 * one.
 */
function statusOf(code: string): number | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return 431
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 413
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408
  return code.startsWith('HPE_') ? 400 : undefined
}

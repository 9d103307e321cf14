import { once } from 'node:events'
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import {
  createVerifier,
  fromNodeRequest,
  type ReceivedRequest,
  type ReplayStore,
  refusalResponse
} from 'signed-requests'
import { listen } from './connections.ts'
import type { Exchange, HeaderLine, Malformed } from './exchange.ts'
import { grantHeaders, isConfusable } from './headers.ts'
import {
  addOptions,
  COMMON,
  type CommonSettings,
  checkedValues,
  commonSettings,
  type Row
} from './options.ts'
import { connectReplayStore } from './replay-store.ts'
import { asSigned } from './target.ts'

export interface AuthorizerSettings extends CommonSettings {
  /** where the original method, target and Host are: in the request that asks, or in its X-Forwarded-* headers */
  readonly from: 'as-is' | 'x-forwarded'
}

const OPTIONS: readonly Row[] = [
  [
    '--from <where>',
    'where the original method, target and Host are: as-is, in the request that asks (Envoy, nginx, APISIX); ' +
      'x-forwarded, in its X-Forwarded-* headers (Traefik); required',
    ['as-is', 'x-forwarded']
  ],
  ...COMMON,
  ['--replay', 'refuse repetitions: claim each request, in memory or in --redis or --postgres'],
  ['--redis <url>', 'with --replay: claim in Redis; not as an argument if it has a password'],
  ['--postgres <url>', 'with --replay: claim in PostgreSQL; the same applies']
]

/** Adds the options of `authorize` to its command. */
export const addAuthorizerOptions = (command: Command): Command =>
  addOptions(command, OPTIONS, { redis: ['postgres'] })

/** What its flags and variables give, as `settingsOf` of the gateway. */
export function authorizerSettingsOf(command: Command, env: NodeJS.ProcessEnv): AuthorizerSettings {
  const needed = ['from', 'domain', 'host', 'account']
  const { from, https, prefix, replay, redis, postgres, ...values } = checkedValues(command, env, needed)
  const unused = ['redis', 'postgres'].find(store => command.getOptionValueSource(store) === 'cli')
  if (!replay && unused !== undefined) {
    command.error(`--${unused} needs --replay: without it authorize claims nothing`)
  }
  if (from === 'x-forwarded' && (https === 'always' || prefix !== undefined)) {
    command.error('--from x-forwarded takes all from X-Forwarded-*: leave out --https always and --prefix')
  }
  // A variable alone may be for the gateway beside it.
  const store = replay ? { replay: 'memory', redis, postgres } : { replay: 'none' }
  return { from, ...commonSettings(command, { ...values, ...store, https, prefix }) }
}

export interface Authorizer {
  /** `127.0.0.1:9000` */
  readonly address: string
  /** Takes no new connection and lets running checks end; true when nothing was left. */
  close(): Promise<boolean>
}

const LIMITS = {
  // What the sender may send, and what the engine adds.
  maxHeaderSize: 32_768,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 1000,
  // Longer than engines keep a connection, so that it is they who close it.
  keepAliveTimeout: 120_000
}

/** Milliseconds for the rest of a body whose head was refused, so that the connection can stay open. */
const DRAIN_TIMEOUT = 5000

/** Without claims, so that Signed-Request-Id is there for the application to compare. */
const NO_CLAIMS: ReplayStore = { claim: async () => true, release: async () => {} }

/**
 * Answers proxies that ask before they forward: 200 for a verified request, and else 401, 413 or 503 without a body.
 *
 * @param onOver called once for each check, when it is over
 * @throws (rejects) when the address is in use, or the replay store cannot be reached
 */
export async function startAuthorizer(
  settings: AuthorizerSettings,
  onOver: (exchange: Exchange | Malformed) => void = () => {}
): Promise<Authorizer> {
  const { from, https, prefix, verifier, drain } = settings
  const { store = NO_CLAIMS, close: closeStore } = await connectReplayStore(settings.replay)
  const verify = createVerifier({ ...verifier, replayStore: store })
  const proxy = { https, prefix }
  const running = new Set<Promise<void>>()

  async function authorize(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const receivedAt = Date.now()
    const start = performance.now()
    // A cut body could be the beginning of another one, whose digest nobody has compared.
    if (req.headers['x-envoy-auth-partial-body'] === 'true') {
      await answer(res, 413, {})
      return onOver({ receivedAt, status: 413, upstream: 'malformed', reason: 'partial-body' })
    }
    const received = from === 'as-is' ? fromNodeRequest(req, proxy) : forwardedRequest(req)
    const verdict = await verify(received)
    const verdictMs = performance.now() - start
    const headers = received.headers as readonly HeaderLine[]
    if (verdict.status === 'verified') {
      // The application gets all of it as it came: the target must be the form that was signed, and no header another.
      const isSafe =
        asSigned({ ...received, headers }, verdict).target === received.target &&
        !isConfusable(headers, verdict)
      if (!isSafe) await verify.release(verdict)
      // All of them, always: a proxy overwrites what the sender wrote only by what comes back.
      const granted = { ...grantHeaders(verdict), 'Signed-Request-Verdict': verdict.status }
      await answer(res, isSafe ? 200 : 401, isSafe ? granted : {})
    } else {
      const { status, headers: given } = refusalResponse(verdict)
      const named = REFUSAL_HEADERS.map(name => [name, given.get(name) ?? undefined] as const)
      await answer(res, status, Object.fromEntries(named.filter(([, value]) => value !== undefined)))
    }
    const { method, target } = received
    const duration = performance.now() - start
    const status = res.headersSent ? res.statusCode : 0
    onOver({
      ...{ receivedAt, duration, verdictMs, method, target, headers, https: received.https, verdict, status },
      upstream: 'not-asked',
      ...(from === 'as-is' && isDescribed(req) && verdict.status !== 'verified' && { finding: DESCRIBED })
    })
  }

  const server = createServer(LIMITS, (req, res) => {
    const check = authorize(req, res)
      .catch(error => {
        console.error(error)
        res.destroy()
      })
      .finally(() => running.delete(check))
    running.add(check)
  })
  server.maxConnections = settings.maxConnections
  let address: string
  try {
    address = await listen(server, settings.listen)
  } catch (error) {
    await closeStore()
    throw error
  }
  return {
    address,
    async close() {
      server.close()
      server.closeIdleConnections()
      const late = delay(drain, false, { ref: false })
      const isDone = await Promise.race([Promise.all(running).then(() => true), late])
      server.closeAllConnections()
      await closeStore()
      return isDone
    }
  }
}

/**
 * The request that a proxy describes in its headers, such as `forwardAuth` of Traefik. Each datum has one source: a
 * header that is missing or repeated leaves it empty, and the request is refused as malformed.
 */
function forwardedRequest(req: IncomingMessage): ReceivedRequest {
  const only = (name: string): string => {
    const values = req.headersDistinct[name]
    return values?.length === 1 ? values[0]! : ''
  }
  return {
    ...fromNodeRequest(req, { https: 'x-forwarded-proto', host: 'x-forwarded-host' }),
    method: only('x-forwarded-method'),
    target: only('x-forwarded-uri')
  }
}

const DESCRIBED =
  'the request has another X-Forwarded-Method or -Uri: if Traefik asks, start authorize with --from x-forwarded'

/** Do its headers describe another request than itself? */
function isDescribed({ headers, method, url }: IncomingMessage): boolean {
  const { 'x-forwarded-method': original = method, 'x-forwarded-uri': target = url } = headers
  return original !== method || target !== url
}

/** In this case: Lua's table of a subrequest's headers tells it apart. */
const REFUSAL_HEADERS = ['WWW-Authenticate', 'Retry-After']

/** Answers without a body. The connection stays open where the request was read to its end: engines keep a few. */
async function answer(res: ServerResponse, status: number, headers: OutgoingHttpHeaders): Promise<void> {
  const { req } = res
  if (!req.complete && !req.destroyed) {
    req.resume()
    await once(req, 'end', { signal: AbortSignal.timeout(DRAIN_TIMEOUT) }).catch(() => {})
  }
  if (!req.complete) res.setHeader('Connection', 'close')
  res.writeHead(status, { ...headers, 'Content-Length': 0 }).end()
}

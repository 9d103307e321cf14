import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import { createVerifier, type VerifierOptions } from 'signed-requests'
import type { Values } from '../../../flags/flag.ts'
import { lookupFromFlags } from '../../../flags/lookup.ts'
import type { FlagValues } from '../../../flags/parse.ts'
import { SCHEMES } from '../../../flags/schemes.ts'
import { inFlags } from '../../../flags/table.ts'
import { runAll, UsageError } from '../../../flags/usage-error.ts'
import { variableOf } from '../../../flags/variables.ts'
import { messageIn, type OptionName } from '../../../src/internal/index.ts'
import { ANY_ACCOUNT } from '../seen-accounts.ts'
import { type CommonValues, GATEWAY, VERIFIER } from './flags.ts'
import type { Address } from './parse.ts'

export type DatabaseSetting = Readonly<{
  kind: 'sqlite' | 'redis' | 'postgres'
  url: string
  /** of Redis: how many replicas must have a claim */
  replicas?: number | undefined
}>

export type ReplaySetting = Readonly<{ kind: 'memory' | 'none' }> | DatabaseSetting

/** Settings of every command that verifies: validated, complete. */
export interface CommonSettings {
  readonly listen: Address
  /** as in the adapters; undefined: as the connection is */
  readonly https: boolean | 'x-forwarded-proto' | undefined
  /** as in the adapters: the part of the path that the proxy in front strips */
  readonly prefix: string | undefined
  /** without a replay store */
  readonly verifier: VerifierOptions
  readonly replay: ReplaySetting
  readonly log: 'json' | 'text'
  readonly maxConnections: number
  /** milliseconds from SIGTERM until `close`, in which connections are still accepted */
  readonly drainDelay: number
  /** milliseconds that running requests have to end at `close` */
  readonly drain: number
}

/** Settings that a gateway is started with. */
export interface GatewaySettings extends CommonSettings {
  /** http or https, without a path */
  readonly upstream: URL
  /** milliseconds until the answer begins, and between two parts of it */
  readonly upstreamTimeout: number
  /** PEM */
  readonly tls: { readonly key: string | Buffer; readonly cert: string | Buffer } | undefined
  /** the header with the id of a request for the log, in lower case */
  readonly requestId: string | undefined
  readonly observe: boolean
  /** from 400 to 599: the status that a sender gets instead of 401 or 413; never while observing */
  readonly refusalStatus: number | undefined
  /** the token is required for an address that is not a loopback one */
  readonly admin: { address: Address; token: string | undefined; redact: boolean } | undefined
}

/** Matches, for a host of --listen, the other hosts of --upstream that reach it. */
const OTHER_NAMES: Readonly<Record<string, RegExp>> = {
  '0.0.0.0': /^(?:127\..+|localhost)$/,
  '127.0.0.1': /^(?:0\.0\.0\.0|localhost)$/,
  '::': /^(?:::1|0\.0\.0\.0|127\..+|localhost)$/,
  '::1': /^(?:::|localhost)$/
}

const reaches = (upstream: string, listen: string): boolean =>
  upstream === listen || OTHER_NAMES[listen]?.test(upstream) === true

/**
 * Makes the settings from the flags and variables of the gateway.
 *
 * @throws UsageError, with a line for each mistake that names the flag and never shows a secret
 */
export function settingsOf({ values, sourceOf }: FlagValues<typeof GATEWAY>): GatewaySettings {
  const { upstreamTimeout, requestId, listen, observe = false } = values
  const accounts = values.accounts ?? ANY_ACCOUNT
  const [common, upstream, tls, replay, admin] = runAll(
    () => commonSettings({ ...values, accounts }),
    () => upstreamOf(values.upstream, listen),
    () => loadTls(values),
    () => replaySetting(values, sourceOf),
    () => adminOf(values)
  )
  const refusalStatus = observe ? undefined : values.refusalStatus
  return { ...common, refusalStatus, upstream, upstreamTimeout, requestId, observe, tls, replay, admin }
}

function adminOf({ admin, adminToken: token, redact = false }: Values<typeof GATEWAY>): GatewaySettings['admin'] {
  if (admin !== undefined && token === undefined && !/^(?:127\.|::1$)/.test(admin.host))
    throw new UsageError(`--admin on an address that is not loopback needs ${variableOf(GATEWAY.adminToken.flag)}`)
  return admin && { address: admin, token, redact }
}

function upstreamOf(text: string, listen: Address): URL {
  const upstream = parseUpstream(text)
  const port = upstream.port || (upstream.protocol === 'http:' ? 80 : 443)
  if (Number(port) === listen.port && reaches(upstream.hostname.replace(/[[\]]/g, ''), listen.host))
    throw new UsageError('--upstream is the gateway itself: it has the address of --listen')
  return upstream
}

function parseUpstream(text: string): URL {
  const upstream = URL.canParse(text) ? new URL(text) : undefined
  if (upstream && /^https?:$/.test(upstream.protocol) && upstream.href === `${upstream.origin}/`) return upstream
  const [, origin] = /^([\w.-]+:\d+)(?:\/.*)?$/.exec(text) ?? []
  const hint = origin ? `: write http://${origin}` : ''
  throw new UsageError(`--upstream must be an http or https URL without a path, a query or a password${hint}`)
}

type OptionValues = Omit<CommonValues, 'accounts'> & Pick<VerifierOptions, 'accounts'>

/** Makes the settings that the gateway and `authorize` have in common, without the replay store. */
export function commonSettings(values: OptionValues): Omit<CommonSettings, 'replay'> {
  const { listen, prefix, log, maxConnections, drainDelay, drain } = values
  const https =
    values.https && ({ always: true, 'x-forwarded-proto': 'x-forwarded-proto' } as const)[values.https as never]
  return { listen, https, prefix, verifier: verifierOptions(values), log, maxConnections, drainDelay, drain }
}

const VERIFIER_NAMES = Object.keys(VERIFIER) as (keyof typeof VERIFIER)[]
type VerifierValues = Pick<OptionValues, keyof typeof VERIFIER>

function verifierOptions(values: VerifierValues): VerifierOptions {
  const own = Object.fromEntries(VERIFIER_NAMES.map(name => [name, values[name]])) as unknown as VerifierValues
  const { https, schemes, servers, url, requireAuthenticated, ...others } = own
  try {
    const options: { readonly [N in OptionName]?: unknown } = {
      ...others,
      schemes: schemes?.map(name => SCHEMES[name]),
      requireHttps: https !== 'not-required',
      lookupTxt: lookupFromFlags({ servers, url, requireAuthenticated })
    }
    const verifier = options as unknown as VerifierOptions
    createVerifier(verifier)
    return verifier
  } catch (error) {
    throw new UsageError(...messageIn(error as Error, inFlags).split('\n'))
  }
}

function loadTls({ tlsKey, tlsCert }: Values<Pick<typeof GATEWAY, 'tlsKey' | 'tlsCert'>>): GatewaySettings['tls'] {
  if (tlsKey === undefined && tlsCert === undefined) return undefined
  if (tlsKey === undefined || tlsCert === undefined) throw new UsageError('--tls-key and --tls-cert need each other')
  try {
    const tls = { key: readFileSync(tlsKey), cert: readFileSync(tlsCert) }
    createSecureContext(tls)
    return tls
  } catch (error) {
    // The message of the error has the path, which may be the key itself by mistake.
    const { path, code } = error as NodeJS.ErrnoException
    if (path !== undefined)
      throw new UsageError(`${path === tlsKey ? '--tls-key' : '--tls-cert'} cannot be read: ${code}`)
    throw new UsageError('--tls-key and --tls-cert are not a private key and its certificate in PEM')
  }
}

const PROTOCOLS: Readonly<Record<'redis' | 'postgres', readonly string[]>> = {
  redis: ['redis:', 'rediss:'],
  postgres: ['postgres:', 'postgresql:']
}

/** Returns where claims are kept: in the database of one of the flags, or else as `replay` says. */
export function replaySetting(
  {
    replay,
    sqlite,
    redis,
    redisReplicas: replicas,
    postgres
  }: Values<Pick<typeof GATEWAY, 'replay' | 'sqlite' | 'redis' | 'redisReplicas' | 'postgres'>>,
  sourceOf: FlagValues<typeof GATEWAY>['sourceOf']
): ReplaySetting {
  if (replicas !== undefined && redis === undefined) throw new UsageError('--redis-replicas needs --redis')
  if (sqlite !== undefined) return { kind: 'sqlite', url: validateSqlite(sqlite) }
  const text = redis ?? postgres
  if (text === undefined) return { kind: replay }
  const kind = redis === undefined ? 'postgres' : 'redis'
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !PROTOCOLS[kind].includes(url.protocol)) {
    const hint = /^[\w.-]+(?=[:/])(?::\d+)?(?:\/\w+)?$/.test(text) ? `: write ${kind}://${text}` : ''
    throw new UsageError(`--${kind} must be a ${kind}: URL${hint}`)
  }
  if ((url.password !== '' || /pass/i.test(url.search)) && sourceOf(kind) === 'flag')
    throw new UsageError(`--${kind} has a password, which other users can see: set ${variableOf(kind)}`)
  return { kind, url: text, ...(replicas !== undefined && { replicas }) }
}

/** Validates the path of an SQLite file. The file is created at the start, but not its folder. */
function validateSqlite(file: string): string {
  if (process.getBuiltinModule('node:sqlite') === undefined)
    throw new UsageError('--sqlite needs Node.js 22.13 or later')
  // The value may be the URL of another database by mistake, so it is not shown.
  if (!statSync(dirname(resolve(file)), { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError('--sqlite: its folder does not exist: make it, and let the gateway write there')
  return file
}

import { readFileSync } from 'node:fs'
import { isIPv4, isIPv6 } from 'node:net'
import { createSecureContext } from 'node:tls'
import { Command, type CommanderError, InvalidArgumentError, Option, type OptionValues } from 'commander'
import { createVerifier, dnsTxtLookup, draftCavage, type VerifierOptions } from 'signed-requests'
import { rfc9421 } from 'signed-requests/rfc9421'

/** The address to listen on; port 0 is a free one. */
export type Address = Readonly<{ host: string; port: number }>

export type ReplaySetting = Readonly<
  { kind: 'memory' | 'none' } | { kind: 'redis' | 'postgres'; url: string }
>

/** What every command that verifies is started with: validated, complete. */
export interface CommonSettings {
  readonly listen: Address
  /** as in the adapters; undefined: as the connection is */
  readonly https: boolean | 'x-forwarded-proto' | undefined
  /** as in the adapters: what the proxy in front strips from the path */
  readonly prefix: string | undefined
  /** without a replay store */
  readonly verifier: VerifierOptions
  readonly replay: ReplaySetting
  readonly log: 'json' | 'text'
  readonly maxConnections: number
  /** milliseconds that running requests have to end at `close` */
  readonly drain: number
}

/** What a gateway is started with. */
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
  /** the token is required for an address that is not a loopback one */
  readonly admin: { address: Address; token: string | undefined; redact: boolean } | undefined
}

const list = (text: string, others: readonly string[] = []): string[] => [
  ...others,
  ...text.split(',').map(part => part.trim())
]

const parsed =
  <T>(what: string, parse: (text: string) => T | undefined) =>
  (text: string): T => {
    const value = parse(text)
    if (value === undefined) throw new InvalidArgumentError(`It must be ${what}.`)
    return value
  }

/** 2 ** 31 - 1 is as many milliseconds as a timer can wait. */
const wholeNumber = (unit: string, min: number, max = 2 ** 31 - 1) =>
  parsed(`a whole number${unit}, from ${min} to ${max}`, text =>
    /^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined
  )
const milliseconds = (min: number) => wholeNumber(' of milliseconds, such as 5000 for 5 s', min)
const bytes = wholeNumber(' of bytes, such as 1048576 for 1 MiB', 0, 2 ** 30)

const ADDRESS = 'an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080'
const address = parsed(ADDRESS, (text): Address | undefined => {
  const [, v6 = '', v4 = '', port] = /^(?:\[(.+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
  const isAddress = (isIPv6(v6) || isIPv4(v4)) && Number(port) < 2 ** 16
  return isAddress ? { host: v6 || v4, port: Number(port) } : undefined
})
const PREFIX = /^(?:\/|(?:\/(?!\.{1,2}(?:\/|$))[\w\-.~!$&'()*+,;=:@%]+)+\/?|x-forwarded-prefix)$/
const prefix = parsed('a path, such as /hooks, or x-forwarded-prefix', text => PREFIX.exec(text)?.[0])
const NAME = /^[!#$%&'*+.^_`|~\w-]+$/
const name = parsed('the name of a header, such as X-Request-ID', text => NAME.exec(text)?.[0].toLowerCase())

const SCHEMES = new Map(Object.entries({ 'draft-cavage': draftCavage, rfc9421 }))
const schemes = (text: string, others: readonly (typeof draftCavage)[] = []) => {
  const found = list(text).map(each => SCHEMES.get(each))
  if (found.includes(undefined)) throw new InvalidArgumentError('It must be draft-cavage or rfc9421.')
  return [...others, ...found]
}

type Rule = readonly string[] | ((text: string, previous: never) => unknown)

/** A flag, its line in --help, what its value may be, and what it is when it is not given. */
export type Row = readonly [flag: string, about: string, rule?: Rule, preset?: unknown]

/** The flags of the library's options, with the same names as in the commands of `signed-requests`. */
export const VERIFIER: Readonly<Record<string, Row>> = {
  serviceDomain: ['--domain <name>', "the service's domain, which keys must be under; required"],
  hosts: ['--host <name>', 'a host name of the receiver; required, may be repeated', list],
  accounts: ['--account <id>', 'an account id to accept; required, may be repeated', list],
  accountHeader: ['--account-header <name>', 'the header that carries the account (default: X-Service-ID)'],
  accountPrefix: ['--account-prefix <text>', 'the text before the account id in it (default: account-)'],
  schemes: ['--scheme <name>', 'draft-cavage (default) or rfc9421; may be repeated', schemes],
  algorithms: ['--algorithm <name>', 'one to accept; may be repeated (default: rsa-sha256)', list],
  maxBodyBytes: ['--max-body <bytes>', 'the largest body (default: 10485760)', bytes],
  servers: ['--dns-server <ip:port>', "may be repeated (default: the system's)", list]
}

/** What every command that verifies needs. */
export const COMMON: readonly Row[] = [
  ...Object.values(VERIFIER),
  [
    '--https <what>',
    'without --tls-key: x-forwarded-proto trusts that header of the proxy in front; always: everything ' +
      'arrives over TLS; not-required: plain HTTP is accepted',
    ['x-forwarded-proto', 'always', 'not-required']
  ],
  ['--prefix <path>', 'what the proxy in front strips, or x-forwarded-prefix', prefix],
  ['--listen <ip:port>', 'where to listen (default: 127.0.0.1:8080)', address, address('127.0.0.1:8080')],
  ['--log <form>', 'json (default), or text, which explains refusals', ['json', 'text'], 'json'],
  ['--max-connections <n>', 'at once (default: 1000)', wholeNumber('', 1, 1_000_000), 1000],
  ['--drain <ms>', 'for running requests after SIGTERM (default: 10000)', milliseconds(0), 10_000]
]

const GATEWAY: readonly Row[] = [
  ['--upstream <url>', 'where verified requests go, such as http://127.0.0.1:9000; required'],
  ...COMMON,
  ['--tls-key <file>', 'serve HTTPS with this private key, PEM'],
  ['--tls-cert <file>', 'and this certificate with its chain, PEM'],
  ['--replay <where>', 'remember requests in memory (default), or none', ['memory', 'none'], 'memory'],
  ['--redis <url>', 'or in Redis; not as an argument if it has a password'],
  ['--postgres <url>', 'or in PostgreSQL; the same applies'],
  ['--observe', 'forward every request, marked with its verdict: nothing is refused'],
  ['--request-id <name>', 'log the id in this header of the proxy in front', name],
  ['--admin <ip:port>', 'serve /healthz, /metrics and the page here', address],
  ['--redact', 'show no bodies and no headers that are not signed on the page'],
  ['--upstream-timeout <ms>', 'until an answer begins, or goes on (default: 30000)', milliseconds(1), 30_000]
]

/** The host of --listen and that of --upstream, where the one is reached at the other. */
const OWN =
  /^(?:(.+) \1|(?:0\.0\.0\.0|127\.0\.0\.1|::) (?:0\.0\.0\.0|127\.0\.0\.1|localhost)|::1? (?:::1?|localhost))$/

/** The flags that each excludes. */
const CONFLICTS = { 'tls-key': ['https'], redis: ['replay', 'postgres'], postgres: ['replay'] }

const ENV = 'SIGNED_REQUESTS_'
const TOKEN = `${ENV}ADMIN_TOKEN`

/** What Kubernetes sets for a Service `signed-requests` or `signed-requests-gateway`. */
const KUBERNETES = /_(?:SERVICE_HOST|PORT)(?:_|$)/
const SERVICE = ': if Kubernetes sets it for a Service, set enableServiceLinks: false'

/** Adds flags that may also be environment variables: `--max-body` and `SIGNED_REQUESTS_MAX_BODY`. */
export function addOptions(
  command: Command,
  rows = GATEWAY,
  conflicts: Record<string, string[]> = CONFLICTS
): Command {
  for (const [flag, about, rule, preset] of rows) {
    const made = new Option(flag, about).default(preset)
    made.conflicts(conflicts[made.name()] ?? [])
    if (typeof rule === 'function') made.argParser(rule as (text: string) => unknown)
    else if (rule !== undefined) made.choices(rule)
    command.addOption(made.env(ENV + made.name().toUpperCase().replaceAll('-', '_')))
  }
  return command.option('--check', 'only check the options')
}

type Env = Readonly<Record<string, string | undefined>>

/**
 * The settings that the flags and variables of a command give.
 *
 * @throws by `command.error()`, in one line that names the flag and never shows a secret
 */
export function settingsOf(command: Command, env: Env): GatewaySettings {
  const values = checkedValues(command, env, ['upstream', 'domain', 'host', 'account'])
  const { admin, upstreamTimeout, requestId, observe = false, redact = false } = values
  if (admin !== undefined && env[TOKEN] === undefined && !/^(?:127\.|::1$)/.test(admin.host)) {
    command.error(`--admin on an address that is not loopback needs ${TOKEN}`)
  }
  const upstream = URL.canParse(values['upstream']) ? new URL(values['upstream']) : undefined
  if (!upstream || !/^https?:$/.test(upstream.protocol) || upstream.href !== `${upstream.origin}/`) {
    const [, origin] = /^([\w.-]+:\d+)(?:\/.*)?$/.exec(values['upstream']) ?? []
    const hint = origin ? `: write http://${origin}` : ''
    command.error(`--upstream must be an http or https URL without a path, a query or a password${hint}`)
  }
  const port = upstream.port || (upstream.protocol === 'http:' ? 80 : 443)
  const hosts = `${values['listen'].host} ${upstream.hostname.replace(/[[\]]/g, '')}`
  if (Number(port) === values['listen'].port && OWN.test(hosts)) {
    command.error('--upstream is the gateway itself: it has the address of --listen')
  }
  return {
    ...commonSettings(command, values),
    ...{ upstream, upstreamTimeout, requestId, observe, tls: loadTls(command, values) },
    admin: admin && { address: admin, token: env[TOKEN], redact }
  }
}

/** What commander takes a misspelled variable for: ` (did you mean SIGNED_REQUESTS_DOMAIN?)`. */
function hintOf(variable: string, options: readonly Option[]): string {
  const names = new Command().exitOverride().configureOutput({ writeErr: () => {} })
  for (const { envVar } of options) if (envVar !== undefined) names.option(`--${envVar.slice(ENV.length)}`)
  let meant: string | undefined = variable.slice(ENV.length).toUpperCase()
  try {
    names.parse([`--${meant}`], { from: 'user' })
  } catch (error) {
    meant = /Did you mean .*?--(\w+)/.exec((error as CommanderError).message)?.[1]
  }
  return meant ? ` (did you mean ${ENV}${meant}?)` : ''
}

/** What was given. A misspelled variable is a mistake, as a misspelled flag is, and so is a missing flag. */
export function checkedValues(command: Command, env: Env, needed: readonly string[]): OptionValues {
  // Those of the gateway beside it are no mistake for authorize.
  const ofGateway = addOptions(new Command()).options
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith(ENV)) continue
    const option = command.options.find(({ envVar }) => envVar === variable)
    if (option === undefined && variable !== TOKEN && !ofGateway.some(({ envVar }) => envVar === variable)) {
      const hint = KUBERNETES.test(variable) ? SERVICE : hintOf(variable, command.options)
      command.error(`there is no environment variable ${variable}${hint}; see --help`)
    }
    if (value === '') command.error(`${variable} is empty: set it, or unset it`)
    if (!option?.isBoolean() || command.getOptionValueSource(option.attributeName()) !== 'env') continue
    if (value !== 'true' && value !== 'false') command.error(`${variable} must be true or false`)
    command.setOptionValue(option.attributeName(), value === 'true')
  }
  const missing = needed.filter(flag => command.getOptionValue(flag) === undefined)
  if (missing.length > 0) command.error(`--${missing.join(', --')} must be given; see --help`)
  return command.opts()
}

export function commonSettings(command: Command, values: OptionValues): CommonSettings {
  const { listen, prefix, log, maxConnections, drain } = values
  const https = { always: true, 'x-forwarded-proto': 'x-forwarded-proto' }[values['https'] as string]
  const verifier = verifierOptions(command, values)
  const replay = replaySetting(command, values)
  return { listen, https, prefix, verifier, replay, log, maxConnections, drain } as CommonSettings
}

function verifierOptions(command: Command, values: OptionValues): VerifierOptions {
  const entries = Object.entries(VERIFIER).map(([option, [flag]]) => [option, new Option(flag)] as const)
  const given = entries.map(([option, flag]) => [option, values[flag.attributeName()]])
  const { servers, ...options } = Object.fromEntries(given)
  try {
    const requireHttps = values['https'] !== 'not-required'
    const verifier = { ...options, requireHttps, ...(servers && { lookupTxt: dnsTxtLookup({ servers }) }) }
    createVerifier(verifier)
    return verifier
  } catch (error) {
    const flags = new Map(entries.map(([option, flag]) => [option, flag.long]))
    const inFlags = (words: string, option: string) => flags.get(option) ?? words
    return command.error((error as Error).message.replace(/(?:options\.)?\b([a-zA-Z]+)\b/g, inFlags))
  }
}

function loadTls(command: Command, { tlsKey, tlsCert }: OptionValues): GatewaySettings['tls'] {
  if (tlsKey === undefined && tlsCert === undefined) return undefined
  if (tlsKey === undefined || tlsCert === undefined) command.error('--tls-key and --tls-cert need each other')
  try {
    const tls = { key: readFileSync(tlsKey), cert: readFileSync(tlsCert) }
    createSecureContext(tls)
    return tls
  } catch (error) {
    const { path, message } = error as NodeJS.ErrnoException
    if (path !== undefined) command.error(`${path === tlsKey ? '--tls-key' : '--tls-cert'}: ${message}`)
    return command.error('--tls-key and --tls-cert are not a private key and its certificate in PEM')
  }
}

function replaySetting(command: Command, { replay, redis, postgres }: OptionValues): ReplaySetting {
  const text: string | undefined = redis ?? postgres
  if (text === undefined) return { kind: replay }
  const kind = redis === undefined ? 'postgres' : 'redis'
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^(?:redis:rediss?|postgres:postgres(?:ql)?):$/.test(`${kind}:${url.protocol}`)) {
    const hint = /^[\w.-]+(?=[:/])(?::\d+)?(?:\/\w+)?$/.test(text) ? `: write ${kind}://${text}` : ''
    command.error(`--${kind} must be a ${kind}: URL${hint}`)
  }
  if ((url.password !== '' || /pass/i.test(url.search)) && command.getOptionValueSource(kind) === 'cli') {
    const variable = ENV + kind.toUpperCase()
    command.error(`--${kind} has a password, which other users can see: set ${variable}`)
  }
  return { kind, url: text }
}

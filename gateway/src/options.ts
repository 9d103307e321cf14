import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { createVerifier, dnsTxtLookup, draftCavage, type VerifierOptions } from 'signed-requests'
import { rfc9421 } from 'signed-requests/rfc9421'
import type { AuthorizerSettings } from './authorize.ts'
import type { Address, GatewaySettings, ReplaySetting } from './settings.ts'

const PREFIX = 'SIGNED_REQUESTS_'
const TOKEN_VARIABLE = `${PREFIX}ADMIN_TOKEN`

/** A mistake in the options, in one line that never shows a secret. */
export class UsageError extends Error {}

interface Rules {
  parse?: (text: string, previous: never) => unknown
  choices?: readonly string[]
  conflicts?: string[]
}

/** A flag that may also be an environment variable: `--max-body` and `SIGNED_REQUESTS_MAX_BODY`. */
function option(flags: string, about: string, { parse, choices, conflicts = [] }: Rules = {}): Option {
  const made = new Option(flags, about).conflicts(conflicts)
  if (parse !== undefined) made.argParser(parse as (text: string) => unknown)
  if (choices !== undefined) made.choices(choices)
  return made.env(variableOf(made.name()))
}

const variableOf = (name: string): string => PREFIX + name.toUpperCase().replaceAll('-', '_')

const list = (text: string, others: readonly string[] = []): string[] => [
  ...others,
  ...text.split(',').map(part => part.trim())
]

/** A number; 2 ** 31 - 1 is as many milliseconds as a timer can wait. */
const wholeNumber = (min: number, max = 2 ** 31 - 1) =>
  matching(/^\d{1,10}$/, `a whole number from ${min} to ${max}`, text => {
    const value = Number(text)
    return value >= min && value <= max ? value : undefined
  })

const address = matching(
  /^(?:\[[^\]]+\]|[^:]+):\d{1,5}$/,
  'an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080',
  (text): Address | undefined => {
    const host = text.slice(0, text.lastIndexOf(':'))
    const port = Number(text.slice(host.length + 1))
    const bare = host.replace(/^\[|\]$/g, '')
    return isIP(bare) === (bare === host ? 4 : 6) && port < 2 ** 16 ? { host: bare, port } : undefined
  }
)
const prefix = matching(/^(?:\/[!-~]*|x-forwarded-prefix)$/, 'a path, such as /hooks, or x-forwarded-prefix')
const name = matching(/^[!#$%&'*+.^_`|~\w-]+$/, 'the name of a header, such as X-Request-ID')

function matching<T = string>(
  pattern: RegExp,
  what: string,
  convert: (text: string) => T | undefined = text => text as T
) {
  return (text: string): T => {
    const value = pattern.test(text) ? convert(text) : undefined
    if (value === undefined) throw new InvalidArgumentError(`It must be ${what}.`)
    return value
  }
}

/** What every command that verifies needs, with the same names as in the commands of `signed-requests`. */
const VERIFIER_OPTIONS: readonly Option[] = [
  option('--domain <name>', "the service's domain, which keys must be under; required"),
  option('--host <name>', 'a host name of the receiver; required, may be repeated', { parse: list }),
  option('--account <id>', 'an account id to accept; required, may be repeated', { parse: list }),
  option('--account-header <name>', 'the header that carries the account (default: X-Service-ID)'),
  option('--account-prefix <text>', 'the text before the account id in it (default: account-)'),
  option('--scheme <name>', 'draft-cavage (default) or rfc9421; may be repeated', { parse: list }),
  option('--algorithm <name>', 'one to accept; may be repeated (default: rsa-sha256)', { parse: list }),
  option('--dns-server <ip:port>', "may be repeated (default: the system's)", { parse: list }),
  option(
    '--https <what>',
    'without --tls-key: x-forwarded-proto trusts that header of the proxy in front; always: everything ' +
      'arrives over TLS; not-required: plain HTTP is accepted',
    { choices: ['x-forwarded-proto', 'always', 'not-required'] }
  ),
  option('--prefix <path>', 'what the proxy in front strips, or x-forwarded-prefix', { parse: prefix }),
  option('--max-body <bytes>', 'the largest body (default: 10485760)', { parse: wholeNumber(0, 2 ** 30) })
]

const GATEWAY_OPTIONS: readonly Option[] = [
  option('--upstream <url>', 'where verified requests go, such as http://127.0.0.1:9000; required'),
  ...VERIFIER_OPTIONS,
  option('--listen <ip:port>', 'where to listen (default: 127.0.0.1:8080)', { parse: address }),
  option('--tls-key <file>', 'serve HTTPS with this private key, PEM', { conflicts: ['https'] }),
  option('--tls-cert <file>', 'and this certificate with its chain, PEM'),
  option('--replay <where>', 'remember requests in memory (default), or none', {
    choices: ['memory', 'none']
  }),
  option('--redis <url>', 'or in Redis; not as an argument if it has a password', {
    conflicts: ['replay', 'postgres']
  }),
  option('--postgres <url>', 'or in PostgreSQL; the same applies', { conflicts: ['replay'] }),
  option('--observe', 'forward every request, marked with its verdict: nothing is refused'),
  option('--log <form>', 'json (default), or text, which explains refusals', { choices: ['json', 'text'] }),
  option('--request-id <name>', 'log the id in this header of the proxy in front', { parse: name }),
  option('--admin <ip:port>', 'serve /healthz, /metrics and the page here', { parse: address }),
  option('--redact', 'show no bodies and no headers that are not signed on the page'),
  option('--max-connections <n>', 'at once (default: 1000)', { parse: wholeNumber(1, 1_000_000) }),
  option('--upstream-timeout <ms>', 'until an answer begins, or goes on (default: 30000)', {
    parse: wholeNumber(1)
  }),
  option('--drain <ms>', 'for running requests after SIGTERM (default: 10000)', { parse: wholeNumber(0) })
]

/** Adds the gateway's options to a command. */
export function addGatewayOptions(command: Command): Command {
  for (const each of GATEWAY_OPTIONS) command.addOption(each)
  return command.option('--check', 'only check the options')
}

const AUTHORIZE_OPTIONS: readonly Option[] = [
  option(
    '--from <where>',
    'where the original method, target and Host are: as-is, in the request that asks (Envoy, nginx, APISIX); ' +
      'x-forwarded, in its X-Forwarded-* headers (Traefik); required',
    { choices: ['as-is', 'x-forwarded'] }
  ),
  ...VERIFIER_OPTIONS,
  option('--replay', 'refuse repetitions: claim each request, in memory or in --redis or --postgres'),
  option('--redis <url>', 'claim in Redis; not as an argument if it has a password', {
    conflicts: ['postgres']
  }),
  option('--postgres <url>', 'claim in PostgreSQL; the same applies'),
  ...GATEWAY_OPTIONS.filter(({ long = '' }) => /^--(?:listen|log|max-connections|drain)$/.test(long))
]

/** Adds the options of `authorize` to a command. */
export function addAuthorizeOptions(command: Command): Command {
  for (const each of AUTHORIZE_OPTIONS) command.addOption(each)
  return command.option('--check', 'only check the options')
}

type Env = Readonly<Record<string, string | undefined>>

/**
 * The settings that the flags and variables of a command give. A misspelled variable is a mistake, as a misspelled flag
 * is.
 *
 * @throws UsageError, in one line that names the flag
 */
export function settingsOf(command: Command, env: Env): GatewaySettings {
  const values = command.opts()
  const isOn = checkGiven(command, env, ['upstream', 'domain', 'host', 'account'])
  const { admin } = values
  const token = env[TOKEN_VARIABLE]
  if (admin !== undefined && token === undefined && !/^(?:127\.|::1$)/.test(admin.host)) {
    throw new UsageError(`--admin on an address that is not loopback needs ${TOKEN_VARIABLE}`)
  }
  return {
    ...sharedSettings(values),
    upstream: upstreamUrl(values['upstream']),
    upstreamTimeout: values['upstreamTimeout'] ?? 30_000,
    tls: loadTls(values['tlsKey'], values['tlsCert']),
    requestId: values['requestId']?.toLowerCase(),
    replay: replaySetting(command),
    observe: isOn('observe'),
    admin: admin && { address: admin, token, redact: isOn('redact') }
  }
}

/**
 * The same of `authorize`.
 *
 * @throws UsageError, in one line that names the flag
 */
export function authorizerSettingsOf(
  command: Command,
  env: Env
): AuthorizerSettings & Pick<GatewaySettings, 'log'> {
  const values = command.opts()
  const isOn = checkGiven(command, env, ['from', 'domain', 'host', 'account'])
  const { from, https, prefix, redis, postgres } = values
  if (from === 'x-forwarded' && (https === 'always' || prefix !== undefined)) {
    throw new UsageError(
      '--from x-forwarded takes all from X-Forwarded-*: leave out --https always and --prefix'
    )
  }
  const isClaiming = isOn('replay') || redis !== undefined || postgres !== undefined
  return { from, ...sharedSettings(values), replay: isClaiming ? replaySetting(command) : { kind: 'none' } }
}

/** Checks the variables, and that nothing is missing. The result reads a flag without a value: true or false. */
function checkGiven(command: Command, env: Env, needed: readonly string[]): (flag: string) => boolean {
  const known = new Set([...command.options.map(each => each.envVar), TOKEN_VARIABLE])
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith(PREFIX)) continue
    if (!known.has(variable)) throw new UsageError(`there is no environment variable ${variable}; see --help`)
    if (value === '') throw new UsageError(`${variable} is empty: set it, or unset it`)
  }
  const values = command.opts()
  const missing = needed.filter(flag => values[flag] === undefined)
  if (missing.length > 0) throw new UsageError(`--${missing.join(', --')} must be given; see --help`)
  return flag => {
    const value =
      command.getOptionValueSource(flag) === 'env' ? env[variableOf(flag)] : `${values[flag] === true}`
    if (value === 'true' || value === 'false') return value === 'true'
    throw new UsageError(`${variableOf(flag)} must be true or false`)
  }
}

function sharedSettings(values: ReturnType<Command['opts']>) {
  const { https } = values
  return {
    listen: (values['listen'] ?? { host: '127.0.0.1', port: 8080 }) as Address,
    https:
      https === 'always' ? true : https === 'x-forwarded-proto' ? ('x-forwarded-proto' as const) : undefined,
    prefix: values['prefix'] as string | undefined,
    verifier: verifierOptions(values),
    log: (values['log'] ?? 'json') as 'json' | 'text',
    maxConnections: (values['maxConnections'] ?? 1000) as number,
    drain: (values['drain'] ?? 10_000) as number
  }
}

const SCHEMES: Readonly<Record<string, typeof draftCavage>> = { 'draft-cavage': draftCavage, rfc9421 }

/** The options of the library, and the flags that its messages mean. */
const FLAGS: Readonly<Record<string, string>> = {
  serviceDomain: 'domain',
  hosts: 'host',
  accounts: 'account',
  accountHeader: 'account-header',
  accountPrefix: 'account-prefix',
  schemes: 'scheme',
  algorithms: 'algorithm',
  servers: 'dns-server'
}

function verifierOptions(values: ReturnType<Command['opts']>): VerifierOptions {
  const schemes: string[] | undefined = values['scheme']
  if (schemes?.some(scheme => !Object.hasOwn(SCHEMES, scheme))) {
    throw new UsageError(`--scheme must be ${Object.keys(SCHEMES).join(' or ')}`)
  }
  const given = {
    accountHeader: values['accountHeader'],
    accountPrefix: values['accountPrefix'],
    schemes: schemes?.map(scheme => SCHEMES[scheme]!),
    algorithms: values['algorithm'],
    maxBodyBytes: values['maxBody']
  }
  try {
    const servers = values['dnsServer']
    const options: VerifierOptions = {
      serviceDomain: values['domain'],
      hosts: values['host'],
      accounts: values['account'],
      requireHttps: values['https'] !== 'not-required',
      ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
      ...(servers && { lookupTxt: dnsTxtLookup({ servers }) })
    }
    createVerifier(options)
    return options
  } catch (error) {
    const inFlags = (words: string, option: string) => (FLAGS[option] ? `--${FLAGS[option]}` : words)
    throw new UsageError((error as Error).message.replace(/(?:options\.)?\b([a-zA-Z]+)\b/g, inFlags))
  }
}

function upstreamUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url
  throw new UsageError('--upstream must be an http or https URL without a path, a query or a password')
}

function loadTls(key: string | undefined, cert: string | undefined): GatewaySettings['tls'] {
  if (key === undefined && cert === undefined) return undefined
  if (key === undefined || cert === undefined)
    throw new UsageError('--tls-key and --tls-cert need each other')
  try {
    const tls = { key: readFileSync(key), cert: readFileSync(cert) }
    createSecureContext(tls)
    return tls
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException
    if (path !== undefined) throw new UsageError(`cannot read ${path}: ${code}`)
    throw new UsageError(`${key} and ${cert} are not a private key and its certificate in PEM`)
  }
}

const PROTOCOLS = { redis: /^rediss?:$/, postgres: /^postgres(?:ql)?:$/ } as const

function replaySetting(command: Command): ReplaySetting {
  const { replay = 'memory', redis, postgres } = command.opts()
  if (redis === undefined && postgres === undefined) return { kind: replay === 'none' ? 'none' : 'memory' }
  const kind = redis === undefined ? 'postgres' : 'redis'
  const text: string = redis ?? postgres
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !PROTOCOLS[kind].test(url.protocol)) {
    throw new UsageError(`--${kind} must be a ${kind}: URL`)
  }
  const isSecret = url.password !== '' || /pass/i.test(url.search)
  if (isSecret && command.getOptionValueSource(kind) === 'cli') {
    throw new UsageError(`--${kind} has a password, which other users can see: set ${variableOf(kind)}`)
  }
  return { kind, url: text }
}

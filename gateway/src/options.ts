import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { createVerifier, dnsTxtLookup, draftCavage, type VerifierOptions } from 'signed-requests'
import { rfc9421 } from 'signed-requests/rfc9421'
import type { Address, GatewaySettings, ReplaySetting } from './settings.ts'

const PREFIX = 'SIGNED_REQUESTS_'
const TOKEN_VARIABLE = `${PREFIX}ADMIN_TOKEN`

type Env = Readonly<Record<string, string | undefined>>

/** A mistake in the options, in one line that never shows a secret. */
export class UsageError extends Error {}

/** A flag that may also be an environment variable: `--max-body` and `SIGNED_REQUESTS_MAX_BODY`. */
function option(flags: string, about: string): Option {
  const made = new Option(flags, about)
  return made.env(variableOf(made.name()))
}

const variableOf = (name: string): string => PREFIX + name.toUpperCase().replaceAll('-', '_')

const list = (text: string, others: readonly string[] = []): string[] => [
  ...others,
  ...text.split(',').map(part => part.trim())
]

const wholeNumber = (min: number, max: number) => (text: string) => {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : -1
  if (value >= min && value <= max) return value
  throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
}

function address(text: string): Address {
  const [, v6, v4, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
  const host = v6 ?? v4 ?? ''
  if (isIP(host) === (v6 === undefined ? 4 : 6) && Number(port) < 2 ** 16) return { host, port: Number(port) }
  throw new InvalidArgumentError('It must be an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080.')
}

function prefix(text: string): string {
  if (text === 'x-forwarded-prefix' || /^\/[!-~]*$/.test(text)) return text
  throw new InvalidArgumentError('It must be a path, such as /hooks, or x-forwarded-prefix.')
}

function headerName(text: string): string {
  if (/^[!#$%&'*+.^_`|~\w-]+$/.test(text)) return text.toLowerCase()
  throw new InvalidArgumentError('It must be the name of a header, such as X-Request-ID.')
}

const SCHEMES = { 'draft-cavage': draftCavage, rfc9421 }

function schemes(text: string, others: readonly string[] = []): string[] {
  const names = list(text, others)
  if (names.every(name => Object.hasOwn(SCHEMES, name))) return names
  throw new InvalidArgumentError(`It must be ${Object.keys(SCHEMES).join(' or ')}.`)
}

/** A timer can wait for as long. */
const MAX_MS = 2 ** 31 - 1

/** What every command that verifies needs, with the same names as in the commands of `signed-requests`. */
const VERIFIER_OPTIONS: readonly Option[] = [
  option('--domain <name>', "the service's domain, which keys must be under; required"),
  option('--host <name>', 'a host name of the receiver; required, may be repeated').argParser(list),
  option('--account <id>', 'an account id to accept; required, may be repeated').argParser(list),
  option('--account-header <name>', 'the header that carries the account (default: X-Service-ID)'),
  option('--account-prefix <text>', 'the text before the account id in it (default: account-)'),
  option(
    '--scheme <name>',
    'accept draft-cavage or rfc9421; may be repeated (default: draft-cavage)'
  ).argParser(schemes),
  option('--algorithm <name>', 'an algorithm to accept; may be repeated (default: rsa-sha256)').argParser(
    list
  ),
  option('--dns-server <ip:port>', "ask this DNS server; may be repeated (default: the system's)").argParser(
    list
  ),
  option(
    '--https <what>',
    'without --tls-key: x-forwarded-proto trusts that header of the proxy in front; always: everything arrives over TLS; not-required: plain HTTP is accepted'
  ).choices(['x-forwarded-proto', 'always', 'not-required']),
  option('--prefix <path>', 'the path that the proxy in front strips, or x-forwarded-prefix').argParser(
    prefix
  ),
  option('--max-body <bytes>', 'the largest body')
    .argParser(wholeNumber(0, 2 ** 30))
    .default(10_485_760)
]

const GATEWAY_OPTIONS: readonly Option[] = [
  option('--upstream <url>', 'where verified requests go, such as http://127.0.0.1:9000; required'),
  ...VERIFIER_OPTIONS,
  option('--listen <ip:port>', 'where to listen for requests')
    .argParser(address)
    .default({ host: '127.0.0.1', port: 8080 }, '127.0.0.1:8080'),
  option('--tls-key <file>', 'serve HTTPS with this private key, PEM').conflicts('https'),
  option('--tls-cert <file>', 'and this certificate with its chain, PEM'),
  option('--replay <where>', 'remember requests in memory, or none (default: memory)').choices([
    'memory',
    'none'
  ]),
  option('--redis <url>', 'remember them in Redis; not as an argument if it has a password').conflicts([
    'replay',
    'postgres'
  ]),
  option('--postgres <url>', 'remember them in PostgreSQL; the same applies').conflicts('replay'),
  option('--observe', 'forward every request, marked with its verdict: nothing is refused'),
  option('--log <form>', 'json, or text, which explains refusals').choices(['json', 'text']).default('json'),
  option('--request-id <name>', 'log the id in this header of the proxy in front').argParser(headerName),
  option('--admin <ip:port>', 'serve /healthz, /metrics and the page here').argParser(address),
  option('--redact', 'show no bodies and no headers that are not signed on the page'),
  option('--max-connections <n>', 'connections at once').argParser(wholeNumber(1, 1_000_000)).default(1000),
  option('--upstream-timeout <ms>', 'how long the upstream may take to begin its answer, or pause in it')
    .argParser(wholeNumber(1, MAX_MS))
    .default(30_000),
  option('--drain <ms>', 'how long running requests may take after SIGTERM')
    .argParser(wholeNumber(0, MAX_MS))
    .default(10_000)
]

/** Adds the gateway's options to a command. */
export function addGatewayOptions(command: Command): Command {
  for (const each of GATEWAY_OPTIONS) command.addOption(each)
  return command.option('--check', 'only check the options')
}

type Values = Readonly<Record<string, unknown>>

/** What is only true or false has no value as a flag, and `true` or `false` as a variable. */
const SWITCHES = ['observe', 'redact'] as const

/**
 * Checks the variables that a command does not read: a misspelled one is a mistake, as a misspelled flag is.
 *
 * @throws UsageError
 */
export function checkVariables(command: Command, env: Env): void {
  const known = new Set([...command.options.map(each => each.envVar), TOKEN_VARIABLE])
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(PREFIX)) continue
    if (!known.has(name)) throw new UsageError(`there is no environment variable ${name}; see --help`)
    if (value === '') throw new UsageError(`${name} is empty: set it, or unset it`)
  }
}

/**
 * The settings that the flags and variables of a command give.
 *
 * @throws UsageError, in one line that names the flag
 */
export function settingsOf(command: Command, env: Env): GatewaySettings {
  const values: Values = command.opts()
  const text = (name: string) => values[name] as string | undefined
  const missing = ['upstream', 'domain', 'host', 'account'].filter(name => values[name] === undefined)
  if (missing.length > 0) {
    throw new UsageError(`${missing.map(name => `--${name}`).join(', ')} must be given; see --help`)
  }
  const isOn = (name: (typeof SWITCHES)[number]): boolean => {
    const value =
      command.getOptionValueSource(name) === 'env' ? env[variableOf(name)] : String(values[name] ?? false)
    if (value === 'true' || value === 'false') return value === 'true'
    throw new UsageError(`${variableOf(name)} must be true or false`)
  }
  const admin = values['admin'] as Address | undefined
  const token = env[TOKEN_VARIABLE]
  if (admin !== undefined && token === undefined && !/^(?:127\.|::1$)/.test(admin.host)) {
    throw new UsageError(`--admin on an address that is not loopback needs ${TOKEN_VARIABLE}`)
  }
  const https = text('https')
  return {
    listen: values['listen'] as Address,
    upstream: upstreamUrl(text('upstream')!),
    upstreamTimeout: values['upstreamTimeout'] as number,
    tls: tlsFiles(text('tlsKey'), text('tlsCert')),
    https: https === 'always' ? true : https === 'x-forwarded-proto' ? https : undefined,
    prefix: text('prefix'),
    requestId: text('requestId'),
    verifier: verifierOptions(values),
    replay: replaySetting(command),
    observe: isOn('observe'),
    log: values['log'] as 'json' | 'text',
    admin: admin && { address: admin, token, redact: isOn('redact') },
    maxConnections: values['maxConnections'] as number,
    drain: values['drain'] as number
  }
}

/** The names of options in messages of the library. */
const FLAGS: Readonly<Record<string, string>> = {
  serviceDomain: '--domain',
  hosts: '--host',
  accounts: '--account',
  accountHeader: '--account-header',
  accountPrefix: '--account-prefix',
  schemes: '--scheme',
  algorithms: '--algorithm',
  servers: '--dns-server'
}

function verifierOptions(values: Values): VerifierOptions {
  const given = {
    accountHeader: values['accountHeader'],
    accountPrefix: values['accountPrefix'],
    schemes: (values['scheme'] as (keyof typeof SCHEMES)[] | undefined)?.map(name => SCHEMES[name]),
    algorithms: values['algorithm']
  }
  try {
    const servers = values['dnsServer'] as string[] | undefined
    const options = {
      serviceDomain: values['domain'],
      hosts: values['host'],
      accounts: values['account'],
      requireHttps: values['https'] !== 'not-required',
      maxBodyBytes: values['maxBody'],
      ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
      ...(servers && { lookupTxt: dnsTxtLookup({ servers }) })
    } as VerifierOptions
    createVerifier(options)
    return options
  } catch (error) {
    const named = (error as Error).message.replace(
      /(?:options\.)?\b([a-zA-Z]+)\b/g,
      (words, name) => FLAGS[name] ?? words
    )
    throw new UsageError(named)
  }
}

function upstreamUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url
  throw new UsageError(
    '--upstream must be an http or https URL without a path, a query or a password: targets are forwarded unchanged'
  )
}

function tlsFiles(key: string | undefined, cert: string | undefined): GatewaySettings['tls'] {
  if (key === undefined && cert === undefined) return undefined
  if (key === undefined) throw new UsageError('--tls-cert needs --tls-key')
  if (cert === undefined) throw new UsageError('--tls-key needs --tls-cert')
  const load = (file: string): Buffer => {
    try {
      return readFileSync(file)
    } catch (error) {
      throw new UsageError(`cannot read ${file}: ${(error as NodeJS.ErrnoException).code}`)
    }
  }
  const tls = { key: load(key), cert: load(cert) }
  try {
    createSecureContext(tls)
  } catch {
    throw new UsageError(`${key} and ${cert} are not a private key and its certificate in PEM`)
  }
  return tls
}

function replaySetting(command: Command): ReplaySetting {
  const { replay = 'memory', redis, postgres } = command.opts()
  const kind = redis === undefined ? 'postgres' : 'redis'
  const text: string | undefined = redis ?? postgres
  if (text === undefined) return { kind: replay }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (
    url === undefined ||
    !/^(?:rediss?|postgres|postgresql):$/.test(url.protocol) ||
    !url.protocol.startsWith(kind)
  ) {
    throw new UsageError(`--${kind} must be a ${kind}: URL`)
  }
  const isSecret = url.password !== '' || /pass/i.test(url.search)
  if (isSecret && command.getOptionValueSource(kind) === 'cli') {
    throw new UsageError(
      `--${kind} with a password: other users of the machine can see arguments, so set ${variableOf(kind)}`
    )
  }
  return { kind, url: text }
}

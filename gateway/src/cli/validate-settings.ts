import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import { schemesOf } from '../../../src/cli/common-options.ts'
import { UsageError } from '../../../src/cli/usage.ts'
import { dnsTxtLookup } from '../../../src/key/dns.ts'
import { isLoopback } from '../../../src/options/hosts.ts'
import type { VerifierOptions } from '../../../src/options/options.ts'
import { createVerifier } from '../../../src/verify.ts'
import type { Address, GatewaySettings, ReplaySetting } from '../settings.ts'
import { GATEWAY_NUMBERS } from './flags.ts'
import type { GivenOptions } from './given-options.ts'

/**
 * @throws UsageError for a mistake, in one line that names where the option was given and never shows a secret
 * @throws TypeError for what `createVerifier` refuses
 */
export function validateSettings(given: GivenOptions): GatewaySettings {
  const text = (name: string) => given.get(name)?.value as string | undefined
  const list = (name: string) => given.get(name)?.value as string[] | undefined
  const required = <T>(value: T | undefined, name: string, what: string): T => {
    if (value === undefined) throw new UsageError(`--${name} is missing: ${what}`)
    return value
  }
  const oneOf = <T extends string>(name: string, allowed: readonly T[]): T | undefined => {
    const option = given.get(name)
    if (option === undefined || allowed.includes(option.value as T)) return option?.value as T | undefined
    throw new UsageError(`${option.where} must be one of ${allowed.join(', ')}`)
  }
  const number = (name: keyof typeof GATEWAY_NUMBERS): number => {
    const [byDefault, least, most] = GATEWAY_NUMBERS[name]
    const option = given.get(name)
    if (option === undefined) return byDefault
    const value = /^\d{1,10}$/.test(option.value as string) ? Number(option.value) : -1
    if (value >= least && value <= most) return value
    throw new UsageError(`${option.where} must be a whole number from ${least} to ${most}`)
  }

  const upstream = upstreamUrl(required(given.get('upstream'), 'upstream', 'where verified requests go'))
  const https = oneOf('https', ['x-forwarded-proto', 'always', 'not-required'])
  const tls = tlsFiles(text('tls-key'), text('tls-cert'))
  if (tls !== undefined && https !== undefined) {
    throw new UsageError('--https is for a proxy in front that ends TLS: leave it out with --tls-key')
  }
  const servers = list('dns-server')
  const verifier: VerifierOptions = {
    serviceDomain: required(text('domain'), 'domain', "the service's domain"),
    hosts: required(list('host'), 'host', 'the host name of the receiver'),
    accounts: required(list('account'), 'account', 'the account id to accept'),
    requireHttps: https !== 'not-required',
    maxBodyBytes: number('max-body'),
    ...defined({
      accountHeader: text('account-header'),
      accountPrefix: text('account-prefix'),
      schemes: given.has('scheme') ? schemesOf(list('scheme')!) : undefined,
      algorithms: list('algorithm') as VerifierOptions['algorithms'],
      lookupTxt: servers && dnsTxtLookup({ servers })
    })
  }
  createVerifier(verifier)

  const replay = replaySetting(given, oneOf('replay', ['memory', 'none']))
  const listen = given.get('listen')
  const admin = given.get('admin')
  return {
    listen: listen === undefined ? { host: '127.0.0.1', port: 8080 } : address(listen),
    upstream,
    upstreamTimeout: number('upstream-timeout'),
    tls,
    https: https === 'always' ? true : https === 'not-required' ? undefined : https,
    verifier,
    replay,
    observe: given.get('observe')?.value === true,
    log: oneOf('log', ['json', 'text']) ?? 'json',
    admin: admin && adminSetting(address(admin), text('admin-token'), given.get('redact')?.value === true),
    maxConnections: number('max-connections'),
    drain: number('drain')
  }
}

type Given = NonNullable<ReturnType<GivenOptions['get']>>

function address({ value, where }: Given): Address {
  const [, v6, v4, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(value as string) ?? []
  const host = v6 ?? v4 ?? ''
  if (isIP(host) === (v6 === undefined ? 4 : 6) && Number(port) < 2 ** 16) return { host, port: Number(port) }
  throw new UsageError(`${where} must be an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080`)
}

function adminSetting(at: Address, token: string | undefined, redact: boolean) {
  const isLocal = isLoopback(isIP(at.host) === 6 ? `[${at.host}]` : at.host)
  if (!isLocal && token === undefined) {
    throw new UsageError('--admin on an address that is not loopback needs SIGNED_REQUESTS_ADMIN_TOKEN')
  }
  return { address: at, token, redact }
}

function upstreamUrl({ value, where }: Given): URL {
  const url = URL.canParse(value as string) ? new URL(value as string) : undefined
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  if (isOrigin) return url
  throw new UsageError(
    `${where} must be an http or https URL without a path, a query or a password: targets are forwarded unchanged`
  )
}

function tlsFiles(key: string | undefined, cert: string | undefined): GatewaySettings['tls'] {
  if (key === undefined && cert === undefined) return undefined
  if (key === undefined) throw new UsageError('--tls-cert needs --tls-key')
  if (cert === undefined) throw new UsageError('--tls-key needs --tls-cert')
  const tls = { key: loadPem(key), cert: loadPem(cert) }
  try {
    createSecureContext(tls)
  } catch {
    throw new UsageError(`${key} and ${cert} are not a private key and its certificate in PEM`)
  }
  return tls
}

function loadPem(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${(error as NodeJS.ErrnoException).code}`)
  }
}

const PROTOCOLS = { redis: /^rediss?:$/, postgres: /^postgres(?:ql)?:$/ } as const

function replaySetting(given: GivenOptions, replay: 'memory' | 'none' | undefined): ReplaySetting {
  const kinds = (['redis', 'postgres'] as const).filter(kind => given.has(kind))
  if (kinds.length + (replay === undefined ? 0 : 1) > 1) {
    throw new UsageError('only one of --redis, --postgres and --replay can be given')
  }
  const [kind] = kinds
  if (kind === undefined) return { kind: replay ?? 'memory' }
  const { value, where, isArgument } = given.get(kind)!
  const url = URL.canParse(value as string) ? new URL(value as string) : undefined
  if (url === undefined || !PROTOCOLS[kind].test(url.protocol)) {
    throw new UsageError(`${where} is not a ${kind}: URL`)
  }
  if (isArgument && (url.password !== '' || /pass/i.test(url.search))) {
    throw new UsageError(
      `${where} with a password: other users of the machine can see arguments, so set SIGNED_REQUESTS_${kind.toUpperCase()}`
    )
  }
  return { kind, url: value as string }
}

/** Without the properties that are undefined. */
const defined = <T extends object>(options: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never

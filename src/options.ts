import { isToken } from './headers/fields.ts'
import { dnsTxtLookup, type LookupTxt } from './key/dns.ts'
import { RSA_BITS } from './key/import.ts'
import { normalizeName } from './key/name.ts'
import type { ReplayStore } from './replay/store.ts'
import type { SchemeName } from './schemes/scheme.ts'
import { type Algorithm, SCHEME_ALGORITHMS } from './signature/algorithms.ts'

/** Account ids to accept: one, several, or a function that decides. */
export type Accounts = string | readonly string[] | ((id: string) => boolean | Promise<boolean>)

export interface VerifierOptions {
  /** keyId must be a subdomain of it, not the domain itself */
  serviceDomain: string
  /** the receiver's own host names: `name` means the default port, `name:8443` that port */
  hosts: string | readonly string[]
  /** the account ids to accept, without the prefix; a function that throws or rejects makes the verdict unavailable */
  accounts: Accounts
  /** the header that carries the account, under the service's brand; `X-Service-ID` by default */
  accountHeader?: string
  /** what stands before the account id; `account-` by default */
  accountPrefix?: string
  /** true by default */
  requireHttps?: boolean
  /** seconds that Date, created and expires may be from now, either way; 300 by default */
  dateTolerance?: number
  /**
   * The standards to judge by; `['draft-cavage']` by default. A request with Signature-Input is judged by `rfc9421` where
   * that is allowed, and by nothing else. It is loaded then; when its files are not there, `verify` rejects.
   */
  schemes?: readonly SchemeName[]
  /** `rsa-sha256` for the draft by default, and for RFC 9421 `rsa-v1_5-sha256`, `rsa-pss-sha512` and `ed25519` */
  algorithms?: readonly Algorithm[]
  /** names that must be signed besides those that always must; none by default */
  alsoCovered?: readonly string[]
  /** 1024 by default (RFC 8301) */
  minRsaBits?: number
  /** 8192 by default */
  maxRsaBits?: number
  /** 10485760 by default, for a streamed or a given body */
  maxBodyBytes?: number
  /** `dnsTxtLookup()` by default */
  lookupTxt?: LookupTxt
  /** milliseconds; 5000 by default, however the resolver behaves */
  lookupTimeout?: number
  /** where accepted requests are remembered; none by default */
  replayStore?: ReplayStore
  /** milliseconds that the replay store may take; 1000 by default */
  replayTimeout?: number
  /** the clock, in milliseconds since 1970; `Date.now` by default */
  now?: () => number
}

/** The options as the checks want them: complete, validated, and prepared once. */
export interface Settings {
  serviceDomain: string
  hosts: readonly string[]
  /** every spelling of Host that is ours */
  acceptedHosts: ReadonlySet<string>
  accepts: (id: string) => boolean | Promise<boolean>
  accountHeader: string
  accountPrefix: string
  requireHttps: boolean
  dateTolerance: number
  schemes: ReadonlySet<SchemeName>
  algorithms: Readonly<Record<SchemeName, ReadonlySet<Algorithm>>>
  /** in lower case, as the draft names them */
  requiredCoverage: readonly string[]
  alsoCovered: readonly string[]
  minRsaBits: number
  maxRsaBits: number
  maxBodyBytes: number
  lookupTxt: LookupTxt
  lookupTimeout: number
  replayStore: ReplayStore | undefined
  replayTimeout: number
  now: () => number
}

const OPTION_NAMES: ReadonlySet<string> = new Set<keyof VerifierOptions>([
  'serviceDomain',
  'hosts',
  'accounts',
  'accountHeader',
  'accountPrefix',
  'requireHttps',
  'dateTolerance',
  'schemes',
  'algorithms',
  'alsoCovered',
  'minRsaBits',
  'maxRsaBits',
  'maxBodyBytes',
  'lookupTxt',
  'lookupTimeout',
  'replayStore',
  'replayTimeout',
  'now'
])

/** Throws a TypeError for a bad option; a misspelt one must not silently turn a check off. */
export function readOptions(options: VerifierOptions): Settings {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('createVerifier() takes options: { serviceDomain, hosts, accounts, … }')
  }
  for (const name of Object.keys(options)) {
    if (!OPTION_NAMES.has(name)) throw new TypeError(`there is no option ${JSON.stringify(name)}`)
  }

  const requireHttps = options.requireHttps ?? true
  if (typeof requireHttps !== 'boolean') throw new TypeError('requireHttps must be true or false')
  const hosts = readHosts(options.hosts)
  const accountHeader = readHeaderName(options.accountHeader ?? 'X-Service-ID', 'accountHeader')
  const accountPrefix = options.accountPrefix ?? 'account-'
  if (typeof accountPrefix !== 'string')
    throw new TypeError('accountPrefix must be a string, such as "account-"')
  const minRsaBits = readNumber(options.minRsaBits, RSA_BITS.min, 'minRsaBits', 'a positive number of bits')
  const maxRsaBits = readNumber(options.maxRsaBits, RSA_BITS.max, 'maxRsaBits', 'a positive number of bits')
  if (minRsaBits > maxRsaBits) throw new TypeError('minRsaBits must not be above maxRsaBits')
  const schemes = readSchemes(options.schemes ?? ['draft-cavage'])
  const alsoCovered = readAlsoCovered(options.alsoCovered ?? [])

  return {
    serviceDomain: readDomain(options.serviceDomain),
    hosts,
    acceptedHosts: new Set(hosts.flatMap(host => hostSpellings(host, requireHttps))),
    accepts: readAccounts(options.accounts),
    accountHeader,
    accountPrefix,
    requireHttps,
    dateTolerance: readNumber(options.dateTolerance, 300, 'dateTolerance', 'a number of seconds', 0),
    schemes,
    algorithms: readAlgorithms(options.algorithms, schemes),
    requiredCoverage: [
      ...new Set(['(request-target)', 'host', 'date', accountHeader, 'digest', ...alsoCovered])
    ],
    alsoCovered,
    minRsaBits,
    maxRsaBits,
    maxBodyBytes: readNumber(options.maxBodyBytes, 10_485_760, 'maxBodyBytes', 'a number of bytes', 0),
    lookupTxt: readFunction(
      options.lookupTxt ?? dnsTxtLookup(),
      'lookupTxt',
      '(name, { signal }) => Promise<string[][]>'
    ),
    lookupTimeout: readTimeout(options.lookupTimeout, 5000, 'lookupTimeout'),
    replayStore: readReplayStore(options.replayStore),
    replayTimeout: readTimeout(options.replayTimeout, 1000, 'replayTimeout'),
    now: readFunction(options.now ?? Date.now, 'now', '() => milliseconds')
  }
}

function readDomain(domain: unknown): string {
  const name = typeof domain === 'string' ? normalizeName(domain) : undefined
  if (name === undefined) throw new TypeError('serviceDomain must be a DNS name, such as "service.example"')
  return name
}

/** uri-host with an optional port (RFC 3986 section 3.2.2): a name, an IPv4 address or an IPv6 literal in brackets. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/

export const isHost = (host: unknown): host is string =>
  typeof host === 'string' && HOST.test(host.toLowerCase())

function readHosts(hosts: unknown): string[] {
  const list = typeof hosts === 'string' ? [hosts] : hosts
  if (!Array.isArray(list) || list.length === 0 || !list.every(isHost)) {
    throw new TypeError(
      'hosts must name this receiver as senders do: "hooks.example.com" or "hooks.example.com:8443"'
    )
  }
  return list.map(host => host.toLowerCase())
}

/** A default port may be written or left out: 443, and 80 where HTTPS is not required. */
function hostSpellings(host: string, requireHttps: boolean): string[] {
  const port = /:(\d+)$/.exec(host)?.[1]
  const name = port === undefined ? host : host.slice(0, -port.length - 1)
  const defaults = requireHttps ? ['443'] : ['443', '80']
  if (port !== undefined && !defaults.includes(port)) return [host]
  return [name, ...defaults.map(each => `${name}:${each}`)]
}

function readAccounts(accounts: unknown): Settings['accepts'] {
  if (typeof accounts === 'function') return accounts as Settings['accepts']
  const list = typeof accounts === 'string' ? [accounts] : accounts
  const isId = (id: unknown): id is string => typeof id === 'string' && id !== ''
  if (!Array.isArray(list) || list.length === 0 || !list.every(isId)) {
    throw new TypeError('accounts must be an account id, an array of them, or a function (id) => boolean')
  }
  const ids: ReadonlySet<string> = new Set(list)
  return id => ids.has(id)
}

function readSchemes(schemes: unknown): ReadonlySet<SchemeName> {
  const isScheme = (name: unknown): name is SchemeName =>
    typeof name === 'string' && Object.hasOwn(SCHEME_ALGORITHMS, name)
  if (!Array.isArray(schemes) || schemes.length === 0 || !schemes.every(isScheme)) {
    throw new TypeError(`schemes must be an array of ${Object.keys(SCHEME_ALGORITHMS).join(', ')}`)
  }
  return new Set(schemes)
}

/** The specification of the service names one; RFC 9421 leaves the choice to key and signature. */
const DEFAULT_ALGORITHMS: Settings['algorithms'] = {
  'draft-cavage': new Set(['rsa-sha256']),
  rfc9421: new Set(SCHEME_ALGORITHMS.rfc9421)
}

function readAlgorithms(algorithms: unknown, schemes: ReadonlySet<SchemeName>): Settings['algorithms'] {
  if (algorithms === undefined) return DEFAULT_ALGORITHMS
  const known: ReadonlySet<unknown> = new Set(Object.values(SCHEME_ALGORITHMS).flat())
  if (!Array.isArray(algorithms) || !algorithms.every(name => known.has(name))) {
    throw new TypeError(`algorithms must be an array of ${[...known].join(', ')}`)
  }
  for (const scheme of schemes) {
    const own: readonly Algorithm[] = SCHEME_ALGORITHMS[scheme]
    if (!own.some(name => algorithms.includes(name))) {
      throw new TypeError(`algorithms has none for ${scheme}: add one of ${own.join(', ')}`)
    }
  }
  const ofScheme = (scheme: SchemeName): ReadonlySet<Algorithm> =>
    new Set(algorithms.filter(name => (SCHEME_ALGORITHMS[scheme] as readonly Algorithm[]).includes(name)))
  return { 'draft-cavage': ofScheme('draft-cavage'), rfc9421: ofScheme('rfc9421') }
}

function readAlsoCovered(alsoCovered: unknown): string[] {
  if (!Array.isArray(alsoCovered)) throw new TypeError('alsoCovered must be an array of header names')
  return alsoCovered.map(name =>
    name === '(created)' || name === '(expires)' ? name : readHeaderName(name, 'alsoCovered')
  )
}

function readHeaderName(name: unknown, option: string): string {
  if (typeof name !== 'string' || !isToken(name)) throw new TypeError(`${option} must be a header name`)
  return name.toLowerCase()
}

function readReplayStore(store: unknown): ReplayStore | undefined {
  if (store === undefined) return undefined
  const { claim, release } = (store ?? {}) as Partial<ReplayStore>
  if (typeof claim !== 'function' || typeof release !== 'function') {
    throw new TypeError(
      'replayStore must have claim(id, ttlSeconds) and release(id), as memoryReplayStore() has'
    )
  }
  return store as ReplayStore
}

function readFunction<F>(value: F, option: string, shape: string): F {
  if (typeof value !== 'function') throw new TypeError(`${option} must be a function ${shape}`)
  return value
}

function readNumber(value: unknown, byDefault: number, option: string, what: string, least = 1): number {
  if (value === undefined) return byDefault
  if (typeof value !== 'number' || !Number.isFinite(value) || value < least) {
    throw new TypeError(`${option} must be ${what}, at least ${least}`)
  }
  return value
}

/** The longest delay that a timer can wait; a longer one would fire at once. */
const LONGEST_DELAY = 2 ** 31 - 1

function readTimeout(value: unknown, byDefault: number, option: string): number {
  const timeout = readNumber(value, byDefault, option, 'a number of milliseconds')
  if (timeout > LONGEST_DELAY) throw new TypeError(`${option} must be at most ${LONGEST_DELAY} milliseconds`)
  return timeout
}

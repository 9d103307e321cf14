import { isToken } from './headers/fields.ts'
import { normalizeName } from './key/name.ts'
import type { ReplayStore } from './replay/store.ts'
import type { SchemeName } from './schemes/scheme.ts'
import type { Settings } from './settings.ts'
import { type Algorithm, SCHEME_ALGORITHMS } from './signature/algorithms.ts'

// One function per kind of option: each throws a TypeError that says what to pass instead.

export function readDomain(domain: unknown): string {
  const name = typeof domain === 'string' ? normalizeName(domain) : undefined
  if (name === undefined) throw new TypeError('serviceDomain must be a DNS name, such as "service.example"')
  return name
}

/** uri-host with an optional port (RFC 3986 section 3.2.2): a name, an IPv4 address or an IPv6 literal in brackets. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/

export const isHost = (host: unknown): host is string =>
  typeof host === 'string' && HOST.test(host.toLowerCase())

export function readHosts(hosts: unknown): string[] {
  const list = typeof hosts === 'string' ? [hosts] : hosts
  if (!Array.isArray(list) || list.length === 0 || !list.every(isHost)) {
    throw new TypeError(
      'hosts must name this receiver as senders do: "hooks.example.com" or "hooks.example.com:8443"'
    )
  }
  return list.map(host => host.toLowerCase())
}

/** A default port may be written or left out: 443, and 80 where HTTPS is not required. */
export function hostSpellings(host: string, requireHttps: boolean): string[] {
  const port = /:(\d+)$/.exec(host)?.[1]
  const name = port === undefined ? host : host.slice(0, -port.length - 1)
  const defaults = requireHttps ? ['443'] : ['443', '80']
  if (port !== undefined && !defaults.includes(port)) return [host]
  return [name, ...defaults.map(each => `${name}:${each}`)]
}

export function readAccounts(accounts: unknown): Settings['accepts'] {
  if (typeof accounts === 'function') return accounts as Settings['accepts']
  const list = typeof accounts === 'string' ? [accounts] : accounts
  const isId = (id: unknown): id is string => typeof id === 'string' && id !== ''
  if (!Array.isArray(list) || list.length === 0 || !list.every(isId)) {
    throw new TypeError('accounts must be an account id, an array of them, or a function (id) => boolean')
  }
  const ids: ReadonlySet<string> = new Set(list)
  return id => ids.has(id)
}

export function readSchemes(schemes: unknown): ReadonlySet<SchemeName> {
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

export function readAlgorithms(
  algorithms: unknown,
  schemes: ReadonlySet<SchemeName>
): Settings['algorithms'] {
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

export function readAlsoCovered(alsoCovered: unknown): string[] {
  if (!Array.isArray(alsoCovered)) throw new TypeError('alsoCovered must be an array of header names')
  return alsoCovered.map(name =>
    name === '(created)' || name === '(expires)' ? name : readHeaderName(name, 'alsoCovered')
  )
}

export function readHeaderName(name: unknown, option: string): string {
  if (typeof name !== 'string' || !isToken(name)) throw new TypeError(`${option} must be a header name`)
  return name.toLowerCase()
}

export function readReplayStore(store: unknown): ReplayStore | undefined {
  if (store === undefined) return undefined
  const { claim, release } = (store ?? {}) as Partial<ReplayStore>
  if (typeof claim !== 'function' || typeof release !== 'function') {
    throw new TypeError(
      'replayStore must have claim(id, ttlSeconds) and release(id), as memoryReplayStore() has'
    )
  }
  return store as ReplayStore
}

export function readFunction<F>(value: F, option: string, shape: string): F {
  if (typeof value !== 'function') throw new TypeError(`${option} must be a function ${shape}`)
  return value
}

export function readNumber(
  value: unknown,
  byDefault: number,
  option: string,
  what: string,
  least = 1
): number {
  if (value === undefined) return byDefault
  if (typeof value !== 'number' || !Number.isFinite(value) || value < least) {
    throw new TypeError(`${option} must be ${what}, at least ${least}`)
  }
  return value
}

/** The longest delay that a timer can wait; a longer one would fire at once. */
const LONGEST_DELAY = 2 ** 31 - 1

export function readTimeout(value: unknown, byDefault: number, option: string): number {
  const timeout = readNumber(value, byDefault, option, 'a number of milliseconds')
  if (timeout > LONGEST_DELAY) throw new TypeError(`${option} must be at most ${LONGEST_DELAY} milliseconds`)
  return timeout
}

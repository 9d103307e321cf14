import { CDN_HEADERS } from '../http/cdn.ts'
import type { Fields } from '../http/fields.ts'
import { normalizeHost } from '../http/uri.ts'
import { memoizeWeak } from '../memo.ts'
import type { Settings } from '../options/options.ts'
import type { ExpectedList } from '../result/evidence.ts'
import { fail, ok, type Result } from '../result/result.ts'
import type { Context } from './context.ts'
import { expectedOf, MAX_EXPECTED } from './expected.ts'

/** Checked before lower-casing: the Kelvin sign becomes a k. */
const VISIBLE_ASCII = /^[\x21-\x7e]*$/

/** A Host exists and is the receiver's: a request signed for another receiver is refused (RFC 9110 section 7.2). */
export function checkHost(context: Context): Result<true> {
  const { fields, settings } = context
  const received = fields.values.get('host')
  const isRepeated = fields.repeated.has('host')
  if (received !== undefined && !isRepeated && isOurs(received, settings)) return ok(true)

  const evidence = { ...expectedHosts(settings, received), ...hostEvidence(context) }
  if (received === undefined) return fail('host-missing', evidence)
  if (isRepeated) return fail('host-repeated', { received, ...evidence })
  const forwarded = fields.values.get('x-forwarded-host')
  const isSimilar = forwarded !== undefined && isOurs(forwarded, settings)
  const similar = isSimilar && { similar: `X-Forwarded-Host: ${forwarded}` }
  return fail('host-mismatch', { received, ...evidence, ...similar, ...proxiesIn(fields) })
}

/**
 * Finds the receiver's host that this Host is, as it is configured. Case does not count, and a default port may be
 * written or left out (RFC 9110 section 4.2.3).
 */
export function findHost(received: string, settings: Settings): string | undefined {
  const { names } = indexOf(settings)
  const same = names.get(received)
  if (same !== undefined || !VISIBLE_ASCII.test(received)) return same
  return names.get(normalizeHost(received, protocolOf(settings)))
}

const isOurs = (received: string, settings: Settings): boolean => findHost(received, settings) !== undefined

const protocolOf = ({ requireHttps }: Settings) => (requireHttps ? 'https' : 'any')

/** The hosts as they are written and normalized, and all of a name by that name: a list may be long. */
const indexOf = /* @__PURE__ */ memoizeWeak((settings: Settings) => {
  const byName = new Map<string, string[]>()
  for (const host of settings.hosts) {
    const name = nameOf(host)
    const hosts = byName.get(name)
    if (hosts === undefined) byName.set(name, [host])
    else hosts.push(host)
  }
  const normalized = settings.hosts.map(host => [normalizeHost(host, protocolOf(settings)), host] as const)
  const written = settings.hosts.map(host => [host, host] as const)
  return { names: new Map([...normalized, ...written]), byName }
})

/** Returns a host in lower case, without its port. */
const nameOf = (host: string): string => host.toLowerCase().replace(/:\d*$/, '')

/** Lists the receiver's hosts: first those that differ from this one by their port alone. */
function expectedHosts(settings: Settings, received: string | undefined): ExpectedList {
  const { hosts } = settings
  if (hosts.length <= MAX_EXPECTED || received === undefined) return expectedOf(hosts, hosts.length)
  const near = indexOf(settings).byName.get(nameOf(received)) ?? []
  const first = [...near.slice(0, MAX_EXPECTED), ...hosts.slice(0, MAX_EXPECTED)]
  return { expected: [...new Set(first)].slice(0, MAX_EXPECTED), expectedCount: hosts.length }
}

/** Names X-Forwarded-Host if it was used for Host: the adapter was told to trust it, or both have the same value. */
function hostEvidence({ request, fields: { values } }: Context): { header?: string } {
  const note = request.forwarded?.host
  if (note !== undefined) return { header: note.header }
  const isSame = values.has('host') && values.get('host') === values.get('x-forwarded-host')
  return isSame ? { header: 'X-Forwarded-Host' } : {}
}

/** A longer value is not shown as evidence. */
const MAX_SHOWN_LENGTH = 4095

/** Returns the header lines of these names, as `Name: value`. Skips long values. */
export const linesOfNames = ({ values }: Fields, names: readonly string[]): string[] =>
  names.flatMap(name => {
    const value = values.get(name.toLowerCase())
    return value === undefined || value.length > MAX_SHOWN_LENGTH ? [] : [`${name}: ${value}`]
  })

/** Returns the evidence about CDNs in front. */
export function proxiesIn(fields: Fields): { proxies?: readonly string[] } {
  const proxies = linesOfNames(fields, CDN_HEADERS)
  return proxies.length === 0 ? {} : { proxies }
}

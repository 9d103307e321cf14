import { normalizeName } from '../../http/host-name.ts'
import { isPrivate } from './addresses.ts'
import type { Ask, Query, Reply, Server } from './ask.ts'
import { type Finding, findingOf, lowerCase, type ResolverView, select, serialIn, viewOf, zoneIn } from './findings.ts'

/** What one name server says, at one of its addresses. */
export interface ServerReport {
  readonly server: string
  readonly address: string
  /** of the zone as this server has it */
  readonly serial?: number | undefined
  readonly finding: Finding
}

/** One name of the chain of aliases, with the name servers of its zone. */
export interface Hop {
  readonly name: string
  readonly zone: string | undefined
  readonly servers: readonly ServerReport[]
}

/** All that was collected about a name. */
export interface Trace {
  readonly resolver: ResolverView
  readonly hops: readonly Hop[]
  readonly end: 'complete' | 'circle' | 'too-many-aliases'
  /** the name with the zone appended twice, where that is the name that has a record */
  readonly misplaced: string | undefined
}

export interface TraceOptions {
  readonly resolvers: readonly Server[]
  readonly includePrivate: boolean
  readonly onZone?: ((zone: string) => void) | undefined
}

const MAX_ALIASES = 8

/** More than any zone needs (RFC 1912 section 2.8: no more than seven). */
const MAX_SERVERS = 8

/** Follows the aliases, and asks the name servers of each zone on the way. Never rejects. */
export async function traceName(ask: Ask, name: string, options: TraceOptions): Promise<Trace> {
  const resolver = await viewOfResolver(ask, name, options)
  const hops: Hop[] = []
  const result = (end: Trace['end'], misplaced?: string): Trace => ({ resolver, hops, end, misplaced })
  for (let next: string | undefined = name; next !== undefined; ) {
    if (hops.some(hop => hop.name === next)) return result('circle')
    if (hops.length > MAX_ALIASES) return result('too-many-aliases')
    const hop = await traceHop(ask, next, options)
    hops.push(hop)
    const alias = hop.servers.map(({ finding }) => finding).find(({ found }) => found === 'alias')
    const target: string | undefined = alias?.found === 'alias' ? alias.target : resolver.aliases.get(next)
    next = target && normalizeName(target)
  }
  return result('complete', await findMisplaced(ask, hops.at(-1)!))
}

async function viewOfResolver(ask: Ask, name: string, options: TraceOptions): Promise<ResolverView> {
  const reply = await askResolver(ask, options, { type: 'TXT', name, mode: 'recursive' })
  const view = viewOf(reply, undefined, name)
  if (view.finding.found !== 'refusal') return view
  const unchecked = await askResolver(ask, options, { type: 'TXT', name, mode: 'unchecked' })
  return viewOf(reply, unchecked, name)
}

/** The reply of the first resolver that has one. */
async function askResolver(ask: Ask, { resolvers }: TraceOptions, query: Omit<Query, 'server'>): Promise<Reply> {
  let reply: Reply = { error: 'ECONNREFUSED' }
  for (const server of resolvers) {
    reply = await ask({ ...query, server })
    if ('packet' in reply) break
  }
  return reply
}

type NameServers = ReadonlyMap<string, readonly string[]>

async function traceHop(ask: Ask, name: string, options: TraceOptions): Promise<Hop> {
  let zone = await findZone(ask, name, options)
  let servers: readonly ServerReport[] = []
  let known: NameServers | undefined
  while (zone !== undefined) {
    options.onZone?.(zone)
    servers = await askNameServers(ask, name, zone, known ?? (await findNameServers(ask, zone, options)), options)
    const referral = servers.map(({ finding }) => finding).find(({ found }) => found === 'referral')
    // Each zone is nearer to the name than the one before.
    if (referral?.found !== 'referral') break
    zone = referral.zone
    known = referral.servers
  }
  return { name, zone, servers }
}

/** The zone as the resolver knows it; where it fails for the name itself, the nearest above. */
async function findZone(ask: Ask, name: string, options: TraceOptions): Promise<string | undefined> {
  const labels = name.split('.')
  const [own = name, ...above] = labels.slice(0, MAX_ANCESTORS).map((_, i) => labels.slice(i).join('.'))
  const zoneAt = async (at: string) =>
    zoneIn(await askResolver(ask, options, { type: 'SOA', name: at, mode: 'unchecked' }), at)
  return (await zoneAt(own)) ?? (await Promise.all(above.map(zoneAt))).find(zone => zone !== undefined)
}

const MAX_ANCESTORS = 8

async function findNameServers(ask: Ask, zone: string, options: TraceOptions): Promise<NameServers> {
  const reply = await askResolver(ask, options, { type: 'NS', name: zone, mode: 'unchecked' })
  const records = 'packet' in reply ? select(reply.packet.answers, 'NS', zone) : []
  return new Map(records.map(({ data }) => [lowerCase(data), []]))
}

/** Each address once. */
async function askNameServers(
  ask: Ask,
  name: string,
  zone: string,
  nameServers: NameServers,
  options: TraceOptions
): Promise<ServerReport[]> {
  const some = [...nameServers].slice(0, MAX_SERVERS)
  const addresses = await Promise.all(
    some.map(async ([server, known]) => {
      const found = known.length > 0 ? known : await findAddresses(ask, server, options)
      return found.map(address => [address, server] as const)
    })
  )
  const servers = [...new Map(addresses.flat().reverse())].reverse()
  return Promise.all(
    servers.map(async ([address, server]): Promise<ServerReport> => {
      if (isPrivate(address) && !options.includePrivate) return { server, address, finding: { found: 'not-asked' } }
      const query = { server: { address, port: 53 }, mode: 'authoritative' } as const
      const finding = findingOf(await ask({ ...query, type: 'TXT', name }), name, zone)
      const isServed = !['no-reply', 'refusal', 'referral'].includes(finding.found)
      const serial = isServed ? serialIn(await ask({ ...query, type: 'SOA', name: zone })) : undefined
      return { server, address, serial, finding }
    })
  )
}

/** One address of each family. */
async function findAddresses(ask: Ask, server: string, options: TraceOptions): Promise<string[]> {
  const name = normalizeName(server)
  if (name === undefined) return []
  const [v4, v6] = await Promise.all([
    askResolver(ask, options, { type: 'A', name, mode: 'unchecked' }),
    askResolver(ask, options, { type: 'AAAA', name, mode: 'unchecked' })
  ])
  const first = (reply: Reply, type: 'A' | 'AAAA') =>
    'packet' in reply ? select(reply.packet.answers, type).slice(0, 1) : []
  return [...first(v4, 'A'), ...first(v6, 'AAAA')].map(({ data }) => data)
}

/** A zone file appends the zone to a name without a dot at its end. */
async function findMisplaced(ask: Ask, { name, zone, servers }: Hop): Promise<string | undefined> {
  const appended = normalizeName(`${name}.${zone}`)
  const served = servers.find(({ finding }) => finding.found === 'none' || finding.found === 'no-such-name')
  if (appended === undefined || zone === undefined || served === undefined) return undefined
  const server = { address: served.address, port: 53 }
  const reply = await ask({ server, type: 'TXT', name: appended, mode: 'authoritative' })
  return findingOf(reply, appended, zone).found === 'record' ? appended : undefined
}

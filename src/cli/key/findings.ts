import type { Answer, DecodedPacket } from 'dns-packet'
import { normalizeName } from '../../http/host-name.ts'
import type { Reply } from './ask.ts'

/** What one server says about one name. Texts and targets come from outside: escape them. */
export type Finding =
  /** the text of each TXT record, its strings joined; `ttl` in seconds */
  | { readonly found: 'record'; readonly texts: readonly string[]; readonly ttl: number }
  | { readonly found: 'alias'; readonly target: string; readonly ttl: number }
  /** `ttl`: how long a resolver remembers it (RFC 2308 section 5) */
  | { readonly found: 'none' | 'no-such-name'; readonly ttl: number | undefined }
  /** the servers of a zone nearer to the name, with the addresses that are known here */
  | { readonly found: 'referral'; readonly zone: string; readonly servers: ReadonlyMap<string, string[]> }
  /** it has not got the zone, or failed */
  | { readonly found: 'refusal'; readonly error: string }
  | { readonly found: 'no-reply'; readonly error: string }
  /** its address is a private one */
  | { readonly found: 'not-asked' }

/** RFC 1035 section 4.1.1. */
const RCODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED']

const rcodeOf = ({ flags = 0 }: DecodedPacket): string => RCODES[flags & 0xf] ?? `RCODE ${flags & 0xf}`

/** ASCII letters only; with labels that no key has, too: what is asked for is checked by `normalizeName`. */
export const lowerCase = (name: string): string => name.replace(/[A-Z]/g, letter => letter.toLowerCase())

export const isWithin = (name: string, zone: string): boolean =>
  zone === '.' || name === zone || name.endsWith(`.${zone}`)

type Of<T extends Answer['type']> = Answer & { type: T }

/** The records of a type at a name; at any name without one. */
export const select = <T extends Answer['type']>(
  records: readonly Answer[] | undefined,
  type: T,
  name?: string
): readonly Of<T>[] =>
  (records ?? []).filter(
    (record): record is Of<T> => record.type === type && (name === undefined || lowerCase(record.name) === name)
  )

/** The zone whose SOA a reply about the name brings; undefined where it is about an alias, or no answer. */
export function zoneIn(reply: Reply, name: string): string | undefined {
  if ('error' in reply || !/NOERROR|NXDOMAIN/.test(rcodeOf(reply.packet))) return undefined
  const { answers = [], authorities = [] } = reply.packet
  if (select(answers, 'CNAME', name).length > 0) return undefined
  const [soa] = select([...answers, ...authorities], 'SOA')
  return soa && isWithin(name, lowerCase(soa.name)) ? lowerCase(soa.name) : undefined
}

export function serialIn(reply: Reply): number | undefined {
  const [soa] = 'packet' in reply ? select(reply.packet.answers, 'SOA') : []
  return soa?.data.serial
}

/** What a name server says of its own zone. */
export function findingOf(reply: Reply, name: string, zone: string): Finding {
  if ('error' in reply) return { found: 'no-reply', error: reply.error }
  const { flag_aa, authorities, additionals } = reply.packet
  const finding = findingAt(reply.packet, name)
  if (flag_aa || finding.found === 'refusal') return finding
  const delegations = select(authorities, 'NS')
  const nearer = lowerCase(delegations[0]?.name ?? zone)
  if (nearer === zone || !isWithin(nearer, zone) || !isWithin(name, nearer))
    return { found: 'refusal', error: 'not authoritative' }
  const glue = [...select(additionals, 'A'), ...select(additionals, 'AAAA')]
  const servers = delegations.map(({ data }) => {
    const server = lowerCase(data)
    return [server, glue.filter(record => lowerCase(record.name) === server).map(record => record.data)] as const
  })
  return { found: 'referral', zone: nearer, servers: new Map(servers) }
}

function findingAt(packet: DecodedPacket, name: string): Finding {
  const { answers, authorities } = packet
  const rcode = rcodeOf(packet)
  const [alias] = select(answers, 'CNAME', name)
  if (alias !== undefined) {
    const target = normalizeName(alias.data) ?? alias.data
    return { found: 'alias', target, ttl: alias.ttl ?? 0 }
  }
  if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') return { found: 'refusal', error: rcode }
  const records = select(answers, 'TXT', name)
  if (records.length > 0) return { found: 'record', texts: records.map(textOf), ttl: records[0]!.ttl ?? 0 }
  const [soa] = select(authorities, 'SOA')
  const ttl = soa && Math.min(soa.ttl ?? 0, soa.data.minimum ?? 0)
  return { found: rcode === 'NXDOMAIN' ? 'no-such-name' : 'none', ttl }
}

const textOf = ({ data }: Of<'TXT'>): string =>
  [data]
    .flat()
    .map(string => Buffer.from(string as Buffer).toString('latin1'))
    .join('')

/** What the resolver says: of the end of the aliases, and of each on the way. */
export interface ResolverView {
  readonly finding: Finding
  readonly aliases: ReadonlyMap<string, string>
  /** seconds until it asks again; undefined where it does not say */
  readonly ttl: number | undefined
  /** AD: it validated the reply by DNSSEC (RFC 4035 section 3.2.3) */
  readonly isAuthenticated: boolean
  /** it fails, but not when it is asked not to validate: the signatures are wrong */
  readonly isBogus: boolean
}

/** @param unchecked the reply to the same query with CD, where the first one is SERVFAIL */
export function viewOf(reply: Reply, unchecked: Reply | undefined, name: string): ResolverView {
  const aliases = new Map<string, string>()
  const packet = 'packet' in reply ? reply.packet : undefined
  let finding: Finding =
    packet === undefined ? { found: 'no-reply', error: (reply as { error: string }).error } : findingAt(packet, name)
  let owner = name
  let ttl = Number.POSITIVE_INFINITY
  while (packet !== undefined && finding.found === 'alias' && !aliases.has(owner)) {
    aliases.set(owner, finding.target)
    ttl = Math.min(ttl, finding.ttl)
    owner = finding.target
    finding = findingAt(packet, owner)
  }
  if ('ttl' in finding) ttl = Math.min(ttl, finding.ttl ?? Number.POSITIVE_INFINITY)
  const without = unchecked && 'packet' in unchecked ? findingAt(unchecked.packet, name) : undefined
  return {
    ...{ finding, aliases, ttl: Number.isFinite(ttl) ? ttl : undefined },
    isAuthenticated: packet?.flag_ad === true,
    isBogus: without !== undefined && without.found !== 'refusal'
  }
}

import { type Answer, AUTHENTIC_DATA } from 'dns-packet'
import { lowerCase, normalizeName } from '../../src/internal/index.ts'
import type { Dns, Reply } from './ask.ts'

/** The reply of a name server, at one of its addresses. It comes from outside: escape it. */
export interface ServerReport {
  readonly server: string
  readonly address: string
  /** of the zone as this server has it */
  readonly serial?: number | undefined
  /** the reason for a missing answer: a response code, or an error of `Reply` */
  readonly error?: string | undefined
  /** it answers over UDP that the answer is too long for UDP, and TCP has this error */
  readonly isTruncated?: boolean | undefined
  /** there is no such name */
  readonly isAbsent?: boolean
  readonly alias?: string | undefined
  /** of each TXT record, its strings joined */
  readonly texts?: readonly string[] | undefined
}

/** One name of the CNAME chain, with the name servers of its zone. */
export interface Hop {
  readonly name: string
  readonly zone?: string
  readonly servers: readonly ServerReport[]
}

export type Trace = Awaited<ReturnType<typeof traceName>>

export const MAX_ALIASES = 8
const MAX_LABELS = 8

/** More than any zone needs (RFC 1912 section 2.8: no more than seven), with two addresses each. */
const MAX_SERVERS = 8

/** Follows the aliases, and asks the name servers of each zone on the way. Never rejects. */
export async function traceName(asked: Dns, name: string) {
  let isCut = false
  const note = (reply: Reply) => {
    isCut ||= reply.error === 'EBUDGET'
    return reply
  }
  const dns: Dns = {
    resolve: async (...query) => note(await asked.resolve(...query)),
    askServer: async (...query) => note(await asked.askServer(...query)),
    errorOverTcp: asked.errorOverTcp
  }
  const resolving = dns.resolve('TXT', name, AUTHENTIC_DATA)
  const hops: Hop[] = []
  let next: string | undefined = name
  while (next !== undefined && hops.length <= MAX_ALIASES && hops.every(hop => hop.name !== next)) {
    const hop: Hop = await traceHop(dns, next)
    hops.push(hop)
    const known = hop.servers.find(({ alias }) => alias !== undefined)
    const alias: string | undefined = known?.alias ?? select((await resolving).answers, 'CNAME', next)[0]?.data
    next = alias && normalizeName(alias)
  }
  const reply = await resolving
  const trace = {
    /** seconds until the resolver asks again; undefined where it does not say */
    ttl: ttlOf(reply),
    /** the resolver validated its reply by DNSSEC */
    isAuthenticated: reply.flag_ad === true,
    /** the resolver fails, but not where it is asked not to validate */
    isBogus: reply.rcode === 'SERVFAIL' && isAnswer(await dns.resolve('TXT', name)),
    /** the resolver's error over TCP, where the answer needs TCP */
    tcpError: reply.isTruncated ? reply.error : reply.isLong ? await dns.errorOverTcp('TXT', name) : undefined,
    hops,
    /** the aliases form a loop, or are more than `MAX_ALIASES` */
    isEndless: next !== undefined,
    /** the name with the zone appended twice, where that is the name that has a record */
    misplaced: next === undefined ? await findMisplaced(dns, hops.at(-1)!) : undefined
  }
  /** our own limit of queries or of time was reached before everything was asked */
  return { ...trace, isCut }
}

/**
 * Traces one name, from the nearest zone that the resolver knows; if the name servers of a zone fail, from a zone
 * above.
 */
async function traceHop(dns: Dns, name: string): Promise<Hop> {
  const labels = name.split('.')
  const zones = labels.map((_, i) => labels.slice(i).join('.')).slice(-MAX_LABELS)
  const replies = await Promise.all(zones.map(zone => dns.resolve('NS', zone)))
  const records = replies.map(recordsIn).find(records => zoneIn(records, name) !== '')
  return records === undefined ? { name, servers: [] } : askZone(dns, name, records)
}

/** Asks each address of the name servers once; then those of a nearer zone, where one of them refers to it. */
async function askZone(dns: Dns, name: string, records: readonly Answer[]): Promise<Hop> {
  const zone = zoneIn(records, name)
  const replies = new Map<string, Promise<Reply>>()
  /** Asks as soon as this address is known, because the lookup of a missing one can take seconds. */
  const ask = async (server: string, type: 'A' | 'AAAA') => {
    const known = select(records, type, server)
    const found = known.length > 0 ? known : select((await dns.resolve(type, server)).answers, type)
    const address = found[0]?.data
    if (address === undefined) return []
    const reply = replies.get(address) ?? dns.askServer(address, 'TXT', name)
    replies.set(address, reply)
    return [{ server, address, reply: await reply }]
  }
  const servers = select(records, 'NS', zone).flatMap(({ data }) => normalizeName(data) ?? [])
  const all = await Promise.all(
    servers.slice(0, MAX_SERVERS).flatMap(server => [ask(server, 'A'), ask(server, 'AAAA')])
  )
  const asked = [...new Map(all.flat().map(each => [each.address, each])).values()]
  const referral = asked
    .map(({ reply }) => recordsIn(reply))
    .find(records => zoneIn(records, name).length > zone.length)
  if (referral !== undefined) return askZone(dns, name, referral)
  const reports = asked.map(async ({ server, address, reply }): Promise<ServerReport> => {
    const answer = answerIn(reply, name)
    const soa = answer.error === undefined ? await dns.askServer(address, 'SOA', zone) : {}
    return { server, address, serial: select(soa.answers, 'SOA')[0]?.data.serial, ...answer }
  })
  return { name, zone, servers: await Promise.all(reports) }
}

const recordsIn = ({ answers = [], authorities = [], additionals = [] }: Reply): readonly Answer[] =>
  [answers, authorities, additionals].flat()

/** Finds the zone whose name servers are among the records; empty where the name is not in it. */
function zoneIn(records: readonly Answer[], name: string): string {
  const zone = lowerCase(select(records, 'NS')[0]?.name ?? '')
  return `.${name}`.endsWith(`.${zone}`) ? zone : ''
}

/** Reads the reply of a name server about its own zone. */
function answerIn(reply: Reply, name: string): Omit<ServerReport, 'server' | 'address' | 'serial'> {
  const [cname] = select(reply.answers, 'CNAME', name)
  // BIND sends a CNAME loop with SERVFAIL.
  if (cname === undefined && !isAnswer(reply))
    return { error: reply.error ?? reply.rcode, ...(reply.isTruncated && { isTruncated: true }) }
  if (!reply.flag_aa) return { error: 'not authoritative' }
  const texts = select(reply.answers, 'TXT', name).map(({ data }) => Buffer.concat(data as Buffer[]).toString('latin1'))
  return { isAbsent: reply.rcode === 'NXDOMAIN', alias: cname && lowerCase(cname.data), texts }
}

const isAnswer = ({ rcode }: Reply): boolean => rcode === 'NOERROR' || rcode === 'NXDOMAIN'

/** Selects the records of a type at a name; at any name without one. */
const select = <T extends Answer['type']>(records: readonly Answer[] | undefined, type: T, name?: string) =>
  (records ?? [])
    .filter((record): record is Answer & { type: T } => record.type === type)
    .filter(record => name === undefined || lowerCase(record.name) === name)

/** Returns how long the resolver keeps its reply: the records, or that there are none (RFC 2308 section 5). */
function ttlOf({ answers = [], authorities }: Reply): number | undefined {
  const positive = answers.flatMap(record => ('ttl' in record ? (record.ttl ?? []) : []))
  const negative = select(authorities, 'SOA').map(({ ttl = 0, data }) => Math.min(ttl, data.minimum ?? 0))
  return [...positive, ...negative].sort((one, other) => one - other)[0]
}

/** Finds a key at a misplaced name: a zone file appends the zone to a name without a dot at its end. */
async function findMisplaced(dns: Dns, { name, zone, servers }: Hop): Promise<string | undefined> {
  const appended = normalizeName(`${name}.${zone}`)
  const isMissing = servers.some(({ texts }) => texts?.length === 0)
  if (appended === undefined || !isMissing) return undefined
  return select((await dns.resolve('TXT', appended)).answers, 'TXT', appended).length > 0 ? appended : undefined
}

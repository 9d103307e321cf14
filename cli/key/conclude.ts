import type { KeyLimits } from '../../src/index.ts'
import {
  describeProblem,
  duration,
  escapeText,
  findProblem,
  isRecordCode,
  looksLikeKeyRecord,
  parseKey,
  type RecordProblem
} from '../../src/internal/index.ts'
import { isNotAsked, NOT_ASKED } from './ask.ts'
import type { Hop, ServerReport, Trace } from './trace.ts'

/** Says who must do what, and why, by the kind of conclusion; a detail follows. */
const WORDS = {
  published: 'Usable: each name server that replies has the key, and so has the receiver',
  'resolver-has-key': "Usable: the receiver's DNS server has a good key; ",
  'resolver-has-none':
    "The sender must publish the key, unless others see it: the receiver's DNS server does not have it; ",
  'bad-record': 'The sender must ',
  'not-published': 'The sender must publish the key: the name servers have no record at ',
  withdrawn:
    'The sender must publish the key again, unless it was withdrawn: its name servers do not have it; the ' +
    'receiver has it for ',
  'resolver-has-old':
    'The receiver must wait, or empty the cache of its DNS server: the key is published, and that server remembers ',
  'servers-differ': 'The sender must make its name servers equal: ',
  'server-fails': 'The sender must repair a name server: the others have the key, and so has the receiver, but not ',
  'servers-private':
    'The receiver must run this again with --private: others may get another answer; at private addresses are ',
  'no-server-answers':
    'The sender must repair its name servers, unless a firewall here drops port 53, which looks the same: none of ' +
    'them answers from here, in ',
  'limit-reached':
    `The receiver must run this again, with fewer names at once: ${NOT_ASKED.EBUDGET}, and had not asked all name ` +
    'servers by then, in ',
  'signatures-invalid': 'The sender must sign its zone again: its DNSSEC signatures do not validate, in ',
  'endless-aliases': 'The sender must break the CNAME loop, or use at most 8 aliases: ',
  'resolver-fails': 'The receiver must repair its DNS server, or name another (--dns-server): it fails with '
} as const

const WITHOUT_SERVERS = 'the name servers were not asked'
const ZONE_UNKNOWN = 'it does not say which name servers are responsible'

/** Makes a conclusion of printable ASCII. */
const say = (kind: keyof typeof WORDS, detail = '') => ({ kind, text: `${WORDS[kind]}${escapeText(detail, 1000)}.` })

function badRecord(problem: RecordProblem) {
  const { cause, fix } = describeProblem(problem)
  return say('bad-record', `${fix}: ${cause}`)
}

/**
 * Concludes from the receiver's own lookup and from the replies of the name servers.
 *
 * @param texts of each TXT record that the lookup brought
 * @param error why it is not known whether there are records
 */
export function conclude(texts: readonly string[], error: string | undefined, limits: KeyLimits, trace?: Trace) {
  const { hops = [], misplaced, ttl, isEndless, isBogus } = trace ?? {}
  const { name, zone = '', servers } = lastHop(trace)
  if (isEndless) return say('endless-aliases', hops.map(hop => hop.name).join(', '))
  if (isBogus && error !== undefined) return say('signatures-invalid', zone || name)
  const difference = hops.map(hop => differenceOf(hop.servers)).find(found => found !== undefined)
  if (difference !== undefined) return say('servers-differ', difference)

  const published = servers.find(isAnswer)?.texts
  const problem = findKeyProblem(published ?? texts, limits)
  if (problem !== undefined) return badRecord(problem)
  if (published === undefined) return concludeUnanswered(texts.length > 0, error, trace)
  const wait = ttl === undefined ? 'while' : seconds(ttl)
  if (published.length === 0) {
    if (texts.length > 0) return say('withdrawn', `another ${wait}`)
    return misplaced
      ? badRecord({ mistake: 'zone-appended', at: misplaced })
      : say('not-published', hops.length > 1 ? `${name}, where its alias leads` : name)
  }
  if (error !== undefined) return say('resolver-fails', error)
  const remembered = texts.length > 0 ? 'another record' : 'that there was none'
  if (contentOf({ texts }) !== contentOf({ texts: published }))
    return say('resolver-has-old', `${remembered}, for another ${wait}`)
  const failing = hops.flatMap(hop => hop.servers).find(isFailing)
  return failing ? say('server-fails', `${failing.server} (${failing.error})`) : say('published')
}

/** Returns the name to which the aliases lead; empty where the name servers were not asked. */
const lastHop = (trace?: Trace): Hop => trace?.hops.at(-1) ?? { name: '', servers: [] }

/** Concludes without name servers: none was asked, or none has answered. */
function concludeUnanswered(hasKey: boolean, error: string | undefined, trace?: Trace) {
  const { name, zone = '', servers } = lastHop(trace)
  const has = `the receiver has ${hasKey ? 'a good key' : 'no good key'}`
  if (servers.some(server => server.error === 'EPRIVATE'))
    return say('servers-private', `the name servers of ${zone}; ${has}`)
  if (zone === '' && error !== undefined) return say('resolver-fails', error)
  const isLimited = trace?.isCut && (servers.length === 0 || servers.some(server => server.error === 'EBUDGET'))
  if (isLimited) return say('limit-reached', `${zone || name}; ${error ?? has}`)
  if (zone === '') return say(hasKey ? 'resolver-has-key' : 'resolver-has-none', trace ? ZONE_UNKNOWN : WITHOUT_SERVERS)
  const errors = [...new Set(servers.map(server => server.error))].join(', ') || 'their addresses are not known'
  const receiver = error === undefined ? has : `the receiver's DNS server fails as well: ${error}`
  const end = trace?.ttl === undefined ? 'soon' : `in ${seconds(trace.ttl)}`
  const loss = hasKey ? `, and loses it ${end} if they do not answer its DNS server either` : ''
  return say('no-server-answers', `${zone} (${errors}); ${receiver}${loss}`)
}

/** Finds the problem of the records; undefined where one of them is a key, or there are no records. */
export function findKeyProblem(texts: readonly string[], limits: KeyLimits): RecordProblem | undefined {
  const keys = texts.filter(looksLikeKeyRecord).map(text => parseKey(text, limits))
  const failed = keys.filter(key => !key.ok)
  if (texts.length === 0 || failed.length < keys.length) return undefined
  return findProblem(failed.map(({ code }) => code).find(isRecordCode) ?? 'key-not-found', texts)
}

const isAnswer = ({ texts }: ServerReport): boolean => texts !== undefined

/** Returns whether a server fails. Failures of the network here, or limits of our own, are not the server's fault. */
const isFailing = ({ error }: ServerReport): boolean =>
  error !== undefined && !(isNotAsked(error) || error === 'ENETUNREACH' || error === 'EHOSTUNREACH')

/** Returns the content of a name server, to compare it with that of others. */
const contentOf = ({ texts = [], alias }: Pick<ServerReport, 'texts' | 'alias'>): string =>
  JSON.stringify([alias, ...[...texts].sort()])

/**
 * Describes a difference: `ns2 has another record than ns1 (serial 12 and 11)`; the server without a record is the one
 * that lacks it.
 */
function differenceOf(servers: readonly ServerReport[]): string | undefined {
  const [one, ...others] = servers.filter(isAnswer)
  const other = others.find(server => contentOf(server) !== contentOf(one!))
  if (other === undefined) return undefined
  const isEmpty = (server: ServerReport) => contentOf(server) === contentOf({})
  const [less, more] = isEmpty(one!) ? [one!, other] : [other, one!]
  const has = isEmpty(less) ? 'no record, unlike' : 'another record than'
  return `${less.server} has ${has} ${more.server} (serial ${less.serial ?? 'unknown'} and ${more.serial ?? 'unknown'})`
}

/** Writes a time to live, exactly where it is short: somebody waits for it. */
export const seconds = (ttl: number): string => (ttl < 1000 ? `${ttl} s` : `${duration(ttl)} (${ttl} s)`)

import type { KeyLimits } from '../../src/index.ts'
import {
  type Cause,
  duration,
  escapeText,
  findCause,
  findProblem,
  isRecordCode,
  looksLikeKeyRecord,
  parseKey,
  type RecordProblem,
  withFinding
} from '../../src/internal/index.ts'
import { isNotAsked, NOT_ASKED } from './ask.ts'
import { type Hop, MAX_ALIASES, type ServerReport, type Trace } from './trace.ts'

/** Collects what is known about the key at a name. Its texts come from outside. */
interface Known {
  /** of each TXT record that the receiver's own lookup brought */
  readonly texts: readonly string[]
  /** why it is not known whether there are records */
  readonly error: string | undefined
  readonly trace: Trace | undefined
  readonly hops: readonly Hop[]
  /** the name to which the aliases lead; empty where the name servers were not asked */
  readonly last: Hop
  /** the records of the name servers; undefined where none has answered */
  readonly published: readonly string[] | undefined
  /** of the published records, or else of those that the receiver has */
  readonly problem: RecordProblem | undefined
}

/** A conclusion. Its text is the fix, which says who must do what, and the cause. */
interface Conclusion<F = unknown> extends Cause<Known, F> {
  readonly kind: string
}

const conclusion = <F>(entry: Conclusion<F>): Conclusion => withFinding<Known, F, { readonly kind: string }>(entry)

const has = ({ texts }: Known): string => `the receiver has ${texts.length > 0 ? 'a good key' : 'no good key'}`

/** Says how long the resolver keeps its answer. */
const wait = ({ trace }: Known): string => (trace?.ttl === undefined ? 'while' : seconds(trace.ttl))

const zoneOf = ({ last }: Known): string => last.zone || last.name

const isUnanswered = ({ published }: Known): boolean => published === undefined

const CONCLUSIONS: readonly Conclusion[] = [
  {
    kind: 'endless-aliases',
    find: ({ trace }) => trace?.isEndless,
    fix: `The sender must break the CNAME loop, or use at most ${MAX_ALIASES} aliases`,
    cause: ({ hops }) => hops.map(({ name }) => name).join(', ')
  },
  {
    kind: 'signatures-invalid',
    find: ({ trace, error }) => trace?.isBogus && error !== undefined,
    fix: 'The sender must sign its zone again',
    cause: known => `its DNSSEC signatures do not validate, in ${zoneOf(known)}`
  },
  conclusion({
    kind: 'servers-differ',
    find: ({ hops }) => hops.map(({ servers }) => differenceOf(servers)).find(found => found !== undefined),
    fix: 'The sender must make its name servers agree',
    cause: ({ found }) => found
  }),
  conclusion({
    kind: 'bad-record',
    find: ({ problem }) => problem,
    fix: ({ found }) => `The sender must ${found.fix}`,
    cause: ({ found }) => found.cause
  }),
  {
    kind: 'tcp-refused',
    find: ({ error, trace }) => error !== undefined && trace?.tcpError !== undefined,
    fix: 'The receiver must open TCP to port 53 of its DNS server, or name another (--dns-server)',
    cause: ({ trace }) =>
      `that server answers over UDP, where a long key does not fit, but not over TCP: ${trace?.tcpError}`
  },
  {
    kind: 'tcp-refused',
    find: known =>
      isUnanswered(known) && known.last.servers.length > 0 && known.last.servers.every(each => each.isTruncated),
    fix: 'The sender must have its name servers answer over TCP, unless a firewall here drops TCP to port 53',
    cause: known => `they answer over UDP, where a long key does not fit, but not over TCP, in ${silence(known)}`
  },
  {
    kind: 'servers-private',
    find: known => isUnanswered(known) && known.last.servers.some(({ error }) => error === 'EPRIVATE'),
    fix: 'The receiver must run this again with --private',
    cause: known =>
      `the name servers of ${known.last.zone} have private addresses, so others may get another answer; ${has(known)}`
  },
  {
    kind: 'resolver-fails',
    find: known => isUnanswered(known) && !known.last.zone && known.error !== undefined,
    fix: 'The receiver must repair its DNS server, or name another (--dns-server)',
    cause: ({ error }) => `it fails with ${error}`
  },
  {
    kind: 'limit-reached',
    find: known =>
      isUnanswered(known) &&
      known.trace?.isCut &&
      (known.last.servers.length === 0 || known.last.servers.some(({ error }) => error === 'EBUDGET')),
    fix: 'The receiver must run this again, with fewer names at once',
    cause: known =>
      `${NOT_ASKED.EBUDGET}, and had not asked all name servers by then, in ` +
      `${zoneOf(known)}; ${known.error ?? has(known)}`
  },
  {
    kind: 'resolver-has-key',
    find: known => isUnanswered(known) && !known.last.zone && known.texts.length > 0,
    fix: 'Usable',
    cause: ({ trace }) => `the receiver's DNS server has a good key; ${nobodyAsked(trace)}`
  },
  {
    kind: 'resolver-has-none',
    find: known => isUnanswered(known) && !known.last.zone,
    fix: 'The sender must publish the key, unless others see it',
    cause: ({ trace }) => `the receiver's DNS server does not have it; ${nobodyAsked(trace)}`
  },
  {
    kind: 'no-server-answers',
    find: isUnanswered,
    fix: 'The sender must repair its name servers, unless a firewall here drops port 53, which looks the same',
    cause: known => `none of them answers from here, in ${silence(known)}`
  },
  {
    kind: 'withdrawn',
    find: ({ published, texts }) => published?.length === 0 && texts.length > 0,
    fix: 'The sender must publish the key again, unless it was withdrawn',
    cause: known => `its name servers do not have it; the receiver has it for another ${wait(known)}`
  },
  conclusion({
    kind: 'bad-record',
    find: ({ published, trace }) =>
      published?.length === 0 &&
      trace?.misplaced !== undefined &&
      findProblem('key-not-found', [], { misplaced: trace.misplaced }),
    fix: ({ found }) => `The sender must ${found.fix}`,
    cause: ({ found }) => found.cause
  }),
  {
    kind: 'not-published',
    find: ({ published }) => published?.length === 0,
    fix: 'The sender must publish the key',
    cause: ({ hops, last }) =>
      `the name servers have no record at ${last.name}${hops.length > 1 ? ', where its alias leads' : ''}`
  },
  {
    kind: 'resolver-fails',
    find: ({ error }) => error !== undefined,
    fix: 'The receiver must repair its DNS server, or name another (--dns-server)',
    cause: ({ error }) => `it fails with ${error}`
  },
  {
    kind: 'resolver-has-old',
    find: ({ texts, published }) => contentOf({ texts }) !== contentOf({ texts: published }),
    fix: 'The receiver must wait, or empty the cache of its DNS server',
    cause: known => {
      const remembered = known.texts.length > 0 ? 'another record' : 'that it had no record'
      return `the key is published, and that server remembers ${remembered}, for another ${wait(known)}`
    }
  },
  conclusion({
    kind: 'server-fails',
    find: ({ hops }) => hops.flatMap(({ servers }) => servers).find(isFailing),
    fix: 'The sender must repair a name server',
    cause: ({ found }) => `the others have the key, and so has the receiver, but not ${found.server} (${found.error})`
  }),
  {
    kind: 'published',
    fix: 'Usable',
    cause: 'each name server that replies has the key, and so has the receiver'
  }
]

const nobodyAsked = (trace: Trace | undefined): string =>
  trace ? 'it does not say which name servers are responsible' : 'the name servers were not asked'

/** Describes name servers of which none has answered. */
function silence(known: Known): string {
  const { texts, error, trace, last } = known
  const errors = [...new Set(last.servers.map(server => server.error))].join(', ') || 'their addresses are not known'
  const receiver = error === undefined ? has(known) : `the receiver's DNS server fails as well: ${error}`
  const end = trace?.ttl === undefined ? 'soon' : `in ${seconds(trace.ttl)}`
  const loss = texts.length > 0 ? `, and loses it ${end} if they do not answer its DNS server either` : ''
  return `${last.zone} (${errors}); ${receiver}${loss}`
}

/**
 * Summarizes the receiver's own lookup and from the replies of the name servers, in printable ASCII: who must do
 * what, and why.
 *
 * @param texts of each TXT record that the lookup brought
 * @param error why it is not known whether there are records
 */
export function summarizeLookup(texts: readonly string[], error: string | undefined, limits: KeyLimits, trace?: Trace) {
  const hops = trace?.hops ?? []
  const last = hops.at(-1) ?? { name: '', servers: [] }
  const published = last.servers.find(isAnswer)?.texts
  const problem = findKeyProblem(published ?? texts, limits)
  const { entry, cause, fix } = findCause(CONCLUSIONS, { texts, error, trace, hops, last, published, problem })!
  return { kind: entry.kind, text: `${fix}: ${escapeText(cause, 1000)}.` }
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

/** Writes a time to live, exactly if it is short, because the reader waits for it. */
export const seconds = (ttl: number): string => (ttl < 1000 ? `${ttl} s` : `${duration(ttl)} (${ttl} s)`)

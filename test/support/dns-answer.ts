import {
  type Answer,
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  type Question,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE
} from 'dns-packet'

/** RFC 1035 section 4.1.1 */
export const RCODE = { formerr: 1, servfail: 2, nxdomain: 3, notimp: 4, refused: 5 }

type Aliased = 'nxdomain-behind-cname' | 'dangling-cname'
type Odd = 'nodata' | 'only-a' | 'empty-string' | 'malformed' | 'truncated' | 'silence'
/** Replies in this way about a name, instead of with its records. */
export type DnsOutcome = keyof typeof RCODE | Aliased | Odd

export type Transport = 'udp' | 'tcp' | 'https'

export type TxtRecords = readonly (readonly string[])[]

/** RFC 1035 section 4.2.1: the maximum of an answer over UDP, unless the query allows more (RFC 6891 section 6.2.3). */
const MAX_UDP = 512

export const questionOf = (query: Buffer): Question => decode(query).questions![0]!

/**
 * Returns the answer to a query, or undefined for silence. A name without records and without an outcome does not
 * exist.
 */
export function answerTo(
  query: Buffer,
  transport: Transport,
  records: TxtRecords | undefined,
  outcome: DnsOutcome | undefined
): Buffer | undefined {
  const { id, flags = 0, questions = [], additionals = [] } = decode(query)
  const { name } = questions[0]!
  const answer = (bits: number, ...answers: Answer[]): Buffer => {
    const all = (flags & RECURSION_DESIRED) | AUTHORITATIVE_ANSWER | bits
    return encode({ type: 'response', id: id!, flags: all, questions, answers })
  }
  // A long time to live reveals any cache.
  const txt = (chunks: readonly string[]): Answer => ({ type: 'TXT', name, ttl: 3600, data: [...chunks] })
  const cname: Answer = { type: 'CNAME', name, ttl: 3600, data: 'gone.example' }
  const found = () => {
    const whole = answer(0, ...(records ?? []).map(txt))
    const edns = additionals.find(each => each.type === 'OPT')
    const most = transport === 'udp' ? Math.max(edns?.udpPayloadSize ?? 0, MAX_UDP) : 65_535
    return whole.length > most ? answer(TRUNCATED_RESPONSE) : whole
  }

  switch (outcome) {
    case undefined:
      return records === undefined ? answer(RCODE.nxdomain) : found()
    case 'nxdomain-behind-cname':
      return answer(RCODE.nxdomain, cname)
    case 'nodata':
      return answer(0)
    case 'dangling-cname':
      return answer(0, cname)
    case 'only-a':
      return answer(0, { type: 'A', name, ttl: 3600, data: '192.0.2.1' })
    case 'empty-string':
      return answer(0, txt(['']))
    case 'malformed':
      // cut off in the middle of the record
      return answer(0, txt(['v=DKIM1; p='])).subarray(0, -4)
    case 'truncated':
      return transport === 'tcp' ? found() : answer(TRUNCATED_RESPONSE)
    case 'silence':
      return undefined
    default:
      return answer(RCODE[outcome])
  }
}

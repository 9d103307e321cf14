import {
  type Answer,
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  type Question,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE
} from 'dns-packet'

/** What to say about a name instead of its records. */
export type DnsOutcome =
  | 'nxdomain'
  | 'nxdomain-behind-cname'
  | 'nodata'
  | 'dangling-cname'
  | 'only-a'
  | 'empty-string'
  | 'servfail'
  | 'refused'
  | 'formerr'
  | 'notimp'
  | 'malformed'
  | 'truncated'
  | 'silence'

export type Transport = 'udp' | 'tcp' | 'https'

export type TxtRecords = readonly (readonly string[])[]

/** RFC 1035 section 4.1.1 */
const RCODE = { FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 }

/** RFC 1035 section 4.2.1: what an answer over UDP may have, unless the query says more (RFC 6891 section 6.2.3). */
const MAX_UDP = 512

export const questionOf = (query: Buffer): Question => decode(query).questions![0]!

/** The answer to a query, or undefined for none. A name without records and without an outcome does not exist. */
export function answerTo(
  query: Buffer,
  transport: Transport,
  records: TxtRecords | undefined,
  outcome: DnsOutcome | undefined
): Buffer | undefined {
  const { id, flags = 0, questions = [], additionals = [] } = decode(query)
  const { name } = questions[0]!
  const answer = (bits: number, ...answers: Answer[]): Buffer =>
    encode({
      type: 'response',
      id: id!,
      flags: (flags & RECURSION_DESIRED) | AUTHORITATIVE_ANSWER | bits,
      questions,
      answers
    })
  // With a time to live, so that a cache anywhere would show.
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
      return records === undefined ? answer(RCODE.NXDOMAIN) : found()
    case 'nxdomain':
      return answer(RCODE.NXDOMAIN)
    case 'nxdomain-behind-cname':
      return answer(RCODE.NXDOMAIN, cname)
    case 'nodata':
      return answer(0)
    case 'dangling-cname':
      return answer(0, cname)
    case 'only-a':
      return answer(0, { type: 'A', name, ttl: 3600, data: '192.0.2.1' })
    case 'empty-string':
      return answer(0, txt(['']))
    case 'servfail':
      return answer(RCODE.SERVFAIL)
    case 'refused':
      return answer(RCODE.REFUSED)
    case 'formerr':
      return answer(RCODE.FORMERR)
    case 'notimp':
      return answer(RCODE.NOTIMP)
    case 'malformed':
      // cut off in the middle of the record
      return answer(0, txt(['v=DKIM1; p='])).subarray(0, -4)
    case 'truncated':
      return transport === 'tcp' ? found() : answer(TRUNCATED_RESPONSE)
    case 'silence':
      return undefined
  }
}

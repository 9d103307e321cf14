import { Packet, type Resource } from 'dns2'

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

export type Transport = 'udp' | 'tcp'

export type TxtRecords = readonly (readonly string[])[]

/** The answer to a query, or undefined for none. A name without records and without an outcome does not exist. */
export function answerTo(
  request: Packet,
  transport: Transport,
  records: TxtRecords | undefined,
  outcome: DnsOutcome | undefined
): Packet | Buffer | undefined {
  const answer = Packet.createResponseFromRequest(request)
  answer.header.aa = 1
  const { NXDOMAIN, SERVFAIL, REFUSED, FORMERR, NOTIMP } = RCODE
  const cname = { type: Packet.TYPE.CNAME, domain: 'gone.example' }

  switch (outcome) {
    case undefined:
      return records === undefined ? withCode(answer, NXDOMAIN) : withRecords(answer, ...records.map(txt))
    case 'nxdomain':
      return withCode(answer, NXDOMAIN)
    case 'nxdomain-behind-cname':
      return withCode(withRecords(answer, cname), NXDOMAIN)
    case 'nodata':
      return answer
    case 'dangling-cname':
      return withRecords(answer, cname)
    case 'only-a':
      return withRecords(answer, { type: Packet.TYPE.A, address: '192.0.2.1' })
    case 'empty-string':
      return withRecords(answer, txt(['']))
    case 'servfail':
      return withCode(answer, SERVFAIL)
    case 'refused':
      return withCode(answer, REFUSED)
    case 'formerr':
      return withCode(answer, FORMERR)
    case 'notimp':
      return withCode(answer, NOTIMP)
    case 'malformed':
      // cut off in the middle of the record
      return withRecords(answer, txt(['v=DKIM1; p=']))
        .toBuffer()
        .subarray(0, -4)
    case 'truncated':
      if (transport === 'udp') answer.header.tc = 1
      return transport === 'udp' ? answer : withRecords(answer, ...(records ?? []).map(txt))
    case 'silence':
      return undefined
  }
}

/** RFC 1035 section 4.1.1; dns2 has these, but not in its types. */
const RCODE = { FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 }

const txt = (chunks: readonly string[]): Partial<Resource> => ({ type: Packet.TYPE.TXT, data: [...chunks] })

function withCode(answer: Packet, rcode: number): Packet {
  answer.header.rcode = rcode
  return answer
}

/** With a time to live, so that a cache anywhere would show. */
function withRecords(answer: Packet, ...records: readonly Partial<Resource>[]): Packet {
  for (const record of records) {
    answer.answers.push(Packet.createResourceFromQuestion(answer.questions[0]!, { ttl: 3600, ...record }))
  }
  return answer
}

import {
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  type Packet,
  type Question,
  TRUNCATED_RESPONSE
} from 'dns-packet'

/** TXT records by name in lower case, each a list of strings. */
export type TxtRecords = Readonly<Record<string, readonly (readonly string[])[]>>

/** RFC 1035 section 4.1.1 */
const HEADER_LENGTH = 12
const RCODE = { formatError: 1, noSuchName: 3, notImplemented: 4 }

/** A name and its question have 260 octets, EDNS options a few more. */
const MAX_QUERY = 1024

/** RFC 1035 section 4.2.1: a longer answer over UDP is truncated, and asked for again over TCP. */
const MAX_UDP = 512

/**
 * The answer to a DNS query, or undefined for a message that must not get one: a response (two servers would answer
 * each other forever), and what is too short or too long to be a query. The counts are checked before the message is
 * parsed, so a message that announces 65,535 questions costs nothing.
 *
 * @param onQuestion called with each name, in lower case, whose TXT record is asked for
 */
export function answerQuery(
  message: Buffer,
  records: TxtRecords,
  transport: 'udp' | 'tcp',
  onQuestion: (name: string) => void
): Buffer | undefined {
  if (message.length < HEADER_LENGTH || message.length > MAX_QUERY) return undefined
  const [flags, questions, answers, authorities, additionals] = [2, 4, 6, 8, 10].map(at =>
    message.readUInt16BE(at)
  ) as [number, number, number, number, number]
  if (flags >> 15 === 1) return undefined
  const opcode = (flags >> 11) & 0xf
  if (opcode !== 0) return header(message, RCODE.notImplemented, opcode)
  if (questions !== 1 || answers + authorities > 0 || additionals > 2) {
    return header(message, RCODE.formatError)
  }
  const question = parseQuestion(message)
  if (question === undefined) return header(message, RCODE.formatError)

  const answer = encodeAnswer(message.readUInt16BE(0), question, records, onQuestion)
  const isTooLong = transport === 'udp' && answer.length > MAX_UDP
  return isTooLong ? truncated(message.readUInt16BE(0), question) : answer
}

function parseQuestion(message: Buffer): Question | undefined {
  try {
    return decode(message).questions?.[0]
  } catch {
    return undefined
  }
}

function encodeAnswer(
  id: number,
  question: Question,
  records: TxtRecords,
  onQuestion: (name: string) => void
): Buffer {
  const name = question.name.toLowerCase()
  const found = Object.hasOwn(records, name) ? records[name] : undefined
  if (question.type === 'TXT') onQuestion(name)
  const answers = question.type === 'TXT' ? (found ?? []) : []
  return encode({
    ...response(id, question, AUTHORITATIVE_ANSWER | (found === undefined ? RCODE.noSuchName : 0)),
    answers: answers.map(strings => ({
      type: 'TXT' as const,
      name: question.name,
      ttl: 0,
      data: strings.flatMap(characterStrings)
    }))
  })
}

const truncated = (id: number, question: Question): Buffer =>
  encode(response(id, question, AUTHORITATIVE_ANSWER | TRUNCATED_RESPONSE))

const response = (id: number, question: Question, flags: number): Packet => ({
  type: 'response',
  id,
  flags,
  questions: [question]
})

/** RFC 1035 section 3.3: at most 255 octets each. */
function characterStrings(text: string): Buffer[] {
  const octets = Buffer.from(text, 'latin1')
  if (octets.length === 0) return [octets]
  return Array.from({ length: Math.ceil(octets.length / 255) }, (_, i) =>
    octets.subarray(255 * i, 255 * (i + 1))
  )
}

/** An answer that is only a header: the rest of the query could not be parsed. */
function header(query: Buffer, rcode: number, opcode = 0): Buffer {
  const answer = Buffer.alloc(HEADER_LENGTH)
  query.copy(answer, 0, 0, 2)
  answer.writeUInt16BE((1 << 15) | (opcode << 11) | rcode, 2)
  return answer
}

import * as dnsPacket from 'dns-packet'
import {
  type Answer,
  AUTHENTIC_DATA,
  type DecodedPacket,
  decode,
  encode,
  type PacketOpt,
  RECURSION_DESIRED,
  type RecordType
} from 'dns-packet'

/**
 * Makes the error of a lookup that did not succeed, with a code of `node:dns`; `ENOTAUTHENTICATED` is our own. The
 * verifier looks only at `code`: `ENOTFOUND` and `ENODATA` mean that there is no key; any other code leaves that
 * unknown.
 */
export const dohError = (code: string, message: string, cause?: unknown): Error =>
  Object.assign(new Error(message, cause === undefined ? undefined : { cause }), { code })

/** RFC 8467 section 4.1: queries are padded to a multiple of this, so that their length does not reveal the name. */
const BLOCK = 128

/** The code of the option (RFC 7830). */
const PADDING = 12

/**
 * Encodes a query for the TXT records at a name. The id is 0 (RFC 8484 section 4.1); AD asks for the AD bit of the
 * reply (RFC 6840 section 5.7).
 *
 * @param name in lower case, of valid labels, without a dot at the end
 */
export function encodeQuery(name: string): Uint8Array<ArrayBuffer> {
  const query = (padding: number) =>
    encodeMessage(0, RECURSION_DESIRED | AUTHENTIC_DATA, 'TXT', name, [{ code: PADDING, length: padding }])
  return new Uint8Array(query(BLOCK - 1 - ((query(0).length - 1) % BLOCK)))
}

/** Encodes a message with one question. EDNS lets a long record come by UDP, too (RFC 6891 section 6.2.3). */
export const encodeMessage = (
  id: number,
  flags: number,
  type: RecordType,
  name: string,
  options: PacketOpt[] = []
): Buffer =>
  encode({
    type: 'query',
    id,
    flags,
    questions: [{ type, class: 'IN', name }],
    additionals: [{ ...EDNS, ...UNSET, options }]
  })

/** Messages of this size pass every network unfragmented (RFC 9715 section 3.2). */
const EDNS = { type: 'OPT', name: '.', udpPayloadSize: 1232, flags: 0 } as const
/** The type of dns-packet requires these. */
const UNSET = { extendedRcode: 0, ednsVersion: 0, flag_do: false }

/** RFC 1035 section 4.1.1: 0 is a standard query. */
const OPCODE = 0x7800

/** RFC 1035 section 4.1.1; any other code is `EBADRESP`. */
const ERRORS = ['', 'EFORMERR', 'ESERVFAIL', 'ENOTFOUND', 'ENOTIMP', 'EREFUSED']

/**
 * Parses the TXT records in a reply, in the shape and with the codes of `resolveTxt`: one array of strings for each
 * record, each octet a character.
 *
 * @throws an Error with a `code`
 */
export function parseReply(octets: Uint8Array, name: string, requireAuthenticated: boolean): string[][] {
  const reply = decodeReply(octets, { id: 0, type: 'TXT', name })
  if (reply.flag_tc) throw badReply('it is truncated')

  // EDNS adds upper bits to the response code (RFC 6891 section 6.1.3); all of those are failures.
  const isExtended = reply.additionals?.some(record => record.type === 'OPT' && record.extendedRcode > 0)
  const code = isExtended ? 'EBADRESP' : (ERRORS[reply.flags! & 0xf] ?? 'EBADRESP')
  if (code !== '' && code !== 'ENOTFOUND') throw dohError(code, `the DNS server failed: ${code}`)
  if (requireAuthenticated && !reply.flag_ad)
    throw dohError('ENOTAUTHENTICATED', 'no AD bit: an unsigned zone, or a resolver that does not validate')
  if (code !== '') throw dohError(code, 'there is no such name')
  return selectTxt(reply, name)
}

/**
 * Decodes a message that is a reply to this query, in which `name` is in lower case.
 *
 * @throws an Error with the code `EBADRESP`
 */
export function decodeReply(octets: Uint8Array, { id, type, name }: { id: number; type: RecordType; name: string }) {
  const reply = decodeWhole(octets)
  const [question, ...others] = reply.questions!
  const isReply = reply.flag_qr && (reply.flags! & OPCODE) === 0 && reply.id === id
  const isAsked = question?.type === type && question.class === 'IN' && lowerCase(question.name) === name
  if (!isReply || !isAsked || others.length > 0) throw badReply('it answers another query')
  return reply
}

/**
 * Four keys of 8192 bits take 6,000 octets. RFC 8484 section 6 allows 65,535, which a server could fill with chains of
 * pointers that take dns-packet a second to follow.
 */
export const MAX_OCTETS = 16_384

/**
 * Decodes a message that is not truncated, strictly. dns-packet reads past the end of a truncated TXT record, ignores
 * the length of some records, and joins the labels of a name with dots, whatever is in a label.
 */
function decodeWhole(octets: Uint8Array): DecodedPacket {
  if (octets.length > MAX_OCTETS) throw badReply(`it is longer than ${MAX_OCTETS} octets`)
  try {
    const reply = decode(Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength))
    if (decode.bytes === octets.length && isUnambiguous(octets, reply) && hasValidOptions(reply)) return reply
  } catch (error) {
    throw badReply('it is not a DNS message', error)
  }
  throw badReply('a length, a label or an option in it can be read in two ways')
}

/** RFC 6891 section 6.1: an OPT record is the only one, in the additional section, and its name is the root. */
function hasValidOptions({ answers = [], authorities = [], additionals = [] }: DecodedPacket): boolean {
  const isOption = ({ type }: Answer): boolean => type === 'OPT'
  const options = additionals.filter(isOption)
  return ![...answers, ...authorities].some(isOption) && options.length < 2 && options.every(({ name }) => name === '.')
}

/** The decoders of dns-packet that its types lack; each leaves the number of octets that it read in `decode.bytes`. */
interface Decoder {
  decode: { (octets: Buffer, offset: number, options?: { mail: boolean }): unknown; bytes: number }
}
const { answer: recordDecoder, name: nameDecoder } = dnsPacket as unknown as { answer: Decoder; name: Decoder }

/** Returns whether each record is as long as it says (RFC 1035 section 3.2.1), and each name is plain. */
function isUnambiguous(octets: Uint8Array, reply: DecodedPacket): boolean {
  const buffer = Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength)
  let offset = 12
  for (const { name } of reply.questions!) {
    if (!isPlainName(buffer, offset, name)) return false
    offset += nameDecoder.decode.bytes + 4
  }
  for (const record of [...reply.answers!, ...reply.authorities!, ...reply.additionals!]) {
    if (!isPlainName(buffer, offset, record.name)) return false
    const data = offset + nameDecoder.decode.bytes + 10
    const length = buffer.readUInt16BE(data - 2)
    recordDecoder.decode(buffer, offset)
    if (offset + recordDecoder.decode.bytes !== data + length) return false
    offset = data + length
    const target = NAME_TYPES.has(record.type) ? (record as { data: string }).data : undefined
    if (target !== undefined && !(isPlainName(buffer, data, target) && nameDecoder.decode.bytes === length))
      return false
  }
  return true
}

/** The types whose data is one name. */
const NAME_TYPES: ReadonlySet<string> = new Set(['CNAME', 'DNAME', 'NS', 'PTR'])

/**
 * Returns whether no label has a dot, which `mail` escapes, and all are ASCII: the text then stands for one name only.
 */
const isPlainName = (octets: Buffer, offset: number, text: string): boolean =>
  nameDecoder.decode(octets, offset, { mail: true }) === text && /^[\0-\x7f]*$/.test(text)

/** Selects the records at the name, or at the end of the chain of aliases that starts there within the reply. */
function selectTxt({ answers = [] }: DecodedPacket, name: string): string[][] {
  const aliases = answers.flatMap(answer => (answer.type === 'CNAME' ? [answer] : []))
  const records = answers.flatMap(answer => (answer.type === 'TXT' ? [answer] : []))
  if (![...aliases, ...records].every(isInternet)) throw badReply('it has a record of another class')
  const targets = new Map(aliases.map(alias => [lowerCase(alias.name), lowerCase(alias.data)]))
  if (targets.size < aliases.length) throw badReply('a name has two CNAME records')
  let owner = name
  const seen = new Set<string>()
  for (let target = targets.get(name); target !== undefined; target = targets.get(owner)) {
    // RFC 1034 section 3.6.2: a loop is an error.
    if (seen.has(target) || target === name) throw badReply('its aliases form a loop')
    seen.add(target)
    owner = target
  }
  if (records.some(record => lowerCase(record.name) !== owner)) throw badReply('it has records for another name')
  if (records.length === 0) throw dohError('ENODATA', 'there is no TXT record at the name')
  return records.map(({ data }) => (data as Buffer[]).map(string => string.toString('latin1')))
}

/** dns-packet takes the upper bit of the class for the flush bit of multicast DNS (RFC 6762 section 10.2). */
const isInternet = (record: { class?: string | undefined; flush?: boolean | undefined }): boolean =>
  record.class === 'IN' && record.flush === false

/** Converts ASCII letters only: some other letters become ASCII in lower case. */
export const lowerCase = (name: string): string => name.replace(/[A-Z]/g, letter => letter.toLowerCase())

/** Makes the error of a reply that is malformed, or that answers another query. */
export const badReply = (reason: string, cause?: unknown) =>
  dohError('EBADRESP', `the DNS reply is unusable: ${reason}`, cause)

import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, isIPv6 } from 'node:net'
import { AUTHENTIC_DATA, CHECKING_DISABLED, type DecodedPacket, encode, RECURSION_DESIRED } from 'dns-packet'
import { decodeWhole } from '../../doh/message.ts'
import { errorLabel } from '../../result/result.ts'

/** An IP address and a port. */
export interface Server {
  readonly address: string
  readonly port: number
}

/** One query to one server. */
export interface Query {
  readonly server: Server
  readonly type: 'TXT' | 'SOA' | 'NS' | 'A' | 'AAAA'
  /** in lower case, of valid labels, without a dot at the end; `.` for the root */
  readonly name: string
  /** `recursive` and `unchecked` are for a resolver; `unchecked` asks it not to validate DNSSEC */
  readonly mode: 'recursive' | 'unchecked' | 'authoritative'
}

/** The reply, or why there is none: a code of Node.js, `ETIMEOUT`, `EBADRESP`, or `EBUDGET` where nothing was sent. */
export type Reply = { readonly packet: DecodedPacket } | { readonly error: string }

export type Ask = (query: Query) => Promise<Reply>

/** The second try is for a lost packet. */
const TRY_TIMEOUTS = [800, 1200]

/** Four keys of 8192 bits take 6,000 octets. In 64 KB there is room for names that take dns-packet a second. */
const MAX_OCTETS = 16_384

/** Passes every network unfragmented (RFC 9715 section 3.2). */
const UDP_PAYLOAD = 1232

const FLAGS = {
  recursive: RECURSION_DESIRED | AUTHENTIC_DATA,
  unchecked: RECURSION_DESIRED | CHECKING_DISABLED,
  authoritative: 0
}

/**
 * Asks by UDP, twice at most, and by TCP when the reply is truncated. A query that was sent before gets the same reply.
 * All queries together are at most `budget` messages, and all replies come before `signal` is aborted.
 */
export function createAsk(budget: number, signal: AbortSignal): Ask {
  const replies = new Map<string, Promise<Reply>>()
  let sent = 0

  async function send(query: Query, exchange: Exchange, timeout: number): Promise<Reply> {
    if (++sent > budget) return { error: 'EBUDGET' }
    const late = AbortSignal.any([signal, AbortSignal.timeout(timeout)])
    const id = randomInt(2 ** 16)
    try {
      return { packet: parseReply(await exchange(query.server, encodeQuery(query, id), late), query, id) }
    } catch (error) {
      return { error: late.aborted ? 'ETIMEOUT' : errorLabel(error) }
    }
  }

  async function askTwice(query: Query): Promise<Reply> {
    let reply: Reply = { error: 'ETIMEOUT' }
    for (const timeout of TRY_TIMEOUTS) {
      if (signal.aborted || !('error' in reply && reply.error === 'ETIMEOUT')) break
      reply = await send(query, exchangeUdp, timeout)
    }
    const isCut = 'error' in reply ? reply.error === 'ETRUNCATED' : false
    return isCut ? send(query, exchangeTcp, Math.max(...TRY_TIMEOUTS)) : reply
  }

  return query => {
    const { server, type, name, mode } = query
    const id = [server.address, server.port, type, name, mode].join(' ')
    const reply = replies.get(id) ?? askTwice(query)
    replies.set(id, reply)
    return reply
  }
}

const encodeQuery = ({ type, name, mode }: Query, id: number): Buffer =>
  encode({
    ...{ type: 'query', id, flags: FLAGS[mode], questions: [{ type, class: 'IN', name }] },
    // Lets a long record come by UDP (RFC 6891 section 6.2.3). The type of dns-packet requires the zeros.
    additionals: [{ type: 'OPT', name: '.', udpPayloadSize: UDP_PAYLOAD, flags: 0, options: [], ...NO_EXTENSION }]
  })

const NO_EXTENSION = { extendedRcode: 0, ednsVersion: 0, flag_do: false }

/** TC of RFC 1035 section 4.1.1. What is left of a truncated message need not be whole. */
const isTruncated = (octets: Buffer): boolean => ((octets[2] ?? 0) & 0x02) !== 0

/** @throws an Error with a `code` for anything but a reply to this query */
function parseReply(octets: Buffer, { type, name }: Query, id: number): DecodedPacket {
  if (octets.length > MAX_OCTETS) throw codeError('EBADRESP')
  if (isTruncated(octets)) throw codeError('ETRUNCATED')
  const packet = decodeWhole(octets)
  const [question] = packet.questions!
  const isAsked = question?.type === type && question.name.toLowerCase() === name
  if (!packet.flag_qr || packet.id !== id || !isAsked) throw codeError('EBADRESP')
  return packet
}

const codeError = (code: string): Error => Object.assign(new Error(code), { code })

/** Resolves to the message that the server sends. */
type Exchange = (server: Server, query: Buffer, late: AbortSignal) => Promise<Buffer>

/** A connected socket gets packets of that server only; one with another id is not the reply to this query. */
const exchangeUdp: Exchange = async ({ address, port }, query, signal) => {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
  try {
    socket.connect(port, address)
    await once(socket, 'connect', { signal })
    socket.send(query)
    for (;;) {
      const [octets] = (await once(socket, 'message', { signal })) as [Buffer]
      if (octets.length >= 12 && octets.readUInt16BE(0) === query.readUInt16BE(0)) return octets
    }
  } finally {
    socket.close()
  }
}

/** RFC 1035 section 4.2.2: the length in two octets, then the message. */
const exchangeTcp: Exchange = async ({ address, port }, query, signal) => {
  const socket = connect({ host: address, port, signal })
  try {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(query.length)
    socket.write(Buffer.concat([length, query]))
    let received = Buffer.alloc(0)
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      received = Buffer.concat([received, chunk])
      const expected = received.length < 2 ? MAX_OCTETS : received.readUInt16BE(0)
      if (expected > MAX_OCTETS) break
      if (received.length >= 2 + expected) return received.subarray(2, 2 + expected)
    }
    throw codeError('EBADRESP')
  } finally {
    socket.destroy()
  }
}

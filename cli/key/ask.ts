import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { on, once } from 'node:events'
import { connect, isIPv6 } from 'node:net'
import { CHECKING_DISABLED, type DecodedPacket, RECURSION_DESIRED, type RecordType } from 'dns-packet'
import { badReply, decodeReply, encodeMessage, errorLabel, MAX_OCTETS } from '../../src/internal/index.ts'
import { isPrivate } from './addresses.ts'

interface Query {
  /** an IP address, with the port if it is not 53: `192.0.2.1`, `127.0.0.1:5353`, `[::1]:5353` */
  readonly server: string
  readonly type: RecordType
  /** in lower case, of valid labels, without a dot at the end */
  readonly name: string
  readonly flags: number
}

/** Limits what one command sends to name servers, for all names together, after the receiver's own lookup. */
export const BUDGET = { messages: 60, milliseconds: 10_000 }

/** Codes of replies that are missing because this command did not ask. */
export const NOT_ASKED = {
  EPRIVATE: 'a private address, which is not asked without --private',
  EBUDGET: `this command sends ${BUDGET.messages} queries in ${BUDGET.milliseconds / 1000} seconds at most`
} as const

/** Returns whether this code says that the command did not ask. */
export const isNotAsked = (error: string): error is keyof typeof NOT_ASKED => Object.hasOwn(NOT_ASKED, error)

/** The reply, or the code of the reason why it is missing: one of `NOT_ASKED`, or of the network. */
export type Reply = Partial<DecodedPacket> & {
  readonly rcode?: string
  readonly error?: string
  /** the reply over UDP was truncated, and the error is that of TCP */
  readonly isTruncated?: boolean
  /** it is longer than a reply over UDP may be for a resolver without EDNS, which needs TCP */
  readonly isLong?: boolean
}

export type Dns = ReturnType<typeof createDns>

/**
 * Milliseconds for one exchange: 10 s suffice for a resolver and a name server that are both silent over UDP and TCP.
 */
const TIMEOUT = 1500

/** RFC 1035 section 4.2.1 */
const MAX_PLAIN_UDP = 512

/**
 * Asks resolvers and name servers; a repeated query shares the reply.
 *
 * @param budget how many messages are sent at most, in all
 * @param signal once aborted, nothing more is sent, and all pending queries settle
 */
export function createDns(resolvers: readonly string[], asksPrivate: boolean, budget: number, signal: AbortSignal) {
  const replies = new Map<string, Promise<Reply>>()
  const pending = new Set<AbortController>()
  let sent = 0
  signal.addEventListener('abort', () => {
    for (const query of pending) query.abort()
  })

  async function sendQuery(query: Query, transport: Transport): Promise<Reply> {
    if (++sent > budget || signal.aborted) return { error: 'EBUDGET' }
    // Not AbortSignal.any() of a timeout: Node.js 20 loses the timeout when it collects garbage.
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), TIMEOUT)
    pending.add(late)
    const id = randomInt(2 ** 16)
    try {
      const octets = await transport(query.server, encodeMessage(id, query.flags, query.type, query.name), late.signal)
      // TC of RFC 1035 section 4.1.1. The rest of a truncated message need not be whole.
      if ((octets[2]! & 0x02) !== 0) return { error: 'ETRUNCATED' }
      const reply: Reply = decodeReply(octets, { ...query, id })
      return octets.length > MAX_PLAIN_UDP ? { ...reply, isLong: true } : reply
    } catch (error) {
      if (signal.aborted) return { error: 'EBUDGET' }
      return { error: late.signal.aborted ? 'ETIMEOUT' : errorLabel(error) }
    } finally {
      clearTimeout(timer)
      pending.delete(late)
    }
  }

  /** Asks by UDP, and by TCP if UDP brings no reply or a truncated one. */
  function ask(query: Query): Promise<Reply> {
    const key = JSON.stringify(query)
    const overTcpIfCut = async (reply: Reply): Promise<Reply> => {
      if (reply.error !== 'ETIMEOUT' && reply.error !== 'ETRUNCATED') return reply
      const isTruncated = reply.error === 'ETRUNCATED'
      const byTcp = await sendQuery(query, overTcp)
      return isTruncated && byTcp.error !== undefined && !isNotAsked(byTcp.error) ? { ...byTcp, isTruncated } : byTcp
    }
    const reply = replies.get(key) ?? sendQuery(query, overUdp).then(overTcpIfCut)
    replies.set(key, reply)
    return reply
  }

  return {
    /** Returns the reply of the first resolver that has one. */
    async resolve(type: RecordType, name: string, dnssec = CHECKING_DISABLED): Promise<Reply> {
      let reply: Reply = { error: 'ECONNREFUSED' }
      for (const server of resolvers) {
        reply = await ask({ server, type, name, flags: RECURSION_DESIRED | dnssec })
        if (reply.error === undefined) break
      }
      return reply
    },
    /** Returns the error of the resolvers over TCP; undefined where one answers. */
    async errorOverTcp(type: RecordType, name: string): Promise<string | undefined> {
      let error: string | undefined
      for (const server of resolvers) {
        const reply = await sendQuery({ server, type, name, flags: RECURSION_DESIRED }, overTcp)
        error = reply.error
        if (error === undefined) break
      }
      return error !== undefined && isNotAsked(error) ? undefined : error
    },
    async askServer(address: string, type: RecordType, name: string): Promise<Reply> {
      if (isPrivate(address) && !asksPrivate) return { error: 'EPRIVATE' }
      return ask({ server: address, type, name, flags: 0 })
    }
  }
}

/** Resolves to the message that the server sends. */
type Transport = (server: string, message: Buffer, late: AbortSignal) => Promise<Buffer>

/** Splits the address of a server from its port. An address of IPv6 with a port is in brackets. */
export function parseServer(server: string): { readonly host: string; readonly port: number } {
  const [, v6, v4, port] = /^(?:\[(.+)\]|([\d.]+)):(\d+)$/.exec(server) ?? []
  return { host: v6 ?? v4 ?? server, port: Number(port ?? 53) }
}

/**
 * Asks over UDP. A connected socket gets packets of that server only; one with another id is not the reply to this
 * query.
 */
const overUdp: Transport = async (server, message, signal) => {
  const { host, port } = parseServer(server)
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
  try {
    socket.connect(port, host)
    await once(socket, 'connect', { signal })
    socket.send(message)
    for await (const [octets] of on(socket, 'message', { signal }) as AsyncIterable<[Buffer]>)
      if (octets.subarray(0, 2).equals(message.subarray(0, 2))) return octets
    throw badReply('there is none')
  } finally {
    socket.close()
  }
}

/** Asks over TCP: the length in two octets, then the message (RFC 1035 section 4.2.2). */
const overTcp: Transport = async (server, message, signal) => {
  const socket = connect({ ...parseServer(server), signal })
  socket.write(Buffer.concat([Buffer.of(message.length >> 8, message.length & 0xff), message]))
  let received = Buffer.alloc(0)
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received = Buffer.concat([received, chunk])
    const message = framedMessage(received)
    if (message !== undefined) return message
  }
  throw badReply('it is cut')
}

/**
 * Returns the message that these octets begin with; undefined until it is whole.
 *
 * @throws where the length is above the limit
 */
export function framedMessage(received: Buffer): Buffer | undefined {
  if (received.length < 2) return undefined
  const length = received.readUInt16BE(0)
  if (length > MAX_OCTETS) throw badReply('it is too long')
  return received.length < 2 + length ? undefined : received.subarray(2, 2 + length)
}

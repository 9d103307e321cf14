import type { Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Server, Socket } from 'node:net'
import { answerQuery, type TxtRecords } from './dns-message.ts'

/** A DNS server that runs. */
export interface DnsServer {
  /** for `dnsTxtLookup({ servers: [address] })`, such as `127.0.0.1:5353` */
  readonly address: string
  /** stops listening and ends its connections; it may be called twice */
  close(): Promise<void>
}

/** A DNS server that counts its queries. */
export interface CountingDnsServer extends DnsServer {
  /** how often a TXT record was asked for: of a name in lower case, or of any */
  queries(name?: string): number
}

/** How many free UDP ports may be taken for TCP before this gives up. */
const ATTEMPTS = 10

/**
 * Serves TXT records over UDP and TCP on one port, and answers for every other name that it does not exist. Records may
 * change at any time. No message can stop it.
 *
 * @throws (rejects with) the system's error, such as EADDRINUSE
 */
export async function startDnsServer(
  records: TxtRecords,
  { ip = '127.0.0.1', port = 0 }: { ip?: string; port?: number } = {}
): Promise<CountingDnsServer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await listen(records, ip, port)
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (port !== 0 || !isTaken || attempt === ATTEMPTS) throw error
    }
  }
}

async function listen(records: TxtRecords, ip: string, wanted: number): Promise<CountingDnsServer> {
  const asked = new Map<string, number>()
  const count = (name: string) => {
    if (asked.has(name) || asked.size < MAX_NAMES) asked.set(name, (asked.get(name) ?? 0) + 1)
  }
  // Imported here, so that the test kit loads where these modules do not exist (Cloudflare Workers).
  const [{ createSocket }, { createServer }] = await Promise.all([import('node:dgram'), import('node:net')])
  const udp = createSocket(ip.includes(':') ? 'udp6' : 'udp4')
  const sockets = new Set<Socket>()
  const tcp = createServer(socket => answerConnection(socket, records, sockets, count))
  tcp.maxConnections = MAX_CONNECTIONS
  udp.on('message', (message, { address, port }) => {
    const answer = answerQuery(message, records, 'udp', count)
    // Sending to port 0 would throw.
    if (answer !== undefined && port > 0) udp.send(answer, port, address, () => {})
  })
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    await Promise.all([closed(udp), closed(tcp)])
  }

  try {
    udp.bind({ port: wanted, address: ip, exclusive: true })
    await once(udp, 'listening')
    const { port } = udp.address()
    tcp.listen({ port, host: ip, exclusive: true })
    await once(tcp, 'listening')
    tcp.on('error', () => {})
    udp.on('error', () => {})
    return {
      address: `${ip.includes(':') ? `[${ip}]` : ip}:${port}`,
      queries: name =>
        name === undefined
          ? [...asked.values()].reduce((sum, times) => sum + times, 0)
          : (asked.get(name) ?? 0),
      close
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** How many names are counted; no verifier asks for more. */
const MAX_NAMES = 1000

const closed = (server: Server | UdpSocket): Promise<void> =>
  new Promise(resolve => {
    try {
      server.close(() => resolve())
    } catch {
      resolve() // it was not open
    }
  })

/** milliseconds that a connection may be idle, and how many there may be */
const IDLE = 5000
const MAX_CONNECTIONS = 100

function answerConnection(
  socket: Socket,
  records: TxtRecords,
  sockets: Set<Socket>,
  count: (name: string) => void
): void {
  sockets.add(socket)
  socket.on('close', () => sockets.delete(socket))
  socket.on('error', () => socket.destroy())
  socket.setTimeout(IDLE, () => socket.destroy())
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', chunk => {
    rest = Buffer.concat([rest, chunk])
    // RFC 1035 section 4.2.2: two octets of length before each message.
    while (rest.length >= 2) {
      const length = rest.readUInt16BE(0)
      if (length > MAX_TCP_QUERY) return void socket.destroy()
      if (rest.length < 2 + length) return
      const answer = answerQuery(rest.subarray(2, 2 + length), records, 'tcp', count)
      rest = rest.subarray(2 + length)
      if (answer === undefined) return void socket.destroy()
      const prefix = Buffer.alloc(2)
      prefix.writeUInt16BE(answer.length)
      socket.write(Buffer.concat([prefix, answer]))
    }
  })
}

/** A longer message is not a query, and its bytes are not kept. */
const MAX_TCP_QUERY = 1024

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { answerTo, type DnsOutcome, questionOf, type Transport, type TxtRecords } from './dns-answer.ts'

/** An authoritative DNS server for TXT records on loopback, over UDP and TCP. */
export interface DnsServer {
  /** for `dnsTxtLookup({ servers: [address] })` */
  readonly address: string
  /** name -> what to answer instead of the name's records; may change at any time */
  readonly outcomes: Map<string, DnsOutcome>
  /** number of queries so far: in all, for a name, over a transport */
  queries(name?: string, transport?: Transport): number
  /** the names that were asked for, each once, in lower case */
  names(): string[]
  /** holds replies until `release`; resolves when one is held */
  hold(): Promise<void>
  release(): void
  close(): Promise<void>
}

/**
 * Starts the server on a port of 127.0.0.1 that is free for both transports. An answer over 512 octets is truncated
 * over UDP (RFC 1035 section 4.2.1).
 *
 * @param records name in lower case -> TXT records, each a list of chunks; may change at any time
 * @param options `tcp: false` leaves the TCP port closed; `port` is a free one by default
 */
export async function startDnsServer(
  records: Readonly<Record<string, TxtRecords>>,
  { tcp = true, port: wanted = 0 } = {}
): Promise<DnsServer> {
  const outcomes = new Map<string, DnsOutcome>()
  const seen: { name: string; transport: Transport }[] = []
  let held: (() => void)[] | undefined
  let onHeld: (() => void) | undefined

  const reply: Reply = (query, transport, send) => {
    const name = questionOf(query).name.toLowerCase()
    seen.push({ name, transport })
    const found = Object.hasOwn(records, name) ? records[name] : undefined
    const answer = answerTo(query, transport, found, outcomes.get(name))
    if (answer === undefined) return
    if (held === undefined) return send(answer)
    held.push(() => send(answer))
    onHeld?.()
  }

  const sockets = await listen(reply, tcp, wanted)
  return {
    address: `127.0.0.1:${sockets.port}`,
    outcomes,
    queries: (name, transport) =>
      seen.filter(each => (name ?? each.name) === each.name && (transport ?? each.transport) === each.transport).length,
    names: () => [...new Set(seen.map(({ name }) => name))],
    hold() {
      held = []
      return new Promise(resolve => {
        onHeld = resolve
      })
    },
    release() {
      for (const send of held ?? []) send()
      held = undefined
    },
    close: sockets.close
  }
}

type Reply = (query: Buffer, transport: Transport, send: (answer: Buffer) => void) => void

/** UDP takes any free port; if TCP cannot have the same one, both try another. */
async function listen(reply: Reply, withTcp: boolean, wanted: number) {
  const udp = createSocket('udp4')
  // A client may be gone when its answer is ready.
  udp.on('message', (query, from) => reply(query, 'udp', answer => udp.send(answer, from.port, from.address, () => {})))
  await once(udp.bind(wanted, '127.0.0.1'), 'listening')
  const { port } = udp.address()
  const closeUdp = () => new Promise<void>(resolve => udp.close(() => resolve()))
  if (!withTcp) return { port, close: closeUdp }

  const connections = new Set<Socket>()
  const tcp = createServer(connection => {
    connections.add(connection.on('close', () => connections.delete(connection)).on('error', () => {}))
    serveConnection(connection, reply)
  })
  try {
    await once(tcp.listen(port, '127.0.0.1'), 'listening')
  } catch (error) {
    await closeUdp()
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || wanted !== 0) throw error
    return listen(reply, withTcp, wanted)
  }

  async function close() {
    for (const connection of connections) connection.destroy()
    await Promise.all([closeUdp(), new Promise<void>(resolve => tcp.close(() => resolve()))])
  }
  return { port, close }
}

/** RFC 1035 section 4.2.2: two octets of length before each message. */
function serveConnection(connection: Socket, reply: Reply): void {
  let rest: Buffer = Buffer.alloc(0)
  connection.on('data', chunk => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
      const end = 2 + rest.readUInt16BE(0)
      reply(rest.subarray(2, end), 'tcp', answer =>
        connection.write(Buffer.concat([Buffer.of(answer.length >> 8, answer.length & 0xff), answer]))
      )
      rest = rest.subarray(end)
    }
  })
}

import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createTCPServer, createUDPServer, type DnsHandler } from 'dns2'
import { answerTo, type DnsOutcome, type Transport, type TxtRecords } from './dns-answer.ts'

/** An authoritative DNS server for TXT records on loopback, over UDP and TCP. */
export interface DnsServer {
  /** for `dnsTxtLookup({ servers: [address] })` */
  readonly address: string
  /** name -> what to answer instead of the name's records; may change at any time */
  readonly outcomes: Map<string, DnsOutcome>
  /** how many queries have come in: at all, for a name, over a transport */
  queries(name?: string, transport?: Transport): number
  /** the names that were asked for, each once, in lower case */
  names(): string[]
  /** keeps answers back until `release`; resolves when there is one */
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

  const handlerFor = (transport: Transport): DnsHandler => {
    return (request, send) => {
      const name = request.questions[0]?.name.toLowerCase() ?? ''
      seen.push({ name, transport })
      const found = Object.hasOwn(records, name) ? records[name] : undefined
      const answer = answerTo(request, transport, found, outcomes.get(name))
      if (answer === undefined) return
      if (held === undefined) return send(answer)
      held.push(() => send(answer))
      onHeld?.()
    }
  }

  const sockets = await listen(handlerFor, tcp, wanted)
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

/** UDP takes any free port; if TCP cannot have the same one, both try another. */
async function listen(handlerFor: (transport: Transport) => DnsHandler, withTcp: boolean, wanted: number) {
  const udp = createUDPServer(handlerFor('udp'))
  await udp.listen(wanted, '127.0.0.1')
  const { port } = udp.address()
  const closeUdp = () => new Promise<void>(resolve => udp.close(resolve))
  if (!withTcp) return { port, close: closeUdp }

  const connections = new Set<Socket>()
  const tcp = createTCPServer(handlerFor('tcp'))
  tcp.on('connection', (connection: Socket) => {
    connections.add(connection)
    connection.on('close', () => connections.delete(connection))
  })
  try {
    tcp.listen(port, '127.0.0.1')
    await once(tcp, 'listening')
  } catch (error) {
    await closeUdp()
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || wanted !== 0) throw error
    return listen(handlerFor, withTcp, wanted)
  }

  async function close() {
    for (const connection of connections) connection.destroy()
    await Promise.all([closeUdp(), new Promise<void>(resolve => tcp.close(() => resolve()))])
  }
  return { port, close }
}

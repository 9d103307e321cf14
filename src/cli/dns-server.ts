import { once } from 'node:events'
import { isIP, type Socket } from 'node:net'
import { createTCPServer, createUDPServer, type DnsHandler, Packet } from 'dns2'
import { UsageError } from './usage.ts'

export interface RecordServer {
  /** where it listens, such as `127.0.0.1:5353` */
  address: string
  close(): void
}

/**
 * Serves one TXT record over UDP and TCP, and says of every other name that it does not exist. The protocol is the
 * library's: an answer over 512 octets is truncated over UDP, and asked for again over TCP.
 */
export async function serveRecord(
  address: string,
  name: string,
  chunks: readonly string[]
): Promise<RecordServer> {
  const { ip, port } = parseAddress(address)
  const udp = createUDPServer({ type: isIP(ip) === 6 ? 'udp6' : 'udp4' })
  const tcp = createTCPServer()
  const sockets = new Set<Socket>()
  const handler = answerWith(name, chunks)
  udp.on('request', handler)
  tcp.on('request', handler)
  tcp.on('connection', socket => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const close = () => {
    udp.close()
    tcp.close()
    for (const socket of sockets) socket.destroy()
  }

  try {
    udp.bind(port, ip)
    await once(udp, 'listening')
    tcp.listen(udp.address().port, ip)
    await once(tcp, 'listening')
  } catch (error) {
    close()
    throw new UsageError(`cannot serve DNS on ${address}: ${(error as NodeJS.ErrnoException).code}`)
  }
  return { address: `${ip.includes(':') ? `[${ip}]` : ip}:${udp.address().port}`, close }
}

function parseAddress(address: string): { ip: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(address) ?? []
  const ip = bracketed ?? plain ?? ''
  if (isIP(ip) === 0 || Number(port) > 65_535) {
    throw new UsageError('--serve-dns takes an IP address and a port, such as 127.0.0.1:5353')
  }
  return { ip, port: Number(port) }
}

/** RFC 1035 section 4.1.1; dns2 has it, but not in its types. */
const NXDOMAIN = 3

const answerWith =
  (name: string, chunks: readonly string[]): DnsHandler =>
  (request, send) => {
    const answer = Packet.createResponseFromRequest(request)
    const [question] = request.questions
    answer.header.aa = 1
    if (question?.name.toLowerCase() !== name) answer.header.rcode = NXDOMAIN
    else if (question.type === Packet.TYPE.TXT) {
      answer.answers.push(Packet.createResourceFromQuestion(question, { ttl: 0, data: [...chunks] }))
    }
    send(answer)
  }

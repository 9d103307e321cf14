import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { type Answer, AUTHORITATIVE_ANSWER, decode, encode, RECURSION_DESIRED, TRUNCATED_RESPONSE } from 'dns-packet'
import { runInside } from '../../support/run-cli.ts'

/**
 * Runs in a network namespace of its own, where this process has every address: it is the resolver, the name servers of
 * hostile zones, and the servers at the private addresses that these zones name. Prints the cost of each zone, as JSON.
 */

const RESOLVER = '127.0.0.1'
const PUBLIC = Array.from({ length: 20 }, (_, i) => `192.0.2.${i + 1}`)
/** Addresses of private networks, and addresses at which clouds serve their metadata. */
const NETWORKS = ['127.0.0.2', '10.0.0.1', '172.16.0.1', '192.168.0.1']
const PRIVATE = [...NETWORKS, '169.254.169.254', '100.100.100.200', '168.63.129.16']

export interface HostileResult {
  readonly code: number
  readonly stdout: string
  /** messages of the command itself: those of the receiver's lookup have no flag but RD */
  readonly sent: number
  /** packets and connections that came to a private address */
  readonly toPrivate: number
  /** the names that were asked for */
  readonly names: readonly string[]
}

let result = { sent: 0, toPrivate: 0, names: new Set<string>() }

type Type = 'NS' | 'A' | 'AAAA' | 'CNAME'
const record = (type: Type, name: string, data: string): Answer => ({ type, name, data, ttl: 60 })
const servers = (zone: string, count: number) =>
  Array.from({ length: count }, (_, i) => record('NS', zone, `ns${i}.${zone}`))
const indexOf = (name: string): number => Number(/^ns(\d+)/.exec(name)?.[1] ?? 0)
const at = (addresses: readonly string[], name: string) => [
  record('A', name, addresses[indexOf(name) % addresses.length]!)
]

/** Gives the replies of each zone about a name, by type; `txt` also as an endless chain of aliases. */
const ZONES: Readonly<Record<string, Partial<Record<string, (name: string, zone: string) => Answer[]>>>> = {
  'private.example': {
    NS: (_, zone) => servers(zone, PRIVATE.length),
    A: name => at(PRIVATE, name),
    AAAA: name => [record('AAAA', name, ['::1', '::ffff:10.0.0.1', '64:ff9b::a00:1'][indexOf(name) % 3]!)]
  },
  'costly.example': {
    NS: (_, zone) => servers(zone, 200),
    A: name => at(PUBLIC, name),
    TXT: name => [record('CNAME', name, `a.${name}`)]
  },
  'large.example': { NS: (_, zone) => servers(zone, 1000) },
  'escapes.example': {
    NS: (_, zone) => [record('NS', zone, `ns0.${zone}`), record('NS', zone, `\x1b[31m.${zone}`)],
    A: name => at(PUBLIC, name),
    TXT: name => [record('CNAME', name, '\x1b]0;title\x07.example'), { type: 'TXT', name, data: '\x1b[2J\x9b1m' }]
  }
}

function replyTo(message: Buffer, address: string, max: number): Buffer {
  const query = decode(message)
  const { type, name } = query.questions![0]!
  if ((query.flags! & 0xfff0) !== RECURSION_DESIRED) result.sent++
  result.names.add(name)
  if (address !== RESOLVER && !PUBLIC.includes(address)) result.toPrivate++
  const zone = Object.keys(ZONES).find(zone => name === zone || name.endsWith(`.${zone}`)) ?? ''
  const answers = (type === 'NS' && name !== zone ? [] : ZONES[zone]?.[type]?.(name, zone)) ?? []
  const parts = { type: 'response', id: query.id, questions: query.questions } as const
  const reply = encode({ ...parts, flags: address === RESOLVER ? 0 : AUTHORITATIVE_ANSWER, answers })
  return reply.length > max ? encode({ ...parts, flags: TRUNCATED_RESPONSE }) : reply
}

async function serve(address: string): Promise<void> {
  const udp = createSocket('udp4', (message, from) =>
    udp.send(replyTo(message, address, 1232), from.port, from.address)
  )
  const tcp = createServer(socket => {
    if (address !== RESOLVER && !PUBLIC.includes(address)) result.toPrivate++
    socket.on('error', () => {})
    socket.on('data', query => {
      const reply = replyTo(query.subarray(2), address, 65_535)
      socket.end(Buffer.concat([Buffer.of(reply.length >> 8, reply.length & 0xff), reply]))
    })
  })
  await Promise.all([once(udp.bind(53, address), 'listening'), once(tcp.listen(53, address), 'listening')])
}

execFileSync('ip', ['link', 'set', 'lo', 'up'])
for (const address of [...PUBLIC, ...PRIVATE.slice(1)])
  execFileSync('ip', ['addr', 'add', `${address}/32`, 'dev', 'lo'])
await Promise.all([RESOLVER, ...PUBLIC, ...PRIVATE].map(serve))

const results: Record<string, HostileResult> = {}
for (const zone of Object.keys(ZONES))
  for (const flag of ['--private', '--json', '--lookup-timeout=2000']) {
    result = { sent: 0, toPrivate: 0, names: new Set() }
    const finished = await runInside(['key', `one._domainkey.${zone}`, '--dns-server', RESOLVER, flag])
    const { sent, toPrivate, names } = result
    results[`${zone} ${flag}`] = { code: finished.code!, stdout: finished.stdout, sent, toPrivate, names: [...names] }
  }
process.stdout.write(JSON.stringify(results), () => process.exit())

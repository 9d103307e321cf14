import { connect } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { service } from '../../test/support/service.ts'
import { until } from '../../test/support/until.ts'
import { wire } from '../../test/support/wire.ts'
import { startRecordingUpstream } from './recording-upstream.ts'
import { startTestGateway } from './start.ts'

/** Starts a gateway in front of a recording upstream. */
async function startRecorded(observe: boolean) {
  const upstream = await startRecordingUpstream()
  const gateway = await startTestGateway(upstream.url, { observe, replay: { kind: 'none' } })
  afterAll(async () => {
    await gateway.close()
    await upstream.close()
  })
  return { upstream, gateway }
}
const required = await startRecorded(false)
const observed = await startRecorded(true)

const KB = 1024
/** The limits of a small body, and of what Node.js reads at once. */
const SIZES = [0, 1, ...[16, 64].flatMap(size => [size * KB - 1, size * KB, size * KB + 1]), 200 * KB]

const bodyOf = (length: number, seed: number): Buffer => Buffer.alloc(length, `${seed}, `)

const withLength = (target: string, body: Buffer): Buffer => wire(service.sign({ method: 'POST', target, body }))

/** Writes a request with its body in two chunks, and with a trailer. */
function inChunks(target: string, body: Buffer): Buffer {
  const { headers } = service.sign({ method: 'POST', target, body, headers: { 'Content-Length': undefined } })
  const head = [...headers, ['Transfer-Encoding', 'chunked']].map(line => line.join(': ')).join('\r\n')
  const half = body.length >> 1
  const chunks = [body.subarray(0, half), body.subarray(half)].filter(({ length }) => length > 0)
  return Buffer.concat([
    Buffer.from(`POST ${target} HTTP/1.1\r\n${head}\r\n\r\n`, 'latin1'),
    ...chunks.flatMap(chunk => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
    Buffer.from('0\r\nX-Trailer: GET /other HTTP/1.1\r\n\r\n')
  ])
}

/** Sends these octets on one connection, in parts that end at these places; returns the statuses of the answers. */
async function statusesOf(address: string, octets: Buffer, cuts: readonly number[], count: number): Promise<string[]> {
  const socket = connect(Number(address.split(':')[1]), '127.0.0.1').setNoDelay(true)
  let answer = ''
  socket.on('data', chunk => {
    answer += chunk.toString('latin1')
  })
  const statuses = () => answer.match(/HTTP\/1\.1 \d+/g) ?? []
  let from = 0
  for (const to of [...cuts, octets.length]) {
    await new Promise(resolve => socket.write(octets.subarray(from, to), resolve))
    await new Promise(setImmediate)
    from = to
  }
  await until(() => statuses().length >= count || socket.destroyed)
  socket.destroy()
  return statuses()
}

test.each([
  ['with a length', withLength, required],
  ['in chunks with a trailer', inChunks, required],
  ['with a length, observed', withLength, observed],
  ['in chunks with a trailer, observed', inChunks, observed]
] as const)(
  'the upstream gets each body as it was sent, whole, in parts and pipelined: %s',
  async (_, make, started) => {
    const { upstream, gateway } = started
    for (const size of SIZES) {
      const bodies = [bodyOf(size, 1), bodyOf(size, 2), bodyOf(3, 3)]
      const requests = bodies.map((body, at) => make(`/${at}`, body))
      const octets = Buffer.concat(requests)
      const first = requests[0]!.length
      const head = requests[0]!.indexOf('\r\n\r\n') + 4
      const second = first + requests[1]!.length
      for (const cuts of [
        [],
        [head],
        [head, first - 1],
        [head + (size >> 1)],
        [first],
        [first + 10],
        [first, second]
      ]) {
        const before = upstream.requests.length
        const statuses = await statusesOf(gateway.address, octets, cuts, bodies.length)
        expect([size, cuts, statuses]).toEqual([size, cuts, bodies.map(() => 'HTTP/1.1 200')])
        const seen = upstream.requests.slice(before)
        expect(seen.map(({ requestLine }) => requestLine)).toEqual(bodies.map((_, at) => `POST /${at} HTTP/1.1`))
        expect(seen.map(({ body }, at) => body.equals(bodies[at]!))).toEqual(bodies.map(() => true))
      }
    }
    expect(upstream.strays).toEqual([])
  }
)

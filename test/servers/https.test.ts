import { Agent, createServer } from 'node:https'
import { afterAll, beforeEach, expect, test } from 'vitest'
import {
  createVerifier,
  dnsTxtLookup,
  fromNodeRequest,
  httpStatus,
  type ReceivedRequest,
  type Verdict
} from '../../src/index.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { makeCertificate, type Recipient, send } from '../support/https.ts'
import { listen } from '../support/listen.ts'
import { service } from '../support/service.ts'
import { failuresOf } from '../support/verdicts.ts'

const HOST = 'receiver.example'
const MEGABYTE = 1_000_000

const dns = await startDnsServer(service.records)
const certificate = await makeCertificate(HOST)
const verify = createVerifier({
  ...service.options,
  hosts: HOST,
  lookupTxt: dnsTxtLookup({ servers: [dns.address] }),
  maxBodyBytes: 6 * MEGABYTE
})

/** Collects the server's view of each request, in the order of the verdicts. */
let judged: { verdict: Verdict; chunksRead: number; bodyTouched: boolean }[] = []

const server = createServer(certificate, async (req, res) => {
  const received = fromNodeRequest(req)
  let chunksRead = 0
  async function* counted() {
    for await (const chunk of received.body as AsyncIterable<Uint8Array>) {
      chunksRead += 1
      yield chunk
    }
  }
  const verdict = await verify({ ...received, body: counted() })
  judged.push({ verdict, chunksRead, bodyTouched: req.readableDidRead })
  res.writeHead(httpStatus(verdict)).end(verdict.status)
})
const recipient: Recipient = { host: HOST, port: await listen(server), cert: certificate.cert }

beforeEach(() => {
  judged = []
})

afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await dns.close()
})

async function exchange(request: ReceivedRequest) {
  const status = await send(request, recipient)
  expect(judged).toHaveLength(1)
  return { status, ...judged[0]! }
}

test('a body of 5 MB that arrives in many pieces is verified, byte for byte', async () => {
  const body = Buffer.alloc(5 * MEGABYTE)
  for (let i = 0; i < body.length; i++) body[i] = (i * i) >> 7
  const { status, verdict, chunksRead } = await exchange(service.sign({ body }))
  expect(failuresOf(verdict)).toEqual([])
  expect(status).toBe(200)
  expect(chunksRead).toBeGreaterThan(10)
  expect(verdict.status === 'verified' && body.equals(verdict.body)).toBe(true)
})

const body = Buffer.alloc(40 * MEGABYTE)
test.each([
  ['a body over maxBodyBytes', { body }, 413, 'digest: body-too-large'],
  ['a large body that is not read', { body, date: new Date(0) }, 401, 'date: date-too-old']
])(
  '%s: the sender gets its status, not a reset, and the connection serves the next',
  async (_, sent, status, failed) => {
    expect(await send(service.sign(sent), recipient)).toBe(status)
    expect(failuresOf(judged[0]!.verdict)).toEqual([failed])

    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const sender = { ...recipient, agent }
    let connections = 0
    const count = () => connections++
    server.on('secureConnection', count)
    expect(await send(service.sign(sent), sender)).toBe(status)
    expect(failuresOf(judged[0]!.verdict)).toEqual([failed])
    expect(await send(service.sign({ body: 'next' }), sender)).toBe(200)
    expect(connections).toBe(1)
    server.off('secureConnection', count)
    agent.destroy()
  }
)

test('an attacker cannot make the receiver ask DNS or read a body: a local check fails before', async () => {
  const asked = dns.queries()
  const request = service.sign({ body: Buffer.alloc(MEGABYTE), date: new Date(0) })
  const { verdict, chunksRead, bodyTouched } = await exchange(request)
  expect(failuresOf(verdict)).toEqual(['date: date-too-old'])
  const queries = dns.queries() - asked
  expect({ chunksRead, bodyTouched, queries }).toEqual({ chunksRead: 0, bodyTouched: false, queries: 0 })
})

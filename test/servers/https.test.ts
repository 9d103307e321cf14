import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, createServer } from 'node:https'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createVerifier,
  dnsTxtLookup,
  fromNodeRequest,
  httpStatus,
  type ReceivedRequest,
  type Verdict
} from '../../src/index.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { makeCertificate, type Recipient, send } from '../support/https.ts'
import { listen } from '../support/listen.ts'
import { service } from '../support/service.ts'
import { failuresOf } from '../support/verdicts.ts'

const HOST = 'receiver.example'
const MEGABYTE = 1_000_000

let dns: DnsServer
let recipient: Recipient
const server = createServer()

/** What the server made of each request, in the order of the verdicts. */
let judged: { verdict: Verdict; chunksRead: number; bodyTouched: boolean }[] = []

beforeAll(async () => {
  const certificate = await makeCertificate(HOST)
  dns = await startDnsServer(service.records)
  const verify = createVerifier({
    ...service.options,
    hosts: HOST,
    lookupTxt: dnsTxtLookup({ servers: [dns.address] }),
    maxBodyBytes: 6 * MEGABYTE
  })

  async function receive(req: IncomingMessage, res: ServerResponse) {
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
    server.emit('judged')
  }

  server.setSecureContext(certificate)
  server.on('request', receive)
  recipient = { host: HOST, port: await listen(server), cert: certificate.cert }
})

beforeEach(() => {
  judged = []
  dns.outcomes.clear()
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

describe('what is verified', () => {
  test('a body of 5 MB that arrives in many pieces, byte for byte', async () => {
    const body = Buffer.alloc(5 * MEGABYTE)
    for (let i = 0; i < body.length; i++) body[i] = (i * i) >> 7
    const { status, verdict, chunksRead } = await exchange(service.sign({ body }))
    expect(failuresOf(verdict)).toEqual([])
    expect(status).toBe(200)
    expect(chunksRead).toBeGreaterThan(10)
    expect(verdict.status === 'verified' && body.equals(verdict.body)).toBe(true)
  })
})

describe('what is refused', () => {
  test('a body over maxBodyBytes: the sender gets a 413, not a reset', async () => {
    const { status, verdict } = await exchange(service.sign({ body: Buffer.alloc(40 * MEGABYTE) }))
    expect(failuresOf(verdict)).toEqual(['digest: body-too-large'])
    expect(status).toBe(413)
  })

  test.each([
    ['a body over maxBodyBytes', () => service.sign({ body: Buffer.alloc(40 * MEGABYTE) }), 413],
    ['a large body that is not read', () => service.sign({ body: Buffer.alloc(40 * MEGABYTE), date: new Date(0) }), 401]
  ])('after %s the connection serves the next request', async (_, refused, status) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const sender = { ...recipient, agent }
    let connections = 0
    const count = () => connections++
    server.on('secureConnection', count)
    expect(await send(refused(), sender)).toBe(status)
    expect(await send(service.sign({ body: 'next' }), sender)).toBe(200)
    expect(connections).toBe(1)
    server.off('secureConnection', count)
    agent.destroy()
  })
})

describe('a stranger cannot make the receiver read a body', () => {
  test('a local check fails: neither DNS nor the body is touched', async () => {
    const asked = dns.queries()
    const request = service.sign({ body: Buffer.alloc(MEGABYTE), date: new Date(0) })
    const { verdict, chunksRead, bodyTouched } = await exchange(request)
    expect(failuresOf(verdict)).toEqual(['date: date-too-old'])
    expect({ chunksRead, bodyTouched, queries: dns.queries() - asked }).toEqual({
      chunksRead: 0,
      bodyTouched: false,
      queries: 0
    })
  })
})

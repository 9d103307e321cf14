import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createVerifier,
  dnsTxtLookup,
  fromNodeRequest,
  httpStatus,
  type ReceivedRequest,
  type Verdict
} from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { makeCertificate, open, type Recipient, send } from '../support/https.ts'
import { failuresOf } from '../support/verdicts.ts'

const HOST = 'receiver.example'
const MEGABYTE = 1_000_000
const service = createTestService({ rsaBits: 1024 })
const keyId = Object.keys(service.records)[0]!

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
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  recipient = { host: HOST, port: (server.address() as AddressInfo).port, cert: certificate.cert }
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
  test('a POST of JSON', async () => {
    const body = '{"event":"order.paid","amount":"12,50 €"}'
    const { status, verdict } = await exchange(service.sign({ target: '/hooks?kind=paid', body }))
    expect(failuresOf(verdict)).toEqual([])
    expect(status).toBe(200)
    expect(verdict.status === 'verified' && Buffer.from(verdict.body).toString('utf8')).toBe(body)
  })

  test('a GET without a body', async () => {
    const { status, verdict } = await exchange(service.sign({ method: 'GET', target: '/content/42' }))
    expect(failuresOf(verdict)).toEqual([])
    expect(status).toBe(200)
    expect(verdict.status === 'verified' && verdict.body.length).toBe(0)
  })

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
  test('a body that was changed on the way', async () => {
    const request = service.sign({ body: '{"amount":100}' })
    const { status, verdict } = await exchange({ ...request, body: '{"amount":900}' })
    expect(failuresOf(verdict)).toEqual(['digest: digest-mismatch'])
    expect(status).toBe(401)
  })

  test('a body over maxBodyBytes: the sender gets a 413, not a reset', async () => {
    const { status, verdict } = await exchange(service.sign({ body: Buffer.alloc(40 * MEGABYTE) }))
    expect(failuresOf(verdict)).toEqual(['digest: body-too-large'])
    expect(status).toBe(413)
  })

  test.each([
    ['a body over maxBodyBytes', () => service.sign({ body: Buffer.alloc(40 * MEGABYTE) }), 413],
    [
      'a large body that is not read',
      () => service.sign({ body: Buffer.alloc(40 * MEGABYTE), date: new Date(0) }),
      401
    ]
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

  test('the signature fails', async () => {
    const request = service.sign({ body: Buffer.alloc(MEGABYTE) })
    const { verdict, chunksRead, bodyTouched } = await exchange({ ...request, target: '/elsewhere' })
    expect(failuresOf(verdict)).toEqual(['signature: signature-mismatch'])
    expect({ chunksRead, bodyTouched }).toEqual({ chunksRead: 0, bodyTouched: false })
  })

  test('DNS does not answer', async () => {
    dns.outcomes.set(keyId, 'servfail')
    const { status, verdict, chunksRead, bodyTouched } = await exchange(
      service.sign({ body: Buffer.alloc(MEGABYTE) })
    )
    expect(failuresOf(verdict)).toEqual(['key: key-lookup-failed'])
    expect({ status, chunksRead, bodyTouched }).toEqual({ status: 503, chunksRead: 0, bodyTouched: false })
  })
})

describe('an interrupted upload cannot be judged', () => {
  const body = Buffer.alloc(MEGABYTE)

  test('while the body is read', async () => {
    const outgoing = open(service.sign({ body }), recipient)
    outgoing.on('error', () => {})
    outgoing.write(body.subarray(0, MEGABYTE / 2), () => outgoing.destroy())
    await once(server, 'judged')
    expect(failuresOf(judged[0]!.verdict)).toEqual(['digest: body-unreadable'])
    expect(judged[0]!.verdict.status).toBe('unavailable')
  })

  test('before the body is read, while DNS is asked', async () => {
    const asked = dns.hold()
    const outgoing = open(service.sign({ body }), recipient)
    outgoing.on('error', () => {})
    outgoing.write(body.subarray(0, 1000))
    const [req] = await once(server, 'request')
    await asked
    const closed = new Promise(resolve => req.on('close', resolve))
    outgoing.destroy()
    await closed
    const verdictGiven = once(server, 'judged')
    dns.release()
    await verdictGiven
    expect(failuresOf(judged[0]!.verdict)).toEqual(['digest: body-unreadable'])
    expect(judged[0]!.verdict.status).toBe('unavailable')
  })
})

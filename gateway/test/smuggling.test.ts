import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestService, type SignedTestRequest } from '../../src/testing/index.ts'
import { type Attempt, attempts, wire } from './attempts.ts'
import { converse } from './raw-client.ts'
import { type RecordedRequest, type RecordingUpstream, startRecordingUpstream } from './recording-upstream.ts'
import { startTestGateway, type TestGateway } from './start.ts'

/** The attempts publish a key of their own. */
const service = createTestService({ rsaBits: 1024 })
const all = attempts(service, createTestService({ rsaBits: 1024 }))
const observedAttempts = attempts(service, createTestService({ rsaBits: 1024 }))

let upstream: RecordingUpstream
let gateway: TestGateway
beforeAll(async () => {
  upstream = await startRecordingUpstream()
  gateway = await startTestGateway(new URL(upstream.url), {}, service)
})
afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

/** What the gateway adds. */
const ADDED = ['signed-request-account', 'signed-request-key', 'signed-request-date', 'signed-request-id']
/** Framing and the connection are the gateway's own. */
const ITS_OWN = ['content-length', 'connection']

const summary = ({ requestLine, lines, body }: RecordedRequest) => ({
  requestLine,
  lines: hostFirst(lines.filter(([name]) => ![...ADDED, ...ITS_OWN].includes(name.toLowerCase()))),
  body: body.toString('latin1')
})

/** RFC 9110 section 7.2: Host is the first line. */
const hostFirst = (lines: RecordedRequest['lines']): RecordedRequest['lines'] => [
  ...lines.filter(([name]) => name.toLowerCase() === 'host').map(([, value]) => ['host', value] as const),
  ...lines.filter(([name]) => name.toLowerCase() !== 'host')
]

/** The request as the sender wrote it on the wire, without what must not be passed on. */
function expectedOf(request: SignedTestRequest, { octets, removed = [] }: Attempt) {
  const gone = new Set([...ITS_OWN, ...ADDED, ...removed])
  const text = octets.toString('latin1')
  const start = text.indexOf(` ${request.target} HTTP/1.`)
  const [, ...lines] = text.slice(start, text.indexOf('\r\n\r\n', start)).split('\r\n')
  return {
    requestLine: `${request.method} ${request.target} HTTP/1.1`,
    lines: hostFirst(
      lines
        .map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as const)
        .filter(([name]) => !gone.has(name.toLowerCase()))
    ),
    body: Buffer.from(request.body ?? []).toString('latin1')
  }
}

const valuesOf = ({ lines }: RecordedRequest, name: string): string[] =>
  lines.filter(([header]) => header.toLowerCase() === name).map(([, value]) => value)

describe('the upstream sees exactly the requests that were verified', () => {
  test.each(all.map(attempt => [attempt.name, attempt] as const))('%s', async (_, attempt) => {
    const before = upstream.requests.length
    const { octets, reaches, statuses, isCutOff } = attempt
    const staysOpen = 'either' in statuses ? 1 : statuses.every(status => status < 400) && statuses.length
    const conversation = await converse(gateway.address, octets, { ...(staysOpen && { until: staysOpen }), isCutOff })

    // A good request on a connection of its own: what came before it is there by now.
    const last = service.sign({ target: '/last' })
    expect((await converse(gateway.address, wire(last), { until: 1 })).statuses).toEqual([200])

    const seen = upstream.requests.slice(before)
    expect(upstream.strays).toEqual([])
    expect(seen.map(({ requestLine }) => requestLine)).toEqual(
      [...reaches, last].map(({ method, target }) => `${method} ${target} HTTP/1.1`)
    )
    for (const [i, request] of reaches.entries()) {
      expect(summary(seen[i]!)).toEqual(expectedOf(request, attempt))
      expect(valuesOf(seen[i]!, 'content-length').join() || '0').toBe(String(request.body?.length ?? 0))
      expect(valuesOf(seen[i]!, 'signed-request-account')).toEqual(['1234'])
      expect(valuesOf(seen[i]!, 'signed-request-key')).toEqual([
        expect.stringMatching(/^(?:key1|any)\._domainkey\.service\.example$/)
      ])
      expect(valuesOf(seen[i]!, 'signed-request-date')).toHaveLength(1)
      expect(valuesOf(seen[i]!, 'signed-request-id')).toHaveLength(1)
    }
    if ('either' in statuses) expect(statuses.either).toContainEqual(conversation.statuses)
    else expect(conversation.statuses).toEqual(statuses)
  })

  test('at least 60 attempts are made', () => {
    expect(all.length).toBeGreaterThanOrEqual(60)
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  })
})

describe('observing: everything that arrives is framed by the gateway and has its mark', () => {
  let observed: RecordingUpstream
  let observing: TestGateway
  beforeAll(async () => {
    observed = await startRecordingUpstream()
    observing = await startTestGateway(new URL(observed.url), { observe: true }, service)
  })
  afterAll(async () => {
    await observing?.close()
    await observed?.close()
  })
  const verdictOf = (request: RecordedRequest) => valuesOf(request, 'signed-request-verdict')

  // Behind a forgery others follow here: there is no refusal that would end the connection.
  const alone = observedAttempts.filter(({ isPipelined }) => !isPipelined)
  test.each(alone.map(attempt => [attempt.name, attempt] as const))('%s', async (_, { octets, isCutOff, reaches }) => {
    const before = observed.requests.length
    await converse(observing.address, octets, { until: 1, isCutOff })
    const last = service.sign({ target: '/last' })
    await converse(observing.address, wire(last), { until: 1 })

    const seen = observed.requests.slice(before)
    expect(observed.strays).toEqual([])
    expect(seen.at(-1)?.requestLine).toBe('GET /last HTTP/1.1')
    for (const request of seen) {
      expect(verdictOf(request)).toEqual([expect.stringMatching(/^(?:verified|rejected; [\w, -]+)$/)])
      const isVerified = verdictOf(request)[0] === 'verified'
      expect(valuesOf(request, 'signed-request-account')).toEqual(isVerified ? ['1234'] : [])
      expect(valuesOf(request, 'content-length').join() || '0').toBe(String(request.body.length))
    }
    const verified = seen.slice(0, -1).filter(request => verdictOf(request)[0] === 'verified')
    const targets = verified.map(({ requestLine }) => requestLine.split(' ')[1])
    expect(targets).toEqual(reaches.map(({ target }) => target))
  })
})

test('nothing arrived later', async () => {
  const before = upstream.requests.length
  await gateway.close()
  expect(upstream.requests.length).toBe(before)
  expect(upstream.strays).toEqual([])
})

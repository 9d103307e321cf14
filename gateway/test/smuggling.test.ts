import { afterAll, describe, expect, test } from 'vitest'
import { createTestService, type SignedTestRequest } from '../../src/testing/index.ts'
import { type Attempt, attempts, wire } from './attempts.ts'
import { parserAttempts } from './parser-attempts.ts'
import { converse } from './raw-client.ts'
import { type RecordedRequest, startRecordingUpstream } from './recording-upstream.ts'
import { startTestGateway } from './start.ts'

/** The attempts publish a key of their own. */
const service = createTestService({ rsaBits: 1024 })
const all = [...attempts(service, createTestService({ rsaBits: 1024 })), ...parserAttempts(service)]

/** Starts a gateway in front of a recording upstream. */
async function startRecorded(observe: boolean) {
  const upstream = await startRecordingUpstream()
  const gateway = await startTestGateway(upstream.url, { observe }, service)
  afterAll(async () => {
    await gateway.close()
    await upstream.close()
  })
  /** Sends an attempt, and then a good request on a connection of its own; returns what the upstream saw. */
  async function send(octets: Buffer, how: Parameters<typeof converse>[2]) {
    const before = upstream.requests.length
    const { statuses } = await converse(gateway.address, octets, how)
    // By now the attempt has reached the upstream.
    const last = service.sign({ target: '/last' })
    expect((await converse(gateway.address, wire(last), { until: 1 })).statuses).toEqual([200])
    expect(upstream.strays).toEqual([])
    return { statuses, seen: upstream.requests.slice(before), last }
  }
  return { upstream, gateway, send }
}
const recorded = await startRecorded(false)
const observed = await startRecorded(true)

/** The gateway adds these. */
const ADDED = ['signed-request-account', 'signed-request-key', 'signed-request-date', 'signed-request-id']
/** Framing and the connection are the gateway's own. */
const ITS_OWN = ['content-length', 'connection']

const isHost = ([name]: readonly [string, string]) => name.toLowerCase() === 'host'

/** Selects what must be the same on both sides. RFC 9110 section 7.2: Host is the first line. */
const summary = ({ requestLine, lines, body }: RecordedRequest, removed: readonly string[] = []) => {
  const kept = lines.filter(([name]) => ![...ADDED, ...ITS_OWN, ...removed].includes(name.toLowerCase()))
  const host = kept.filter(isHost).map(([, value]) => ['host', value])
  return { requestLine, lines: [...host, ...kept.filter(line => !isHost(line))], body: body.toString('latin1') }
}

const requestLineOf = ({ method, target }: SignedTestRequest) => `${method} ${target} HTTP/1.1`

/** Returns the request as the sender wrote it on the wire, without the parts that must not be passed on. */
function expectedOf(request: SignedTestRequest, { octets, removed }: Attempt) {
  const text = octets.toString('latin1')
  const start = Math.max(...['HTTP', 'RTSP'].map(name => text.indexOf(` ${request.target} ${name}/1.`)))
  const [, ...fields] = text.slice(start, text.indexOf('\r\n\r\n', start)).split('\r\n')
  const lines = fields.map(
    line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as const
  )
  return summary({ requestLine: requestLineOf(request), lines, body: Buffer.from(request.body ?? []) }, removed)
}

const valuesOf = ({ lines }: RecordedRequest, name: string): string[] =>
  lines.filter(([header]) => header.toLowerCase() === name).map(([, value]) => value)

const lengthOf = (request: RecordedRequest) => valuesOf(request, 'content-length').join() || '0'

describe('the upstream sees exactly the requests that were verified', () => {
  test.each(all.map(attempt => [attempt.name, attempt] as const))('%s', async (_, attempt) => {
    const { octets, reaches, statuses, isCutOff } = attempt
    const staysOpen =
      'either' in statuses ? 1 : statuses.every(status => status < 400 || status === 401) && statuses.length
    const { seen, last, ...answered } = await recorded.send(octets, {
      ...(staysOpen && { until: staysOpen }),
      isCutOff
    })

    expect(seen.map(({ requestLine }) => requestLine)).toEqual([...reaches, last].map(requestLineOf))
    for (const [i, request] of reaches.entries()) {
      expect(summary(seen[i]!)).toEqual(expectedOf(request, attempt))
      expect(lengthOf(seen[i]!)).toBe(String(request.body?.length ?? 0))
      const key = expect.stringMatching(/^(?:key1|any)\._domainkey\.service\.example$/)
      const added = [['1234'], [key], [expect.any(String)], [expect.any(String)]]
      expect(ADDED.map(name => valuesOf(seen[i]!, name))).toEqual(added)
    }
    if ('either' in statuses) expect(statuses.either).toContainEqual(answered.statuses)
    else expect(answered.statuses).toEqual(statuses)
  })

  test('at least 300 attempts to smuggle a request are made', () => {
    expect(all.length).toBeGreaterThanOrEqual(300)
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  })
})

describe('observing: everything that arrives is framed by the gateway and has its mark', () => {
  const verdictOf = (request: RecordedRequest) => valuesOf(request, 'signed-request-verdict')
  const isVerified = (request: RecordedRequest) => verdictOf(request)[0] === 'verified'

  // Other requests follow behind a forgery here: while observing, there is no refusal that would end the connection.
  const alone = all.filter(({ isPipelined }) => !isPipelined)
  test.each(alone.map(attempt => [attempt.name, attempt] as const))('%s', async (_, { octets, isCutOff, reaches }) => {
    const { seen } = await observed.send(octets, { until: 1, isCutOff })
    expect(seen.at(-1)?.requestLine).toBe('GET /last HTTP/1.1')
    for (const request of seen) {
      expect(verdictOf(request)).toEqual([expect.stringMatching(/^(?:verified|rejected; [\w, -]+)$/)])
      expect(valuesOf(request, 'signed-request-account')).toEqual(isVerified(request) ? ['1234'] : [])
      expect(lengthOf(request)).toBe(String(request.body.length))
    }
    const targets = seen
      .slice(0, -1)
      .filter(isVerified)
      .map(({ requestLine }) => requestLine.split(' ')[1])
    expect(targets).toEqual(reaches.map(({ target }) => target))
  })
})

test('nothing arrived later', async () => {
  const { upstream, gateway } = recorded
  const before = upstream.requests.length
  await gateway.close()
  expect(upstream.requests.length).toBe(before)
  expect(upstream.strays).toEqual([])
})

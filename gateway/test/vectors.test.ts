import { afterAll, expect, test } from 'vitest'
import { createVerifier } from '../../src/index.ts'
import { loadVectors } from '../../test/support/vectors.ts'
import { bytesOf, onTheWire } from './on-the-wire.ts'
import { converse } from './raw-client.ts'
import { startRecordingUpstream } from './recording-upstream.ts'
import { startTestGateway } from './start.ts'

const upstream = await startRecordingUpstream()
afterAll(async () => {
  await upstream.close()
  expect(upstream.strays).toEqual([])
})

const vectors = loadVectors().map(vector => ({
  vector,
  wire: onTheWire(vector),
  title: `${vector.file}: ${vector.name}`
}))
const carried = vectors.filter(({ wire }) => wire.notCarried === undefined)
const others = vectors.filter(({ wire }) => wire.notCarried !== undefined)

/**
 * Sends a vector through a gateway of its own, with its clock, DNS, accounts and store; returns whether it reached the
 * upstream.
 */
async function sendThrough({ vector, wire }: (typeof vectors)[number]) {
  const before = upstream.requests.length
  const { options: verifier, request } = vector
  const gateway = await startTestGateway(upstream.url, { verifier, https: request.https, replay: { kind: 'none' } })
  const { octets, isCutOff } = wire
  const { statuses } = await converse(gateway.address, octets, { isCutOff, until: 1 })
  await gateway.close()
  return { statuses, seen: upstream.requests.slice(before) }
}

/** The parser refuses with 400: a body that breaks off, or a head that is too large. */
const STATUSES = { verified: [200], rejected: [401, 413, 400], unavailable: [503, 400] }

test.each(carried.map(one => [one.title, one] as const))(
  'the gateway forwards the vector only if it is verified: %s',
  async (_, one) => {
    const { request, verdict } = one.vector
    const { statuses, seen } = await sendThrough(one)
    const isVerified = verdict.status === 'verified'
    const requestLine = `${request.method} ${request.target} HTTP/1.1`
    expect(seen.map(({ requestLine, body }) => ({ requestLine, body }))).toEqual(
      isVerified ? [{ requestLine, body: bytesOf(request) }] : []
    )
    expect(STATUSES[verdict.status]).toContain(statuses[0])
    expect(statuses.every(status => status >= 400)).toBe(!isVerified)
  }
)

test.each(others.map(one => [one.title, one] as const))(
  '%s: its octets are another request, which arrives only if it is verified',
  async (_, one) => {
    const { statuses, seen } = await sendThrough(one)
    for (const { requestLine, lines, body } of seen) {
      const [method = '', target = ''] = requestLine.split(' ')
      const arrived = { method, target, headers: lines, body, https: one.vector.request.https }
      expect((await createVerifier(one.vector.options)(arrived)).status).toBe('verified')
    }
    // The octets behind a verified request may not be HTTP: Node.js then answers 400 while the application is still
    // working.
    expect(statuses.filter(status => status === 200).length).toBeLessThanOrEqual(seen.length)
  }
)

test('almost all vectors can be carried', () => expect(others.length).toBeLessThan(vectors.length / 10))

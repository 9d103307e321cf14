import { afterAll, beforeAll, expect, test } from 'vitest'
import { createVerifier, type ReceivedRequest } from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import { loadVectors, type Vector } from '../../test/support/vectors.ts'
import { chunked } from './attempts.ts'
import { converse } from './raw-client.ts'
import { type RecordingUpstream, startRecordingUpstream } from './recording-upstream.ts'
import { startTestGateway } from './start.ts'

const CRLF = '\r\n'

interface OnTheWire {
  octets: Buffer
  /** less comes than was announced: the sender dies there */
  isCutOff: boolean
  /** why a request on a wire cannot be this one; its octets are sent all the same */
  notCarried: string | undefined
}

function onTheWire({ request, json }: Vector): OnTheWire {
  const { method, target, body } = json.request
  const { headers } = json.request
  const isBroken = body !== null && 'error' in body
  const bytes = isBroken ? Buffer.from('{') : bytesOf(request)
  const named = (name: string) => headers.filter(([header]) => header.toLowerCase() === name)
  const length = named('content-length')[0]?.[1]
  const isChunked = bytes.length > 0 && length === undefined
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    // A body needs a framing; this one is not among what was signed.
    ...(isChunked ? ['Transfer-Encoding: chunked'] : []),
    '',
    ''
  ]
  const content = isChunked ? chunked(bytes.toString('latin1')) : bytes.toString('latin1')
  return {
    octets: Buffer.from(lines.join(CRLF) + content, 'latin1'),
    isCutOff: isBroken || Number(length ?? 0) > bytes.length,
    notCarried: isBroken ? undefined : reasonOf(method, target, headers, length, bytes.length)
  }
}

const bytesOf = ({ body }: ReceivedRequest): Buffer => Buffer.from((body as Uint8Array | null) ?? [])

function reasonOf(
  method: string,
  target: string,
  headers: readonly (readonly [string, string])[],
  length: string | undefined,
  size: number
): string | undefined {
  const text = [method, target, ...headers.flat()].join('')
  if (/[^\x00-\xff]/.test(text)) return 'a character that is not an octet'
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(text)) return 'a control character: HTTP ends a line there, or has none'
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(method)) return 'a method that is not a token'
  if (!KNOWN_METHODS.test(method)) return 'a method that Node.js does not know'
  if (!/^[\x21-\x7e]+$/.test(target)) return 'a target with a space, empty or beyond ASCII'
  if (!/^(?:\/|https?:)/.test(target) && !(target === '*' && method === 'OPTIONS'))
    return 'a target that only CONNECT or OPTIONS has'
  if (headers.some(([name]) => !/^[!#$%&'*+.^_`|~\w-]+$/.test(name))) return 'a name that is not a token'
  if (!headers.some(([name]) => name.toLowerCase() === 'host')) return 'no Host, which HTTP/1.1 requires'
  if (length !== undefined && Number(length) !== size) return 'a body that is not as long as Content-Length'
  return undefined
}

const KNOWN_METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|LINK|PROPFIND|M-SEARCH)$/

/** Every vector brings its own options. */
const service = createTestService()
let upstream: RecordingUpstream
beforeAll(async () => {
  upstream = await startRecordingUpstream()
})

const vectors = loadVectors().map(vector => ({ vector, wire: onTheWire(vector) }))
const carried = vectors.filter(({ wire }) => wire.notCarried === undefined)
const others = vectors.filter(({ wire }) => wire.notCarried !== undefined)

/** Sends a vector through a gateway of its own, with its clock, DNS, accounts and store: did it reach the upstream? */
async function sendThrough({ vector, wire }: (typeof vectors)[number]) {
  const before = upstream.requests.length
  const { options: verifier, request } = vector
  const settings = { verifier, https: request.https, replay: { kind: 'none' } } as const
  const gateway = await startTestGateway(new URL(upstream.url), settings, service)
  const isRefused = vector.verdict.status !== 'verified' && wire.notCarried === undefined
  const { octets, isCutOff } = wire
  const { statuses } = await converse(gateway.address, octets, { isCutOff, ...(!isRefused && { until: 1 }) })
  await gateway.close()
  const seen = upstream.requests.slice(before)
  return {
    statuses,
    seen: seen.map(({ requestLine, body }) => ({ requestLine, body: body.toString('latin1') }))
  }
}

/** A refusal of the parser is 400: a body that breaks off, or a head that is too large. */
const STATUSES = { verified: [200], rejected: [401, 413, 400], unavailable: [503, 400] }

test.each(carried.map(one => [`${one.vector.file}: ${one.vector.name}`, one] as const))(
  '%s',
  async (_, one) => {
    const { request, verdict } = one.vector
    const { statuses, seen } = await sendThrough(one)
    const requestLine = `${request.method} ${request.target} HTTP/1.1`
    const isVerified = verdict.status === 'verified'
    expect(seen).toEqual(isVerified ? [{ requestLine, body: bytesOf(request).toString('latin1') }] : [])
    expect(STATUSES[verdict.status]).toContain(statuses[0])
    expect(statuses.every(status => status >= 400)).toBe(!isVerified)
  }
)

test.each(others.map(one => [`${one.vector.file}: ${one.vector.name}`, one] as const))(
  '%s: its octets are another request, which arrives only if it is verified',
  async (_, one) => {
    const before = upstream.requests.length
    const { statuses } = await sendThrough(one)
    const seen = upstream.requests.slice(before)
    for (const { requestLine, lines, body } of seen) {
      const [method = '', target = ''] = requestLine.split(' ')
      const arrived = { method, target, headers: lines, body, https: one.vector.request.https }
      expect((await createVerifier(one.vector.options)(arrived)).status).toBe('verified')
    }
    // What follows a verified request may be no HTTP: Node.js answers 400 then, while the application works on.
    expect(statuses.filter(status => status === 200).length).toBeLessThanOrEqual(seen.length)
  }
)

afterAll(async () => {
  await upstream.close()
  expect(upstream.strays).toEqual([])
})

test('almost all vectors can be carried, and the others are counted', () => {
  const counts: Record<string, number> = {}
  for (const { wire } of others) counts[wire.notCarried!] = (counts[wire.notCarried!] ?? 0) + 1
  const list = Object.entries(counts).map(([reason, count]) => `  ${count}: ${reason}`)
  console.info(
    `${carried.length} of ${vectors.length} vectors went through the gateway; not:\n${list.join('\n')}`
  )
  expect(others.length).toBeLessThan(vectors.length / 10)
})

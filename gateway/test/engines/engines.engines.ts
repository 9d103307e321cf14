import { createVerifier, type ReceivedRequest, type VerifierOptions } from 'signed-requests'
import { createTestService } from 'signed-requests/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendOverHttp2 } from '../../../test/meta/examples/senders.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { withHeaders } from '../../../test/support/service.ts'
import { loadVectors } from '../../../test/support/vectors.ts'
import { type Authorizer, startAuthorizer } from '../../src/authorize.ts'
import { onTheWire } from '../on-the-wire.ts'
import { type Application, type Seen, startApplication } from '../start.ts'
import { REROUTING } from '../support/rerouting.ts'
import { ENGINES, type RunningEngine, sendOctets, startEngine } from './engine.ts'
import { type Honest, honestRequests, octetsOf } from './honest.ts'

const service = createTestService()
const HOST = 'hooks.example.com'
const options: VerifierOptions = { ...service.options, hosts: HOST }
const honest = honestRequests(service)
const sign = (more: Parameters<typeof service.sign>[0] = {}) =>
  service.sign({ host: HOST, target: '/hook', body: '{"id":1}', ...more })

const GRANTED = ['account', 'key', 'date', 'id', 'verdict'].map(name => `signed-request-${name}`)

type Lines = readonly (readonly [name: string, value: string])[]

const linesOfRaw = (raw: readonly string[]): [name: string, value: string][] =>
  raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1]!]] : []))

/** Returns all lines of a header that the application got. */
const valuesOf = ({ rawHeaders }: Seen, wanted: string) =>
  linesOfRaw(rawHeaders).flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : []))

for (const engine of ENGINES) {
  const reason = engine.missing()
  if (reason !== undefined) console.warn(`${engine.name} is not tested: ${reason}`)

  describe.skipIf(reason !== undefined)(engine.name, () => {
    let application: Application
    let authorizerPort: number
    let running: RunningEngine
    let authorizer: Authorizer | undefined

    const authorize = async (
      verifier: VerifierOptions = options,
      https: boolean | 'x-forwarded-proto' = 'x-forwarded-proto'
    ) => {
      await authorizer?.close()
      authorizer = await startAuthorizer({
        listen: { host: '127.0.0.1', port: authorizerPort },
        from: engine.from,
        https,
        prefix: undefined,
        verifier,
        log: 'json',
        replay: { kind: 'none' },
        maxConnections: 1000,
        drainDelay: 0,
        drain: 0
      })
    }

    beforeAll(async () => {
      application = await startApplication()
      authorizerPort = await freePort()
      const ports = { authorizer: authorizerPort, application: Number(application.url.port) }
      running = await startEngine(engine, ports)
      await authorize()
    })
    afterAll(async () => {
      await running?.stop()
      await authorizer?.close()
      await application?.close()
    })

    /** Sends one request; returns what the application got of it, and the status of the response. */
    const through = async (octets: Uint8Array, isCutOff = false, limit?: number) => {
      const before = application.seen.length
      const { status, head } = await sendOctets(running.port, octets, isCutOff, limit)
      return { status, head, seen: application.seen.slice(before) }
    }
    const post = (request: ReceivedRequest = sign(), more?: Lines) => through(octetsOf({ request }, more))

    const isNormalized = ({ request }: Honest) => engine.normalizes.includes(request.target)

    test.each(honest.filter(one => !isNormalized(one)))('changes nothing of an honest request: $name', async one => {
      const { status, seen } = await through(octetsOf(one))
      expect([status, seen.length]).toEqual([200, 1])
      const [{ method, target, body } = {} as Seen] = seen
      expect([method, target]).toEqual([one.request.method, one.request.target])
      expect(body.equals(Buffer.from(one.request.body ?? []))).toBe(true)
      for (const [name, value] of one.request.headers)
        expect([name, valuesOf(seen[0]!, name.toLowerCase())]).toEqual([name, [value]])
      expect(valuesOf(seen[0]!, 'signed-request-account')).toEqual(['1234'])
      expect(valuesOf(seen[0]!, 'signed-request-id')[0]).toMatch(/^[\w=+/-]{20,}$/)
    })

    test.each(honest.filter(isNormalized))('is changed on the way, and refused: $name', async one => {
      expect(await through(octetsOf(one))).toMatchObject({ status: 401, seen: [] })
    })

    test('takes HTTP/2 in front', async () => {
      const before = application.seen.length
      const status = (request: ReceivedRequest) => sendOverHttp2(request, running.port, running.cert, HOST)
      const requests = [sign(), sign({ target: '/a//b%2F?c', body: Buffer.alloc(1_000_000, 'x') })]
      for (const request of requests) expect(await status(request)).toBe(200)
      expect(await status({ ...sign(), body: Buffer.from('{"id":2}') })).toBe(401)
      expect(application.seen.slice(before).map(({ target }) => target)).toEqual(requests.map(({ target }) => target))
    })

    test('passes an honest request with two lines of Via and of X-Forwarded-For', async () => {
      const via: Lines = [
        ['Via', '1.1 one'],
        ['Via', '1.1 two']
      ]
      const { status, seen } = await post(sign(), [
        ...via,
        ['X-Forwarded-For', '192.0.2.1'],
        ['X-Forwarded-For', '192.0.2.2']
      ])
      expect([status, seen.length]).toEqual([200, 1])
      // Envoy joins the lines without a space.
      expect(valuesOf(seen[0]!, 'via').join(', ').replaceAll(', ', ',')).toContain('1.1 one,1.1 two')
    })

    test('drops what frameworks take for the host, the path or the method', async () => {
      const { status, seen } = await post(
        sign(),
        REROUTING.map(name => [name, 'evil'] as const)
      )
      expect(status).toBe(200)
      expect(seen[0]!.rawHeaders).not.toContain('evil')
    })

    test('overwrites what a sender writes into the headers of the verdict', async () => {
      for (const name of GRANTED.flatMap(name => [name, name.toUpperCase(), name.replace(/s/g, 'S')])) {
        const { status, seen } = await post(sign(), [[name, 'evil']])
        expect([name, status]).toEqual([name, 200])
        for (const granted of GRANTED) {
          const values = valuesOf(seen[0]!, granted)
          expect([name, granted, values.length, values.includes('evil')]).toEqual([name, granted, 1, false])
        }
      }
      // The sender repeats the header, or uses a form that CGI takes for the same name.
      for (const names of [
        ['Signed-Request-Account', 'signed-request-account'],
        ['Signed_Request_Account'],
        ['Signed.Request.Account']
      ]) {
        const { seen } = await post(
          sign(),
          names.map(name => [name, 'evil'] as const)
        )
        for (const one of seen) expect(one.rawHeaders).not.toContain('evil')
      }
    })

    test('lets no second line of a signed header through unchecked', async () => {
      for (const name of ['Date', 'Content-Type', 'X-Service-ID', 'Digest', 'X-Nonce', 'Signature', 'Host']) {
        const line: [string, string] = [name, name === 'Date' ? new Date(0).toUTCString() : 'evil']
        const { headers, ...request } = sign()
        for (const lines of [
          [line, ...headers],
          [...headers, line]
        ]) {
          const { status, seen } = await post({ ...request, headers: lines })
          expect([name, lines[0] === line, status >= 400, seen]).toEqual([name, lines[0] === line, true, []])
        }
      }
    })

    test('refuses forgeries with 401, and keeps its connection to the authorizer', async () => {
      const forgeries = [
        { ...sign(), target: '/other' },
        { ...sign(), method: 'PUT' },
        { ...sign(), body: Buffer.from('{"id":2}') },
        withHeaders({ ...sign(), body: Buffer.from('{"id":1}\n') }, { 'Content-Length': '9' }),
        { ...sign(), headers: [['Host', HOST]] as [string, string][] }
      ]
      for (const forged of forgeries) {
        const { status, head, seen } = await post(forged)
        expect([status, seen]).toEqual([401, []])
        expect(head).toMatch(/^www-authenticate: Signature/im)
      }
    })

    test('a body above the limit is refused, and never passes cut', async () => {
      const request = sign({ body: Buffer.alloc(10_485_761, 'x') })
      expect(await post(request)).toMatchObject({ status: engine.tooLarge, seen: [] })
      const chunked = withHeaders(request, { 'Content-Length': undefined })
      const { status, seen } = await through(octetsOf({ request: chunked, isChunked: true }))
      expect(seen).toEqual([])
      expect([engine.tooLarge, 401]).toContain(status)
    })

    test('DNS that fails is 503 with Retry-After', async () => {
      const error = Object.assign(new Error('down'), { code: 'ESERVFAIL' })
      await authorize({ ...options, lookupTxt: () => Promise.reject(error) })
      const { status, head, seen } = await post()
      await authorize()
      expect([status, seen]).toEqual([503, []])
      // Envoy itself answers when the check fails.
      if (engine.name !== 'Envoy') expect(head).toMatch(/^retry-after: \d+/im)
    })

    test('an authorizer that does not answer in time, or is stopped: nothing passes', async () => {
      await authorize({ ...options, lookupTimeout: 60_000, lookupTxt: () => new Promise(() => {}) })
      const slow = await through(octetsOf({ request: sign() }), false, 40_000)
      expect(slow).toMatchObject({ status: engine.down, seen: [] })
      await authorizer?.close()
      authorizer = undefined
      expect(await post()).toMatchObject({ status: engine.down, seen: [] })
      await authorize()
      await expect.poll(async () => (await post()).status, { timeout: 30_000 }).toBe(200)
    })

    test('every forgery of the vectors that a wire can carry is refused', async () => {
      const all = loadVectors().map(vector => ({ vector, wire: onTheWire(vector) }))
      let passed = 0
      let forged = 0
      for (const { vector, wire } of all.filter(({ wire }) => wire.notCarried === undefined)) {
        const { request, verdict, json } = vector
        // An engine that speaks TLS sets X-Forwarded-Proto to https.
        if (engine.from === 'x-forwarded' && !request.https) continue
        // By default authorize claims nothing.
        const { replayStore, ...given } = vector.options
        if (replayStore !== undefined && verdict.status !== 'verified') continue
        await authorize(given, request.https)
        const { seen } = await through(wire.octets, wire.isCutOff, 5000)
        if (verdict.status === 'verified') passed += seen.length
        else forged += 1
        // Each request is verified as it arrived: an engine may turn the target of a forgery into the signed one.
        for (const { method, target, rawHeaders, body } of seen) {
          const headers = linesOfRaw(rawHeaders)
          const again = await createVerifier(given)({ method, target, headers, body, https: request.https })
          expect([json.name, again.status]).toEqual([json.name, 'verified'])
        }
        if (verdict.status !== 'verified' && seen.length > 0) expect(engine.restores).toContain(json.name)
      }
      await authorize()
      expect(forged).toBeGreaterThan(100)
      expect(passed).toBeGreaterThan(30)
    }, 600_000)
  })
}

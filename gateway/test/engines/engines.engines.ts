import { connect as connectHttp2, constants } from 'node:http2'
import { createVerifier, type VerifierOptions } from 'signed-requests'
import { createTestService } from 'signed-requests/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../test/support/free-port.ts'
import { loadVectors } from '../../../test/support/vectors.ts'
import { type Authorizer, startAuthorizer } from '../../src/authorize.ts'
import { REROUTING } from '../../src/headers.ts'
import { onTheWire } from '../on-the-wire.ts'
import { type Application, type Seen, startApplication } from '../start.ts'
import { ENGINES, type RunningEngine, sendOctets, startEngine } from './engine.ts'
import { type Honest, honestRequests, octetsOf } from './honest.ts'

const service = createTestService()
const options: VerifierOptions = { ...service.options, hosts: 'hooks.example.com' }
const honest = honestRequests(service)
const sign = (more: Parameters<typeof service.sign>[0] = {}) =>
  service.sign({ host: 'hooks.example.com', method: 'POST', target: '/hook', body: '{"id":1}', ...more })

const GRANTED = ['account', 'key', 'date', 'id', 'verdict'].map(name => `signed-request-${name}`)

/** All lines of a header that the application got. */
const valuesOf = ({ rawHeaders }: Seen, wanted: string) =>
  rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === wanted)

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

    /** What the application got of one request, and the status of the response. */
    const through = async (octets: Uint8Array, isCutOff = false, limit?: number) => {
      const before = application.seen.length
      const { status, head } = await sendOctets(running.port, octets, isCutOff, limit)
      return { status, head, seen: application.seen.slice(before) }
    }

    const isNormalized = ({ request }: Honest) => engine.normalizes.includes(request.target)

    test.each(honest.filter(one => !isNormalized(one)).map(one => [one.name, one] as const))(
      'changes nothing of an honest request: %s',
      async (_, one) => {
        const { status, seen } = await through(octetsOf(one))
        expect(status).toBe(200)
        expect(seen).toHaveLength(1)
        const [{ method, target, body } = {} as Seen] = seen
        expect([method, target]).toEqual([one.request.method, one.request.target])
        expect(body.equals(Buffer.from(one.request.body ?? []))).toBe(true)
        for (const [name, value] of one.request.headers) {
          expect([name, valuesOf(seen[0]!, name.toLowerCase())]).toEqual([
            name,
            value === '' && engine.name !== 'Envoy' ? [''] : [value]
          ])
        }
        expect(valuesOf(seen[0]!, 'signed-request-account')).toEqual(['1234'])
        expect(valuesOf(seen[0]!, 'signed-request-id')[0]).toMatch(/^[\w=+/-]{20,}$/)
      }
    )

    test.each(honest.filter(isNormalized).map(one => [one.name, one] as const))(
      'is changed on the way, and refused: %s',
      async (_, one) => {
        const { status, seen } = await through(octetsOf(one))
        expect([status, seen]).toEqual([401, []])
      }
    )

    test('takes HTTP/2 in front', async () => {
      const before = application.seen.length
      const client = connectHttp2(`https://127.0.0.1:${running.port}`, { rejectUnauthorized: false })
      onTestFinished(() => client.close())
      const status = (request: ReturnType<typeof sign>) =>
        new Promise<number>((resolve, reject) => {
          const lines = request.headers.flatMap(([name, value]) =>
            name === 'Host' ? [] : [[name.toLowerCase(), value]]
          )
          const stream = client.request({
            ':method': request.method,
            ':path': request.target,
            ':authority': 'hooks.example.com',
            ...Object.fromEntries(lines)
          })
          stream.on('response', headers => resolve(Number(headers[constants.HTTP2_HEADER_STATUS])))
          stream.on('error', reject)
          stream.end(request.body)
        })
      const requests = [sign(), sign({ target: '/a//b%2F?c', body: Buffer.alloc(1_000_000, 'x') })]
      for (const request of requests) expect(await status(request)).toBe(200)
      const forged = { ...sign(), body: Buffer.from('{"id":2}') as Buffer<ArrayBuffer> }
      expect(await status(forged)).toBe(401)
      expect(application.seen.slice(before).map(({ target }) => target)).toEqual(requests.map(({ target }) => target))
    })

    test('passes an honest request with two lines of Via and of X-Forwarded-For', async () => {
      const lines: [string, string][] = [
        ['Via', '1.1 one'],
        ['Via', '1.1 two'],
        ['X-Forwarded-For', '192.0.2.1'],
        ['X-Forwarded-For', '192.0.2.2']
      ]
      const { status, seen } = await through(octetsOf({ request: sign(), isChunked: false }, lines))
      expect([status, seen.length]).toEqual([200, 1])
      // Envoy joins the lines without a space.
      expect(valuesOf(seen[0]!, 'via').join(', ').replaceAll(', ', ',')).toContain('1.1 one,1.1 two')
    })

    test('drops what frameworks take for the host, the path or the method', async () => {
      const lines = [...REROUTING].map((name): [string, string] => [name, 'evil'])
      const { status, seen } = await through(octetsOf({ request: sign(), isChunked: false }, lines))
      expect(status).toBe(200)
      expect(seen[0]!.rawHeaders).not.toContain('evil')
    })

    test('overwrites what a sender writes into the headers of the verdict', async () => {
      const fakes = GRANTED.flatMap(name => [name, name.toUpperCase(), name.replace(/s/g, 'S')])
      for (const name of fakes) {
        const { status, seen } = await through(octetsOf({ request: sign(), isChunked: false }, [[name, 'evil']]))
        expect([name, status]).toEqual([name, 200])
        for (const granted of GRANTED) {
          const values = valuesOf(seen[0]!, granted)
          expect([name, granted, values.length, values.includes('evil')]).toEqual([name, granted, 1, false])
        }
      }
      // Twice, and in the form that CGI takes for the same name.
      for (const more of [
        [
          ['Signed-Request-Account', 'evil'],
          ['signed-request-account', 'evil']
        ],
        [['Signed_Request_Account', 'evil']],
        [['Signed.Request.Account', 'evil']]
      ] as [string, string][][]) {
        const { seen } = await through(octetsOf({ request: sign(), isChunked: false }, more))
        for (const one of seen) expect(one.rawHeaders).not.toContain('evil')
      }
    })

    test('lets no second line of a signed header through unchecked', async () => {
      for (const name of ['Date', 'Content-Type', 'X-Service-ID', 'Digest', 'X-Nonce', 'Signature', 'Host']) {
        for (const place of ['before', 'behind']) {
          const request = sign()
          const line: [string, string] = [name, name === 'Date' ? new Date(0).toUTCString() : 'evil']
          const headers = place === 'before' ? [line, ...request.headers] : [...request.headers, line]
          const { status, seen } = await through(octetsOf({ request: { ...request, headers }, isChunked: false }))
          expect([name, place, status >= 400, seen.length]).toEqual([name, place, true, 0])
        }
      }
    })

    test('refuses forgeries with 401, and keeps its connection to the authorizer', async () => {
      const forgeries = [
        { ...sign(), target: '/other' },
        { ...sign(), method: 'PUT' },
        { ...sign(), body: Buffer.from('{"id":2}') },
        { ...sign(), body: Buffer.from('{"id":1}\n') },
        { ...sign(), headers: [['Host', 'hooks.example.com'] as [string, string]] }
      ]
      for (const forged of forgeries) {
        const request = { ...forged, body: Buffer.from(forged.body as Uint8Array) as Buffer<ArrayBuffer> }
        const headers = request.headers.filter(([name]) => name !== 'Content-Length')
        const length: [string, string] = ['Content-Length', `${request.body.length}`]
        const { status, head, seen } = await through(
          octetsOf({ request: { ...request, headers: [...headers, length] }, isChunked: false })
        )
        expect([status, seen]).toEqual([401, []])
        expect(head).toMatch(/^www-authenticate: Signature/im)
      }
    })

    test('a body above the limit is refused, and never passes cut', async () => {
      for (const isChunked of [false, true]) {
        const request = sign({ body: Buffer.alloc(10_485_761, 'x') })
        const headers = request.headers.filter(([name]) => !isChunked || name !== 'Content-Length')
        const { status, seen } = await through(octetsOf({ request: { ...request, headers }, isChunked }))
        expect(seen).toEqual([])
        expect(isChunked ? [engine.tooLarge, 401] : [engine.tooLarge]).toContain(status)
      }
    })

    test('DNS that fails is 503 with Retry-After', async () => {
      await authorize({
        ...options,
        lookupTxt: () => Promise.reject(Object.assign(new Error('down'), { code: 'ESERVFAIL' }))
      })
      const { status, head, seen } = await through(octetsOf({ request: sign(), isChunked: false }))
      await authorize()
      expect([status, seen]).toEqual([503, []])
      // Envoy answers an error of the check by itself.
      if (engine.name !== 'Envoy') expect(head).toMatch(/^retry-after: \d+/im)
    })

    test('an authorizer that does not answer in time, or is stopped: nothing passes', async () => {
      await authorize({ ...options, lookupTimeout: 60_000, lookupTxt: () => new Promise(() => {}) })
      const slow = await through(octetsOf({ request: sign(), isChunked: false }), false, 40_000)
      expect([slow.status, slow.seen]).toEqual([engine.down, []])
      await authorizer?.close()
      authorizer = undefined
      const stopped = await through(octetsOf({ request: sign(), isChunked: false }))
      expect([stopped.status, stopped.seen]).toEqual([engine.down, []])
      await authorize()
      let status = 0
      await expect
        .poll(async () => (status = (await through(octetsOf({ request: sign(), isChunked: false }))).status), {
          timeout: 30_000
        })
        .toBe(200)
      expect(status).toBe(200)
    })

    test('every forgery of the vectors that a wire can carry is refused', async () => {
      const all = loadVectors().map(vector => ({ vector, wire: onTheWire(vector) }))
      let passed = 0
      let forged = 0
      for (const { vector, wire } of all.filter(({ wire }) => wire.notCarried === undefined)) {
        const { request, verdict, json } = vector
        // X-Forwarded-Proto of an engine that speaks TLS is https.
        if (engine.from === 'x-forwarded' && !request.https) continue
        // By default authorize claims nothing.
        const { replayStore, ...given } = vector.options
        if (replayStore !== undefined && verdict.status !== 'verified') continue
        await authorize(given, request.https)
        const { seen } = await through(wire.octets, wire.isCutOff, 5000)
        if (verdict.status === 'verified') passed += seen.length
        else forged += 1
        // What arrives is verified as it arrived: an engine may make the target of a forgery the one that was signed.
        for (const one of seen) {
          const { method, target, rawHeaders, body } = one
          const lines = rawHeaders.flatMap((name, i): [string, string][] =>
            i % 2 === 0 ? [[name, rawHeaders[i + 1]!]] : []
          )
          const again = await createVerifier(given)({ method, target, headers: lines, body, https: request.https })
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

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createVerifier,
  type FromNodeOptions,
  fromNodeRequest,
  httpStatus,
  type ReceivedRequest,
  type Verdict
} from '../../../src/index.ts'
import { createTestService } from '../../../src/testing/index.ts'
import { KINDS } from '../../meta/examples/kinds.ts'
import { sendOverHttp, withHeader } from '../../meta/examples/senders.ts'
import { type Certificate, makeCertificate, send } from '../../support/https.ts'
import { findNginx, startNginx } from '../../support/nginx.ts'
import { failuresOf } from '../../support/verdicts.ts'

const HOST = 'receiver.example'
const nginx = findNginx()
if (nginx === undefined) console.warn('The tests behind nginx are skipped: there is no nginx on this machine.')

const service = createTestService()
const verify = createVerifier(service.options)
const order = service.sign({ target: '/hook?id=1', body: '{"amount":100}' })
const orderForOther = service.sign({ target: '/hook?id=1', body: '{"amount":100}', host: 'other.example' })

describe.skipIf(nginx === undefined)('behind nginx', () => {
  let options: FromNodeOptions
  let verdict: Verdict | undefined
  const receiver = createServer(async (req, res) => {
    verdict = await verify(fromNodeRequest(req, options))
    res.writeHead(httpStatus(verdict)).end()
  })

  let certificate: Certificate
  let proxy: Awaited<ReturnType<typeof startProxy>>
  const startProxy = (receiverPort: number) => {
    const pass = `proxy_pass http://127.0.0.1:${receiverPort};`
    const hostKept = `${pass} proxy_set_header Host $http_host;`
    const forwarded = 'proxy_set_header X-Forwarded-Proto $scheme; proxy_set_header X-Forwarded-Host $http_host;'
    return startNginx(nginx!, certificate, {
      /** Host kept, nothing said */
      silent: { tls: true, location: hostKept },
      /** Host kept, scheme said */
      hostKept: { tls: true, location: `${hostKept} proxy_set_header X-Forwarded-Proto $scheme;` },
      /** Host changed to the address of the receiver, as nginx does by default */
      hostChanged: { tls: true, location: `${pass} ${forwarded}` },
      /** the same without TLS */
      withoutTls: { tls: false, location: `${pass} ${forwarded}` }
    })
  }

  beforeAll(async () => {
    receiver.listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    certificate = await makeCertificate(HOST)
    proxy = await startProxy((receiver.address() as AddressInfo).port)
  })
  afterAll(() => {
    proxy.stop()
    receiver.close()
  })

  /** Sends through one of nginx's servers. Resolves to what failed at the receiver. */
  async function through(
    name: keyof typeof proxy.ports,
    request: ReceivedRequest,
    receiverOptions: FromNodeOptions
  ): Promise<string[]> {
    options = receiverOptions
    verdict = undefined
    const port = proxy.ports[name]
    const to = { host: HOST, port, cert: certificate.cert }
    const status = name === 'withoutTls' ? await sendOverHttp(request, port) : await send(request, to)
    expect(verdict).toBeDefined()
    expect(status).toBe(httpStatus(verdict!))
    return failuresOf(verdict!)
  }

  const NOT_HTTPS = 'https: not-https'
  const WRONG_HOST = 'host: host-mismatch'
  const believing = { https: 'x-forwarded-proto', host: 'x-forwarded-host' } as const

  describe('with the right options every kind of request is verified', () => {
    test.each(KINDS)('$name', async ({ request }) => {
      expect(await through('hostKept', service.sign(request), { https: 'x-forwarded-proto' })).toEqual([])
      expect(await through('hostChanged', service.sign(request), believing)).toEqual([])
    })

    test('also with fixed values', async () => {
      expect(await through('silent', order, { https: true })).toEqual([])
      expect(await through('hostChanged', order, { https: true, host: HOST })).toEqual([])
    })
  })

  test('without options it is refused', async () => {
    expect(await through('hostKept', order, {})).toEqual([NOT_HTTPS])
    expect(await through('hostChanged', order, {})).toEqual([NOT_HTTPS, WRONG_HOST])
    expect(await through('hostChanged', order, { https: 'x-forwarded-proto' })).toEqual([WRONG_HOST])
    expect(await through('hostChanged', order, { host: 'x-forwarded-host' })).toEqual([NOT_HTTPS])
  })

  test('a request that came to nginx without TLS is refused', async () => {
    expect(await through('withoutTls', order, believing)).toEqual([NOT_HTTPS])
  })

  describe('X-Forwarded-* from a client has no effect', () => {
    const claiming = (request: ReceivedRequest) =>
      withHeader(withHeader(request, 'X-Forwarded-Proto', 'https'), 'X-Forwarded-Host', HOST)

    test('when the options are off', async () => {
      expect(await through('silent', claiming(order), {})).toEqual([NOT_HTTPS])
      expect(await through('hostKept', claiming(order), {})).toEqual([NOT_HTTPS])
      expect(await through('hostKept', claiming(orderForOther), { https: true })).toEqual([WRONG_HOST])
      expect(await through('hostChanged', claiming(order), {})).toEqual([NOT_HTTPS, WRONG_HOST])
    })

    test('when nginx sets the trusted header itself', async () => {
      expect(await through('withoutTls', claiming(order), believing)).toEqual([NOT_HTTPS])
      expect(await through('hostChanged', claiming(orderForOther), believing)).toEqual([WRONG_HOST])
    })

    test('when it is a list or a repeat that nginx lets through', async () => {
      const listed = withHeader(order, 'X-Forwarded-Proto', 'https, http')
      const repeated = withHeader(withHeader(order, 'X-Forwarded-Proto', 'https'), 'X-Forwarded-Proto', 'http')
      expect(await through('silent', listed, { https: 'x-forwarded-proto' })).toEqual([NOT_HTTPS])
      expect(await through('silent', repeated, { https: 'x-forwarded-proto' })).toEqual([NOT_HTTPS])
    })
  })
})

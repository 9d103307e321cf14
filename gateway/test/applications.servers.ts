import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestService, type SignedTestRequest } from '../../src/testing/index.ts'
import { FORGERIES, KINDS, pairs } from '../../test/meta/examples/kinds.ts'
import { withHeader } from '../../test/meta/examples/senders.ts'
import { type Certificate, makeCertificate, send } from '../../test/support/https.ts'
import { freePorts } from '../../test/support/nginx.ts'
import { wire } from '../../test/support/wire.ts'
import { APPLICATIONS, type Application, type SeenRequest, startNginxServer } from './applications.ts'
import { fileOfPage } from './docs-commands.ts'
import { converse } from './raw-client.ts'
import { startTestGateway, type TestGateway } from './start.ts'

const HOST = 'receiver.example'
const service = createTestService()

let certificate: Certificate
beforeAll(async () => {
  certificate = await makeCertificate(HOST)
})

/** The nginx of docs/gateway.md that ends TLS, in front of the gateway. */
async function startTls(port: number, gateway: string) {
  const server = fileOfPage('tls.conf')
    .replace('443 ssl', `127.0.0.1:${port} ssl`)
    .replace('hooks.example.com;', `${HOST};`)
    .replace('/etc/ssl/hooks.example.com.pem', 'cert.pem')
    .replace('/etc/ssl/hooks.example.com.key', 'key.pem')
    .replace('127.0.0.1:8080', gateway)
  return startNginxServer(server, port, { 'cert.pem': certificate.cert, 'key.pem': certificate.key })
}

/** A header as CGI has it: one name for `-` and `_`. */
const cgiName = (name: string): string => name.toUpperCase().replaceAll('-', '_')

describe.each(Object.entries(APPLICATIONS))('nginx with TLS -> gateway -> %s', (_, startApplication) => {
  let application: Application
  let gateway: TestGateway
  let tls: { stop(): Promise<void> }
  let port: number
  beforeAll(async () => {
    application = await startApplication()
    gateway = await startTestGateway(new URL(application.url), { https: 'x-forwarded-proto' }, service)
    port = (await freePorts(1))[0]!
    tls = await startTls(port, gateway.address)
  })
  afterAll(async () => {
    await tls?.stop()
    await gateway?.close()
    await application?.stop()
  })

  const through = (request: Parameters<typeof send>[0]) => send(request, { host: HOST, port, cert: certificate.cert })

  /** What the application saw since. */
  async function seenOf(sending: () => Promise<unknown>): Promise<SeenRequest[]> {
    const before = application.seen().length
    await sending()
    return application.seen().slice(before)
  }

  test('nothing arrives before anything was sent', () => expect(application.seen()).toEqual([]))

  describe('the application sees the same bytes, target and headers', () => {
    test.each([
      ...KINDS,
      { name: 'an empty body', request: { method: 'POST', target: '/hook', body: '' } },
      { name: 'a PUT', request: { method: 'PUT', target: '/hook//a%2Fb/../c?%00', body: '\x00\r\n\r\n' } },
      { name: 'a DELETE', request: { method: 'DELETE', target: '/hook/1?force' } }
    ])('$name', async ({ request }) => {
      const signed: SignedTestRequest = service.sign(request)
      const seen = await seenOf(async () => expect(await through(signed)).toBe(200))
      expect(seen).toHaveLength(1)
      const [{ method, target, headers, body }] = seen as [SeenRequest]
      expect(method).toBe(signed.method)
      expect(target).toBe(signed.target)
      expect(body.equals(Buffer.from(signed.body ?? []))).toBe(true)
      for (const [name, value] of signed.headers) expect(headers[cgiName(name)]).toBe(value)
      expect(headers['SIGNED_REQUEST_ACCOUNT']).toBe('1234')
      expect(headers['SIGNED_REQUEST_KEY']).toBe('key1._domainkey.service.example')
      expect(headers['SIGNED_REQUEST_DATE']).toBe(new Date(headers['DATE']!).toUTCString())
      expect(headers['SIGNED_REQUEST_ID']).toMatch(/^\S+$/)
    })

    test('and no Signed-Request headers of the sender', async () => {
      const order = service.sign({ target: '/hook', body: '{}' })
      const names = ['Signed-Request-Account', 'Signed_Request_Account', 'Signed.Request.Account']
      const hostile = [...names, 'X_Service_ID', 'X.Service.ID', 'Content_Type', 'Content.Length']
      const lines = hostile.map(name => [name, '9999'] as const)
      const request = { ...order, headers: [...lines, ...pairs(order), ...lines] }
      // Straight to the gateway: nginx in front would drop some of them.
      const seen = await seenOf(async () => {
        const proxied = withHeader(request, 'X-Forwarded-Proto', 'https')
        expect(await sendRaw(gateway.address, proxied)).toBe(200)
      })
      expect(seen).toHaveLength(1)
      const [{ headers, body }] = seen as [SeenRequest]
      expect(Object.entries(headers).filter(([, value]) => value.includes('9999'))).toEqual([])
      expect(headers['SIGNED_REQUEST_ACCOUNT']).toBe('1234')
      expect(headers['X_SERVICE_ID']).toBe('account-1234')
      expect(headers['CONTENT_TYPE']).toBe('application/json')
      expect(body.toString()).toBe('{}')
    })
  })

  describe('a forgery never arrives', () => {
    test.each(FORGERIES)('$name', async ({ forge }) => {
      const forged = forge(service)
      expect(await seenOf(async () => expect(await through(forged)).toBe(401))).toEqual([])
    })

    test('a replay is refused', async () => {
      const once = service.sign({ target: '/hook', body: '{"once":true}' })
      const seen = await seenOf(async () => {
        expect(await through(once)).toBe(200)
        expect(await through(once)).toBe(401)
      })
      expect(seen).toHaveLength(1)
    })

    test('a forgery of 5 MB whose last byte was changed', async () => {
      const body = Buffer.alloc(5_000_000, 'x')
      const signed = service.sign({ target: '/hook', body })
      const forged = { ...signed, body: Buffer.concat([body.subarray(1), Buffer.from('y')]) }
      expect(await seenOf(async () => expect(await through(forged)).toBe(401))).toEqual([])
    })

    test('a request that did not come over TLS', async () => {
      const order = service.sign({ target: '/hook', body: '{}' })
      expect(await seenOf(async () => expect(await sendRaw(gateway.address, order)).toBe(401))).toEqual([])
    })
  })
})

/** To the gateway itself, over plain HTTP. */
const sendRaw = async (address: string, request: Parameters<typeof wire>[0]): Promise<number> =>
  (await converse(address, wire(request), { until: 1 })).statuses[0]!

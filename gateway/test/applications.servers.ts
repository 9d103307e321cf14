import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ReceivedRequest } from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import { FORGERIES, KINDS, pairs } from '../../test/meta/examples/kinds.ts'
import { withHeader } from '../../test/meta/examples/senders.ts'
import { type Certificate, makeCertificate, send } from '../../test/support/https.ts'
import { freePorts } from '../../test/support/nginx.ts'
import { send as sendPlainly, statusesOf } from '../../test/support/wire.ts'
import { APPLICATIONS, type Application, type SeenRequest, startNginxServer } from './applications.ts'
import { fileOfPage } from './docs-commands.ts'
import { startTestGateway, type TestGateway } from './start.ts'

const HOST = 'receiver.example'
const service = createTestService()

let certificate: Certificate
beforeAll(async () => {
  certificate = await makeCertificate(HOST)
})

/** Starts the nginx of docs/gateway.md, which ends TLS in front of the gateway. */
async function startTls(port: number, gateway: string) {
  const server = fileOfPage('tls.conf')
    .replace('443 ssl', `127.0.0.1:${port} ssl`)
    .replace('hooks.example.com;', `${HOST};`)
    .replace('/etc/ssl/hooks.example.com.pem', 'cert.pem')
    .replace('/etc/ssl/hooks.example.com.key', 'key.pem')
    .replace('127.0.0.1:8080', gateway)
  return startNginxServer(server, port, { 'cert.pem': certificate.cert, 'key.pem': certificate.key })
}

/** Names a header as CGI does: `-` and `_` are the same. */
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

  /**
   * Sends a request, expects this status, and returns the requests that the application saw; `isPlain` sends it to the
   * gateway itself, without TLS.
   */
  async function post(request: ReceivedRequest, status: number, isPlain = false): Promise<SeenRequest[]> {
    const before = application.seen().length
    if (isPlain) expect(statusesOf(await sendPlainly(gateway.address, request))).toEqual([status])
    else expect(await send(request, { host: HOST, port, cert: certificate.cert })).toBe(status)
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
      const signed = service.sign(request)
      const seen = await post(signed, 200)
      expect(seen).toHaveLength(1)
      const [{ method, target, headers, body }] = seen as [SeenRequest]
      expect([method, target]).toEqual([signed.method, signed.target])
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
      // The request goes straight to the gateway: nginx in front would drop some of these headers.
      const seen = await post(withHeader(request, 'X-Forwarded-Proto', 'https'), 200, true)
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
    test.each(FORGERIES)('$name', async ({ forge }) => expect(await post(forge(service), 401)).toEqual([]))

    test('a replay is refused', async () => {
      const once = service.sign({ target: '/hook', body: '{"once":true}' })
      expect(await post(once, 200)).toHaveLength(1)
      expect(await post(once, 401)).toEqual([])
    })

    test('a forgery of 5 MB whose last byte was changed', async () => {
      const body = Buffer.alloc(5_000_000, 'x')
      const signed = service.sign({ target: '/hook', body })
      expect(await post({ ...signed, body: Buffer.concat([body.subarray(1), Buffer.from('y')]) }, 401)).toEqual([])
    })

    test('a request that did not come over TLS', async () => {
      expect(await post(service.sign({ target: '/hook', body: '{}' }), 401, true)).toEqual([])
    })
  })
})

import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createVerifier, nodeHandler, type ProxyOptions, type ReceivedRequest } from '../../../src/index.ts'
import { withHeader } from '../../meta/examples/senders.ts'
import { makeCertificate, send } from '../../support/https.ts'
import { listen } from '../../support/listen.ts'
import { PROXIES, type RunningProxy } from '../../support/proxies.ts'
import { service } from '../../support/service.ts'

const HOST = 'receiver.example'
const verify = createVerifier({ ...service.options, hosts: HOST })

const certificate = await makeCertificate(HOST)

describe.each(Object.entries(PROXIES))('%s strips /hooks from the path', (_, startProxy) => {
  let prefix: ProxyOptions['prefix']
  const seen: (string | undefined)[] = []
  const receiver = createServer((req, res) => {
    seen.push(req.url)
    const options = { https: 'x-forwarded-proto', ...(prefix !== undefined && { prefix }) } as const
    return nodeHandler(verify, () => {}, options)(req, res)
  })
  let proxy: RunningProxy
  beforeAll(async () => {
    proxy = await startProxy(certificate, await listen(receiver))
  })
  afterAll(async () => {
    await proxy?.stop()
    receiver.close()
  })

  const through = (request: ReceivedRequest) =>
    send(request, { host: HOST, port: proxy.strippingPort, cert: certificate.cert })
  const order = (target: string) => service.sign({ target, body: '{"id":1}', host: HOST })

  test.each([
    ['/hooks/orders?id=1&next=/x', '/orders?id=1&next=/x'],
    ['/hooks/caf%C3%A9/a%20b', '/caf%C3%A9/a%20b'],
    ['/hooks/', '/']
  ])('%s is verified with a fixed prefix and with the header, and not without', async (target, stripped) => {
    seen.length = 0
    prefix = '/hooks'
    expect(await through(order(target))).toBe(204)
    prefix = 'x-forwarded-prefix'
    expect(await through(order(target))).toBe(204)
    prefix = undefined
    expect(await through(order(target))).toBe(401)
    expect(seen).toEqual([stripped, stripped, stripped])
  })

  test('X-Forwarded-Prefix from a client has no effect', async () => {
    prefix = 'x-forwarded-prefix'
    expect(await through(withHeader(order('/hooks/orders'), 'X-Forwarded-Prefix', '/other'))).toBe(204)
    const captured = { ...order('/other/orders'), target: '/hooks/orders' }
    expect(await through(withHeader(captured, 'X-Forwarded-Prefix', '/other'))).toBe(401)
  })
})

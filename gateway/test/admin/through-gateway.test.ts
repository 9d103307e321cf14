import { expect, onTestFinished, test } from 'vitest'
import { createTestService, type TestService } from '../../../src/testing/index.ts'
import { exchangeBytes, send } from '../../../test/support/wire.ts'
import type { GatewaySettings } from '../../src/options/settings.ts'
import { startApplication, startTestGateway } from '../start.ts'
import { ask, listen } from '../support/admin.ts'

async function start(settings: Partial<GatewaySettings> = {}, redact = false, service?: TestService) {
  const application = await startApplication()
  const admin = { address: { host: '127.0.0.1', port: 0 }, token: undefined, redact }
  const gateway = await startTestGateway(application.url, { admin, ...settings }, service)
  onTestFinished(async () => {
    await gateway.close()
    await application.close()
  })
  const port = Number(new URL(`http://${gateway.admin}`).port)
  /** the rows, oldest first, with all their details */
  const open = async (count: number) => {
    const page = listen(port)
    await page.hasRows(count)
    page.stop()
    const details = page.rows().map(({ number }) => ask(port, `/requests/${number}`))
    return (await Promise.all(details)).map(({ body }) => JSON.parse(body))
  }
  const sign = () => gateway.service.sign({ method: 'POST', target: '/hook', body: '{"id":1}' })
  return { gateway, port, open, sign }
}

const changed = <R extends { body: unknown }>(request: R) => ({ ...request, body: Buffer.from('{"id":2}') })

test('what the gateway lets through and refuses is on the page and in the metrics', async () => {
  const { gateway, port, open, sign } = await start()
  await send(gateway.address, sign())
  await send(gateway.address, { ...sign(), target: '/other' })
  await gateway.over(2)
  expect(await open(2)).toMatchObject([
    { outcome: 'verified', status: 200, upstream: 'answered' },
    { outcome: 'refused', status: 401, upstream: 'not-asked', note: 'signature-mismatch' }
  ])
  const { body } = await ask(port, '/metrics')
  expect(body).toContain('signed_requests_verdicts_total{status="rejected",code="signature-mismatch"} 1')
  expect(await ask(port, '/healthz')).toMatchObject({ status: 200, body: 'ok\n' })
})

test('what is answered 400, 417 or 431 is in the metrics', async () => {
  const { gateway, port } = await start()
  const smuggled = 'Host: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked'
  for (const head of [`POST / HTTP/1.1\r\n${smuggled}`, 'GET * HTTP/1.1\r\nHost: a', 'NONSENSE'])
    await exchangeBytes(gateway.address, Buffer.from(`${head}\r\n\r\n`))
  await exchangeBytes(gateway.address, Buffer.from('GET / HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n'))
  await exchangeBytes(gateway.address, Buffer.from(`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`))
  const { body } = await ask(port, '/metrics')
  expect(body).toContain('signed_requests_responses_total{status="4xx",upstream="malformed"} 5\n')
})

test.each([false, true])('offers a fixture of every request, observing: %s', async observe => {
  const { gateway, open, sign } = await start({ observe })
  for (const request of [sign(), changed(sign()), { ...sign(), target: '/other' }]) {
    await send(gateway.address, request)
  }
  await gateway.over(3)
  const details = await open(3)
  const codes = [[], ['digest-mismatch'], ['signature-mismatch']]
  for (const [i, expected] of codes.entries()) {
    const { fixture, body, outcome } = details[i]
    const { verdict, dns } = JSON.parse(fixture).vectors[0]
    expect((verdict.failures ?? []).map(({ code }: { code: string }) => code)).toEqual(expected)
    expect(Object.keys(dns)).toEqual(['key1._domainkey.service.example'])
    expect(outcome).toBe(i === 0 ? 'verified' : observe ? 'forwarded' : 'refused')
    if (i < 2) expect(body.text).toBe(i === 1 ? '{"id":2}' : '{"id":1}')
  }
})

test('a body that was refused before it was read is not kept', async () => {
  const { gateway, open, sign } = await start()
  await send(gateway.address, { ...sign(), target: '/other' })
  await gateway.over(1)
  const [detail] = await open(1)
  expect(detail.body).toMatchObject({ text: '', note: expect.stringContaining('not kept') })
  expect(gateway.exchanges[0]?.body).toBeUndefined()
})

test('a large body that was refused is not kept', async () => {
  const { gateway, sign } = await start()
  const large = gateway.service.sign({ target: '/hook', body: Buffer.alloc(200_000, 'x') })
  await send(gateway.address, { ...large, body: Buffer.alloc(200_000, 'y') })
  await send(gateway.address, changed(sign()))
  await gateway.over(2)
  expect(gateway.exchanges.map(({ body }) => body?.length)).toEqual([undefined, 8])
})

test('without an admin address, and with --redact, no body of a refused request is kept', async () => {
  for (const settings of [{ admin: undefined }, {}]) {
    const { gateway, sign } = await start(settings, true)
    await send(gateway.address, changed(sign()))
    const [exchange] = await gateway.over(1)
    expect(exchange?.verdict.failures).toMatchObject([{ code: 'digest-mismatch' }])
    expect(exchange?.body).toBeUndefined()
  }
}, 30_000)

test('/healthz says when the gateway drains', async () => {
  const { gateway, port } = await start()
  expect((await ask(port, '/healthz')).status).toBe(200)
  const closed = gateway.close()
  const last = await ask(port, '/healthz').catch(() => undefined)
  if (last !== undefined) expect(last).toMatchObject({ status: 503, body: 'draining\n' })
  await closed
  await expect(ask(port, '/healthz')).rejects.toThrow(/ECONNREFUSED/)
})

test('a fixture has the key that was used, also when DNS has another one since', async () => {
  const { gateway, open, sign } = await start({}, false, createTestService({ rsaBits: 1024 }))
  await send(gateway.address, sign())
  await gateway.over(1)
  const name = 'key1._domainkey.service.example'
  const before = gateway.service.records[name]
  gateway.service.rotateKey()
  await send(gateway.address, sign())
  await gateway.over(2)
  const [detail] = await open(2)
  expect(JSON.parse(detail.fixture).vectors[0].dns[name]).toEqual(before)
})

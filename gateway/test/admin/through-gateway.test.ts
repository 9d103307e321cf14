import { expect, onTestFinished, test } from 'vitest'
import { explain } from '../../../src/index.ts'
import type { SignedTestRequest } from '../../../src/testing/index.ts'
import { fixtureOf } from '../../src/admin/fixture.ts'
import type { GatewaySettings } from '../../src/settings.ts'
import { send, startApplication, startTestGateway } from '../start.ts'
import { ask, listen } from '../support/admin.ts'

async function start(settings: Partial<GatewaySettings> = {}, redact = false) {
  const application = await startApplication()
  const gateway = await startTestGateway(application.url, {
    admin: { address: { host: '127.0.0.1', port: 0 }, token: undefined, redact },
    ...settings
  })
  onTestFinished(async () => {
    await gateway.close()
    await application.close()
  })
  const port = Number(new URL(`http://${gateway.admin}`).port)
  const open = async (number: number) => {
    const page = listen(port)
    await page.hasRows(number)
    page.stop()
    return JSON.parse((await ask(port, `/requests/${page.batches[0]?.run}-${number}`)).body)
  }
  const sign = () => gateway.service.sign({ method: 'POST', target: '/hook', body: '{"id":1}' })
  return { gateway, port, open, sign }
}

const changed = (request: SignedTestRequest): SignedTestRequest => ({
  ...request,
  body: Buffer.from('{"id":2}')
})

test('what the gateway lets through, refuses and cannot forward is on the page and in the metrics', async () => {
  const { gateway, port, open, sign } = await start()
  await send(gateway.address, sign())
  await send(gateway.address, { ...sign(), target: '/other' })
  await gateway.over(2)
  expect(await open(1)).toMatchObject({
    verdict: 'verified',
    status: 200,
    upstream: 'answered',
    account: '1234'
  })
  expect(await open(2)).toMatchObject({ verdict: 'rejected', status: 401, upstream: 'not-asked' })
  const { body } = await ask(port, '/metrics')
  expect(body).toContain('signed_requests_failures_total{code="signature-mismatch"} 1')
  expect(await ask(port, '/healthz')).toMatchObject({ status: 200, body: 'ok\n' })
})

test.each([false, true])('offers a fixture for every refused request, observing: %s', async observe => {
  const { gateway, open, sign } = await start({ observe })
  const accepted = sign()
  for (const request of [accepted, accepted, changed(sign()), { ...sign(), target: '/other' }]) {
    await send(gateway.address, request)
  }
  await gateway.over(4)
  const codes = [[], ['replayed'], ['digest-mismatch'], ['signature-mismatch']]
  for (const [i, expected] of codes.entries()) {
    const { codes, fixture, body } = await open(i + 1)
    expect(codes).toEqual(expected)
    const { verdict, dns } = JSON.parse(fixture).vectors[0]
    expect((verdict.failures ?? []).map(({ code }: { code: string }) => code)).toEqual(expected)
    expect(Object.keys(dns)).toEqual(['key1._domainkey.service.example'])
    if (i < 3) expect(body.text).toBe(i === 2 ? '{"id":2}' : '{"id":1}')
  }
})

test('a body that was refused before it was read is not kept', async () => {
  const { gateway, open, sign } = await start()
  await send(gateway.address, { ...sign(), target: '/other' })
  await gateway.over(1)
  expect((await open(1)).body).toMatchObject({ kind: 'none', note: expect.stringContaining('not kept') })
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

test('explains a wrong header of the proxy in front', async () => {
  const { gateway, open, sign } = await start({ https: 'x-forwarded-proto' })
  await send(gateway.address, sign(), [['X-Forwarded-Proto', 'http']])
  const [exchange] = await gateway.over(1)
  expect(explain(exchange!.verdict)).toContain('received http')
  expect((await open(1)).failures[0].facts).toContain('received http')
})

test('/healthz says when the gateway drains', async () => {
  const { gateway, port } = await start()
  expect((await ask(port, '/healthz')).status).toBe(200)
  const closed = gateway.close()
  const last = await ask(port, '/healthz').catch(() => undefined)
  if (last !== undefined) expect(last).toMatchObject({ status: 503, body: 'draining\n' })
  await closed
  await expect(ask(port, '/healthz')).rejects.toThrow(/ECONNREFUSED/)
})

test('offers no fixture of a key that was replaced meanwhile', async () => {
  const { gateway, sign } = await start()
  await send(gateway.address, sign())
  const [exchange] = await gateway.over(1)
  const kept = { ...exchange!, number: 1, bodyLength: 8, isBodyWhole: true, body: Buffer.from('{"id":1}') }
  const dns = new Map([['key1._domainkey.service.example', { error: 'ENOTFOUND' }]])
  expect(await fixtureOf(kept, { verifier: gateway.service.options, redact: false, dns })).toBeUndefined()
})

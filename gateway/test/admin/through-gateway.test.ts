import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createTestService } from '../../../src/testing/index.ts'
import { service } from '../../../test/support/service.ts'
import { exchangeBytes, send } from '../../../test/support/wire.ts'
import { ANY_ACCOUNT } from '../../src/seen-accounts.ts'
import { heldDns } from '../for-one-test.ts'
import { ask, listen, startWithAdmin } from '../support/admin.ts'

const sign = () => service.sign({ target: '/hook', body: '{"id":1}' })
const elsewhere = () => ({ ...sign(), target: '/other' })
const changed = <R extends { body: unknown }>(request: R) => ({ ...request, body: Buffer.from('{"id":2}') })

test('what the gateway lets through and refuses is on the page and in the metrics', async () => {
  const { address, port, open } = await startWithAdmin()
  for (const request of [sign(), elsewhere()]) await send(address, request)
  expect(await open(2)).toMatchObject([
    { outcome: 'verified', status: 200, upstream: 'answered' },
    { outcome: 'refused', status: 401, upstream: 'not-asked', note: 'signature-mismatch' }
  ])
  const { body } = await ask(port, '/metrics')
  expect(body).toContain('signed_requests_verdicts_total{status="rejected",code="signature-mismatch",signed="key"} 1')
})

test('what is answered 400, 417 or 431 is in the metrics', async () => {
  const { address, port } = await startWithAdmin()
  for (const head of [
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked',
    'GET * HTTP/1.1\r\nHost: a',
    'NONSENSE',
    'GET / HTTP/1.1\r\nHost: a\r\nExpect: x',
    `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`
  ])
    await exchangeBytes(address, Buffer.from(`${head}\r\n\r\n`))
  const { body } = await ask(port, '/metrics')
  expect(body).toContain('signed_requests_responses_total{status="4xx",upstream="malformed"} 5\n')
})

test.each([false, true])('offers a fixture of every request, observing: %s', async observe => {
  const { address, open } = await startWithAdmin({ observe })
  for (const request of [sign(), changed(sign()), elsewhere()]) await send(address, request)
  const details = await open(3)
  const vectors = details.map(({ fixture }) => JSON.parse(fixture).vectors[0])
  expect(vectors.map(({ verdict }) => verdict.failures ?? [])).toMatchObject([
    [],
    [{ code: 'digest-mismatch' }],
    [{ code: 'signature-mismatch' }]
  ])
  for (const { dns } of vectors) expect(Object.keys(dns)).toEqual(['key1._domainkey.service.example'])
  const otherwise = observe ? 'forwarded' : 'refused'
  expect(details.map(({ outcome }) => outcome)).toEqual(['verified', otherwise, otherwise])
  expect(details.slice(0, 2).map(({ body }) => body.text)).toEqual(['{"id":1}', '{"id":2}'])
})

test('the page says for which account a signed request came, while observing without --account', async () => {
  const { address, port, open } = await startWithAdmin({
    observe: true,
    verifier: { ...service.options, accounts: ANY_ACCOUNT }
  })
  await send(address, service.sign({ headers: { 'X-Service-ID': 'account-77' } }))
  await open(1)
  const page = listen(port)
  await page.hasRows(1)
  expect(page.batches.at(-1)).toMatchObject({ account: expect.stringContaining('--account 77') })
})

test('a body that was refused before it was read is not kept', async () => {
  const { address, open, exchanges } = await startWithAdmin()
  await send(address, elsewhere())
  expect(await open(1)).toMatchObject([{ body: { text: '', note: expect.stringContaining('was not read') } }])
  expect(exchanges[0]?.body).toBeUndefined()
})

test('of a large body 64 KiB are kept, and the fixture of a refused one says how long it was', async () => {
  const { address, open } = await startWithAdmin()
  const large = service.sign({ target: '/hook', body: Buffer.alloc(200_000, 'x') })
  for (const request of [{ ...large, body: Buffer.alloc(200_000, 'y') }, changed(sign())]) await send(address, request)
  await send(address, large)
  const details = await open(3)
  const beginning = '200000 bytes, the beginning'
  expect(details.map(({ body }) => body.note)).toEqual([beginning, '8 bytes', beginning])
  expect(details.map(({ body }) => body.text.length)).toEqual([4096, 8, 4096])
  const bodies = details.slice(0, 2).map(({ fixture }) => JSON.parse(fixture).vectors[0].request.body)
  expect(bodies).toEqual([{ utf8: 'y'.repeat(65_536), length: 200_000 }, { utf8: '{"id":2}' }])
})

test('a body that did not end is on the page, as far as it came', async () => {
  const { address, open } = await startWithAdmin({ verifier: { ...service.options, bodyTimeout: 100 } })
  const request = sign()
  const lines = request.headers.map(([name, value]) => `${name}: ${value}`)
  const socket = connect(Number(address.split(':')[1]), '127.0.0.1')
  socket.write(`POST /hook HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n{"id`)
  onTestFinished(() => void socket.destroy())
  const [{ body, note, fixture }] = await open(1)
  expect([note, body.text]).toEqual(['body-unreadable', '{"id'])
  expect(body.note).toBe('4 bytes, and the rest did not arrive (it did not end within 100 ms)')
  expect(JSON.parse(fixture).vectors[0].request.body).toMatchObject({ utf8: '{"id', error: expect.any(String) })
})

test.each([
  ['without an admin address', { admin: undefined }],
  ['with --redact', { redact: true }]
])('%s no body of a refused request is kept', async (_, settings) => {
  const { address, over } = await startWithAdmin(settings)
  await send(address, changed(sign()))
  const [exchange] = await over(1)
  expect(exchange?.verdict.failures).toMatchObject([{ code: 'digest-mismatch' }])
  expect(exchange?.body).toBeUndefined()
})

test('/healthz says when the gateway drains', async () => {
  const { verifier, isAsked, answerDns } = heldDns()
  const { address, port, close } = await startWithAdmin({ verifier })
  expect(await ask(port, '/healthz')).toMatchObject({ status: 200, body: 'ok\n' })
  const answer = send(address, sign())
  await isAsked()
  const closed = close()
  expect(await ask(port, '/healthz')).toMatchObject({ status: 503, body: 'draining\n' })
  answerDns()
  await Promise.all([answer, closed])
  await expect(ask(port, '/healthz')).rejects.toThrow(/ECONNREFUSED/)
})

test('a fixture has the key that was used, and not one that DNS had before or since', async () => {
  const { sign, rotateKey, records, options } = createTestService({ rsaBits: 1024 })
  const { address, open } = await startWithAdmin({ verifier: options })
  const first = 'key1._domainkey.service.example'
  await send(address, sign())
  const second = rotateKey()
  await send(address, sign())
  const dns = (await open(2)).map(({ fixture }) => JSON.parse(fixture).vectors[0].dns)
  expect(dns).toEqual([{ [first]: records[first] }, { [second]: records[second] }])
})

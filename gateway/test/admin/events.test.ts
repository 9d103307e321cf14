import { connect } from 'node:net'
import { dnsTxtLookup } from 'signed-requests'
import { rfc9421 } from 'signed-requests/rfc9421'
import { expect, test } from 'vitest'
import { setupOf } from '../../src/admin/setup.ts'
import { ask, listen, service, startTestAdmin, testAdminSettings } from '../support/admin.ts'
import { exchangeOf } from '../support/exchanges.ts'

const exchange = (target: string) => exchangeOf(service.sign({ target, body: '{}' }), service.options)

test('sends the kept requests, and then new ones', async () => {
  const admin = await startTestAdmin()
  admin.record(await exchange('/a'))
  const page = listen(admin.port)
  await page.hasRows(1)
  expect(page.batches[0]).toMatchObject({ counts: { verified: 1, refused: 0, unavailable: 0, forwarded: 0 } })
  admin.record(await exchange('/b'))
  admin.record(await exchange('/c'))
  await page.hasRows(3)
  expect(page.rows().map(({ target }) => target)).toEqual(['/a', '/b', '/c'])
  expect(page.batches.at(-1)?.counts).toMatchObject({ verified: 3 })
})

test('sends everything to a page that connects again', async () => {
  const admin = await startTestAdmin()
  for (const target of ['/a', '/b']) admin.record(await exchange(target))
  const first = listen(admin.port)
  await first.hasRows(2)
  first.stop()
  admin.record(await exchange('/c'))
  const second = listen(admin.port, { 'Last-Event-ID': '1' })
  await second.hasBatches(1)
  expect(second.rows().map(({ target }) => target)).toEqual(['/a', '/b', '/c'])
})

test('sends the last 200 and no more', async () => {
  const admin = await startTestAdmin()
  const one = await exchange('/')
  for (let i = 1; i <= 250; i++) admin.record({ ...one, target: `/${i}` })
  const page = listen(admin.port)
  await page.hasBatches(1)
  expect(page.rows().map(({ target }) => target)).toEqual(Array.from({ length: 200 }, (_, i) => `/${i + 51}`))
  expect(page.batches[0]?.counts['verified']).toBe(250)
})

test('sends a flood in batches, and never sends requests that were dropped meanwhile', async () => {
  const admin = await startTestAdmin()
  const page = listen(admin.port)
  await page.hasBatches(1)
  const one = await exchange('/')
  for (let i = 1; i <= 10_000; i++) admin.record({ ...one, target: `/${i}` })
  await page.hasRows(1)
  expect(page.batches).toHaveLength(2)
  expect(page.rows()).toHaveLength(200)
  expect(page.rows().at(-1)?.target).toBe('/10000')
})

test('sends nothing to a page that does not read, and then what is still kept', async () => {
  const admin = await startTestAdmin()
  const other = listen(admin.port)
  await other.hasBatches(1)
  const socket = connect(admin.port, '127.0.0.1')
  socket.write(`GET /events HTTP/1.1\r\nHost: 127.0.0.1:${admin.port}\r\n\r\n`)
  let received = 0
  const targets = new Set<string>()
  await new Promise(resolve => socket.once('data', resolve))
  socket.pause()
  // Each round is about 900 KB on the wire: the second one finds the buffers full.
  const checks = 30
  const one = await exchange('/')
  const wide = { ...one, verdict: { ...one.verdict, failures: manyCodes() } } as unknown as typeof one
  for (let round = 1; round <= checks; round++) {
    for (let i = 0; i < 200; i++) admin.record({ ...wide, target: `/${round}` })
    await other.hasRows(round * 200)
  }
  socket.setEncoding('latin1').on('data', text => {
    received += text.length
    for (const [, target] of String(text).matchAll(/"target":"([^"]*)"/g)) targets.add(target ?? '')
  })
  socket.resume()
  while (!targets.has(`/${checks}`)) await new Promise(resolve => socket.once('data', resolve))
  // All of it is 27 MB. What the two sockets of the system buffer is a few.
  expect(received).toBeLessThan(12e6)
  socket.destroy()
})

test('scanners push no signed request out', async () => {
  const admin = await startTestAdmin()
  admin.record(await exchange('/signed'))
  const scan = { method: 'GET', target: '/wp-login.php', headers: [], body: null, https: true }
  const unsigned = await exchangeOf(scan, service.options)
  for (let i = 0; i < 1000; i++) admin.record(unsigned)
  const page = listen(admin.port)
  await page.hasBatches(1)
  expect(
    page
      .rows()
      .filter(({ list }) => list === 'signed')
      .map(({ target }) => target)
  ).toEqual(['/signed'])
  expect(page.rows().filter(({ list }) => list === 'other')).toHaveLength(200)
})

/** A verdict never has as many: they make a row large. */
const manyCodes = () => Array.from({ length: 200 }, () => ({ code: 'signature-parameter-repeated', check: 'date' }))

test('limits how many pages may be open', async () => {
  const admin = await startTestAdmin()
  const pages = Array.from({ length: 20 }, () => listen(admin.port))
  for (const page of pages) await page.hasBatches(1)
  expect(await ask(admin.port, '/events')).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
  pages[0]?.stop()
  let status = 503
  while (status === 503) ({ status } = await ask(admin.port, '/events', { method: 'HEAD' }))
  expect(status).toBe(200)
})

test('says a line that signs what this gateway expects', () => {
  const sendWith = (prefix: string | undefined, schemes?: [typeof rfc9421]) =>
    setupOf(testAdminSettings({ prefix, verifier: { ...service.options, ...(schemes && { schemes }) } }))
  expect(sendWith('/hooks', [rfc9421])).toMatchObject({
    send: expect.stringMatching(/ --prefix=\/hooks --scheme=rfc9421$/)
  })
  // Without the header of the proxy, nothing is put back.
  expect(sendWith('x-forwarded-prefix')).toMatchObject({ send: expect.not.stringMatching(/--(?:prefix|scheme)/) })
})

test.each([
  [['127.0.0.1:5353'], ' --serve-dns=127.0.0.1:5353'],
  [['192.0.2.1', '[::1]:5353'], " --serve-dns='[::1]:5353'"],
  [['192.0.2.1:5353'], ''],
  // A resolver of the machine is there.
  [['127.0.0.1:53'], ''],
  [undefined, '']
])('the line serves the key where --dns-server %j looks for it', (servers, flag) => {
  const verifier = { ...service.options, lookupTxt: dnsTxtLookup(servers && { servers }) }
  const { send } = setupOf(testAdminSettings({ verifier })) as { send: string }
  expect(/ --serve-dns=\S+|$/.exec(send)?.[0]).toBe(flag)
})

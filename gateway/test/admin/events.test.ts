import { dnsTxtLookup, type ReceivedRequest } from 'signed-requests'
import { rfc9421 } from 'signed-requests/rfc9421'
import { expect, test } from 'vitest'
import { service, withSignature } from '../../../test/support/service.ts'
import { setupOf } from '../../src/admin/setup.ts'
import { ask, listen, startTestAdmin, testAdminSettings } from '../support/admin.ts'
import { exchangeOf } from '../support/exchanges.ts'

const exchange = (target: string) => exchangeOf(service.sign({ target, body: '{}' }))

test('sends the kept requests, and then new ones', async () => {
  const { port, record } = await startTestAdmin()
  record(await exchange('/a'))
  const page = listen(port)
  await page.hasRows(1)
  expect(page.batches[0]).toMatchObject({ counts: { verified: 1, refused: 0, unavailable: 0, forwarded: 0 } })
  for (const target of ['/b', '/c']) record(await exchange(target))
  await page.hasRows(3)
  expect(page.targets()).toEqual(['/a', '/b', '/c'])
  expect(page.batches.at(-1)?.counts).toMatchObject({ verified: 3 })
})

test('counts the requests that are signed under another domain', async () => {
  const { port, record } = await startTestAdmin()
  const elsewhere = withSignature(service.sign(), value => value.replace('service.example', 'evil.example'))
  for (const request of [elsewhere, elsewhere, forged(), SCAN]) record(await exchangeOf(request))
  const page = listen(port)
  await page.hasBatches(1)
  expect(page.batches[0]).toMatchObject({ counts: { refused: 4, elsewhere: 2 } })
})

test('sends everything to a page that connects again', async () => {
  const { port, record } = await startTestAdmin()
  for (const target of ['/a', '/b']) record(await exchange(target))
  const first = listen(port)
  await first.hasRows(2)
  first.stop()
  record(await exchange('/c'))
  const second = listen(port, { 'Last-Event-ID': '1' })
  await second.hasBatches(1)
  expect(second.targets()).toEqual(['/a', '/b', '/c'])
})

test('sends the last 200 and no more', async () => {
  const { port, record } = await startTestAdmin()
  const one = await exchange('/')
  for (let i = 1; i <= 250; i++) record({ ...one, target: `/${i}` })
  const page = listen(port)
  await page.hasBatches(1)
  expect(page.targets()).toEqual(Array.from({ length: 200 }, (_, i) => `/${i + 51}`))
  expect(page.batches[0]?.counts['verified']).toBe(250)
})

test('sends a flood in batches, and never sends requests that were dropped meanwhile', async () => {
  const { port, record } = await startTestAdmin()
  const page = listen(port)
  await page.hasBatches(1)
  const one = await exchange('/')
  for (let i = 1; i <= 10_000; i++) record({ ...one, target: `/${i}` })
  await page.hasRows(1)
  expect(page.batches).toHaveLength(2)
  expect(page.rows()).toHaveLength(200)
  expect(page.targets().at(-1)).toBe('/10000')
})

const SCAN = { method: 'GET', target: '/wp-login.php', headers: [], body: null, https: true }
const forged = () => ({ ...service.sign({ body: '{}' }), target: '/forged' })

test('scanners push no signed request out', async () => {
  const { port, record, recorder } = await startTestAdmin()
  const take = async (request: ReceivedRequest) => record(await exchangeOf(request, {}, { recorder }))
  record(await exchange('/signed'))
  await take(forged())
  for (let i = 0; i < 1000; i++) await take(SCAN)
  const page = listen(port)
  await page.hasBatches(1)
  const targetsOf = (wanted: string) => page.rows().flatMap(({ list, target }) => (list === wanted ? [target] : []))
  expect(targetsOf('signed')).toEqual(['/signed', '/forged'])
  expect(targetsOf('other')).toHaveLength(199)
})

test('a request that was refused at night is there in the morning, whatever has come since', async () => {
  const { port, record, recorder } = await startTestAdmin()
  const take = async (request: ReceivedRequest) => record(await exchangeOf(request, {}, { recorder }))
  await take(forged())
  // Anybody can send a request that is signed under another domain, so it uses none of the reserved entries.
  const elsewhere = withSignature(service.sign(), value => value.replace('service.example', 'evil.example'))
  for (let i = 0; i < 300; i++) await take(elsewhere)
  const genuine = await exchange('/genuine')
  for (let i = 0; i < 300; i++) record(genuine)
  const page = listen(port)
  await page.hasBatches(1)
  expect(page.targets()).toContain('/forged')
  expect(page.targets().filter(target => target === '/genuine')).toHaveLength(200)
})

test('a refused request is on the page when it is over, and one that was pushed out meanwhile is not', async () => {
  const { port, record, recorder } = await startTestAdmin()
  // The first one of a code is kept.
  await exchangeOf(forged(), {}, { recorder })
  const first = await exchangeOf(forged(), {}, { recorder })
  for (let i = 0; i < 200; i++) await exchangeOf(forged(), {}, { recorder })
  const last = await exchangeOf({ ...forged(), target: '/last' }, {}, { recorder })
  record(first)
  record(last)
  const page = listen(port)
  await page.hasBatches(1)
  expect(page.targets()).toEqual(['/last'])
})

test('limits how many pages may be open', async () => {
  const { port } = await startTestAdmin()
  const pages = Array.from({ length: 20 }, () => listen(port))
  for (const page of pages) await page.hasBatches(1)
  expect(await ask(port, '/events')).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
  pages[0]?.stop()
  await expect.poll(async () => (await ask(port, '/events', { method: 'HEAD' })).status, { timeout: 55_000 }).toBe(200)
})

test.each([
  ['/hooks', [rfc9421], ' --prefix=/hooks --scheme=rfc9421'],
  // Without the proxy's header, nothing is restored.
  ['x-forwarded-prefix', undefined, '']
] as const)('says a line that signs what a gateway with --prefix %s expects', (prefix, schemes, flags) => {
  const verifier = { ...service.options, ...(schemes && { schemes }) }
  const { send } = setupOf(testAdminSettings({ prefix, verifier })) as { send: string }
  expect(/ --(?:prefix|scheme).*|$/.exec(send)?.[0]).toBe(flags)
})

test.each([
  [['127.0.0.1:5353'], ' --serve-dns=127.0.0.1:5353'],
  [['192.0.2.1', '[::1]:5353'], " --serve-dns='[::1]:5353'"],
  [['192.0.2.1:5353'], ''],
  [['10.127.0.1:5353'], ''],
  // The machine's own resolver may use this port.
  [['127.0.0.1:53'], ''],
  [undefined, '']
])('the line serves the key where --dns-server %j looks for it', (servers, flag) => {
  const verifier = { ...service.options, lookupTxt: dnsTxtLookup(servers && { servers }) }
  const { send } = setupOf(testAdminSettings({ verifier })) as { send: string }
  expect(/ --serve-dns=\S+|$/.exec(send)?.[0]).toBe(flag)
})

import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { ask, listen, service, startTestAdmin } from '../support/admin.ts'
import { exchangeOf } from '../support/exchanges.ts'

const exchange = (target: string) => exchangeOf(service.sign({ target, body: '{}' }), service.options)

test('sends the kept requests, and then new ones', async () => {
  const admin = await startTestAdmin()
  admin.record(await exchange('/a'))
  const page = listen(admin.port)
  await page.hasRows(1)
  expect(page.batches[0]).toMatchObject({
    isWhole: true,
    counts: { verified: 1, rejected: 0, unavailable: 0 }
  })
  admin.record(await exchange('/b'))
  admin.record(await exchange('/c'))
  await page.hasRows(3)
  expect(page.rows().map(({ number, target }) => [number, target])).toEqual([
    [1, '/a'],
    [2, '/b'],
    [3, '/c']
  ])
  expect(page.batches.slice(1).some(({ isWhole }) => isWhole)).toBe(false)
  expect(page.batches.at(-1)?.counts).toEqual({ verified: 3, rejected: 0, unavailable: 0 })
})

test('continues after the Last-Event-ID', async () => {
  const admin = await startTestAdmin()
  for (const target of ['/a', '/b', '/c']) admin.record(await exchange(target))
  const first = listen(admin.port)
  await first.hasRows(3)
  first.stop()
  admin.record(await exchange('/d'))
  const second = listen(admin.port, { 'Last-Event-ID': first.batches[0]?.id ?? '' })
  await second.hasBatches(1)
  expect(second.batches[0]).toMatchObject({ isWhole: false, rows: [{ number: 4, target: '/d' }] })
})

test.each(['0123456789abcdef-3', '-3', 'x', '%00', '9'.repeat(1000)])(
  'sends everything to a page that comes from another process: %s',
  async lastEventId => {
    const admin = await startTestAdmin()
    for (const target of ['/a', '/b', '/c']) admin.record(await exchange(target))
    const page = listen(admin.port, { 'Last-Event-ID': lastEventId })
    await page.hasBatches(1)
    expect(page.batches[0]).toMatchObject({
      isWhole: true,
      rows: [{ number: 1 }, { number: 2 }, { number: 3 }]
    })
  }
)

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
  expect(page.rows().at(-1)?.number).toBe(10_000)
})

test('sends nothing to a page that does not read, and then what is still kept', async () => {
  const admin = await startTestAdmin()
  const other = listen(admin.port)
  await other.hasBatches(1)
  const socket = connect(admin.port, '127.0.0.1')
  socket.write(`GET /events HTTP/1.1\r\nHost: 127.0.0.1:${admin.port}\r\n\r\n`)
  let received = 0
  const rows = new Set<number>()
  await new Promise(resolve => socket.once('data', resolve))
  socket.pause()
  // Each round is about 900 KB on the wire: the second one finds the buffers full.
  const checks = 30
  const one = await exchange('/')
  const wide = { ...one, verdict: { ...one.verdict, failures: manyCodes() } } as unknown as typeof one
  for (let round = 1; round <= checks; round++) {
    for (let i = 0; i < 200; i++) admin.record(wide)
    await other.hasRows(round * 200)
  }
  socket.setEncoding('latin1').on('data', text => {
    received += text.length
    for (const [, number] of String(text).matchAll(/"number":(\d+)/g)) rows.add(Number(number))
  })
  socket.resume()
  while (!rows.has(checks * 200)) await new Promise(resolve => socket.once('data', resolve))
  // All of it is 27 MB. What the two sockets of the system buffer is a few.
  expect(received).toBeLessThan(12e6)
  socket.destroy()
})

/** A verdict never has as many: they make a row large. */
const manyCodes = () =>
  Array.from({ length: 200 }, () => ({ code: 'signature-parameter-repeated', check: 'date' }))

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

import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { service } from '../../test/support/service.ts'
import { exchangeBytes, send, statusesOf, wire } from '../../test/support/wire.ts'
import { startApplication, startTestGateway } from './start.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

async function start(settings: Parameters<typeof startTestGateway>[1] = {}) {
  const application = await startApplication()
  undo.push(application.close)
  const gateway = await startTestGateway(application.url, settings)
  undo.push(gateway.close)
  return { ...gateway, seen: application.seen }
}

/** DNS that never answers, but about the keys of the service. */
const SILENT = 'silent._domainkey.service.example'
const verifier = {
  ...service.options,
  lookupTimeout: 3_600_000,
  lookupTxt: ((name, options) =>
    name === SILENT ? new Promise(() => {}) : service.lookupTxt(name, options)) as typeof service.lookupTxt
}

/** Passes the local checks with one signature, and asks DNS in vain. */
const madeUp = (() => {
  const { headers, ...signed } = service.sign({ method: 'GET', target: '/made-up' })
  const lines = headers.map(([name, value]): [string, string] => [
    name,
    value.replace(/keyId="[^"]*"/, `keyId="${SILENT}"`)
  ])
  return wire({ ...signed, headers: lines, body: null })
})()

function open(address: string, bytes: Uint8Array): Socket {
  const socket = connect(Number(address.split(':')[1]), '127.0.0.1').on('error', () => {})
  undo.push(() => socket.destroy())
  socket.write(bytes)
  return socket
}

test('a sender that has gone is over at once, whatever DNS does', async () => {
  const { address, over } = await start({ verifier })
  const sockets = Array.from({ length: 100 }, () => open(address, madeUp))
  // It comes behind them, and waits for none.
  expect(statusesOf(await send(address, service.sign({ target: '/' })))).toEqual([200])
  for (const socket of sockets) socket.destroy()
  expect((await over(101)).filter(({ status }) => status === 0)).toHaveLength(100)
})

test('half of the connections may wait for DNS: of more, the oldest is told to try again', async () => {
  const { address, over } = await start({ verifier, maxConnections: 20 })
  const first = exchangeBytes(address, madeUp)
  for (let i = 0; i < 10; i++) open(address, madeUp)
  expect(await first).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: \d/)
  expect((await over(1))[0]).toMatchObject({ verdict: { failures: [{ code: 'key-lookup-failed' }] } })
  expect(statusesOf(await send(address, service.sign({ target: '/' })))).toEqual([200])
})

test('ends when --drain is over, although DNS never answers', async () => {
  const { address, over, close } = await start({ verifier, drain: 0 })
  for (let i = 0; i < 50; i++) open(address, madeUp)
  expect(statusesOf(await send(address, service.sign({ target: '/' })))).toEqual([200])
  expect(await close()).toBe(false)
  expect(await over(51)).toHaveLength(51)
})

test('a quarter of the connections may wait for bodies: of more, the oldest is told to try again', async () => {
  const { address, over, seen } = await start({ maxConnections: 40 })
  const bytes = wire(service.sign({ target: '/captured', body: 'x'.repeat(100) }))
  const first = exchangeBytes(address, bytes.subarray(0, -1))
  for (let i = 0; i < 10; i++) open(address, bytes.subarray(0, -1))
  expect(await first).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: \d/)
  expect((await over(1))[0]).toMatchObject({ verdict: { failures: [{ code: 'body-unreadable' }] } })
  expect(statusesOf(await send(address, service.sign({ target: '/', body: 'x' })))).toEqual([200])
  expect(seen).toHaveLength(1)
})

test('copies of a captured head hold 64 MB together: the oldest is told to try again, others pass', async () => {
  const { address, over, seen } = await start()
  const bytes = wire(service.sign({ target: '/captured', body: Buffer.alloc(10_000_000, 'x') }))
  const first = exchangeBytes(address, bytes.subarray(0, -1))
  for (let i = 0; i < 7; i++) open(address, bytes.subarray(0, -1))
  expect(await first).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: \d/)
  expect(statusesOf(await send(address, service.sign({ target: '/', body: 'x'.repeat(100_000) })))).toEqual([200])
  expect(seen.map(({ target }) => target)).toEqual(['/'])
  const [{ verdict } = { verdict: undefined }] = await over(1)
  expect(verdict).toMatchObject({ failures: [{ code: 'body-unreadable', evidence: { error: 'TOO_MANY_BODIES' } }] })
}, 60_000)

test('a body that is withheld while observing stalls nobody, and an unsigned one is not held', async () => {
  const { address, seen } = await start({ observe: true, verifier })
  const signed = service.sign({ target: '/hook', body: 'withheld' })
  open(address, wire(signed).subarray(0, -1))
  const unsigned = 'POST /other HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\n1234'
  const half = open(address, Buffer.from(unsigned))
  for (let i = 0; i < 20; i++) expect(statusesOf(await send(address, signed))).toEqual([200])
  half.write('5')
  await new Promise(resolve => half.on('close', resolve).resume())
  const other = seen.find(({ target }) => target === '/other')
  expect([other?.body.toString(), other?.headers['content-length']]).toEqual(['12345', '5'])
})

test('an unsigned body without a length is passed on as it comes while observing', async () => {
  const { address, seen } = await start({ observe: true })
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'
  const answer = await exchangeBytes(address, Buffer.from(`${head}2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n`))
  expect([statusesOf(answer), seen[0]?.body.toString()]).toEqual([[200], 'abcde'])
})

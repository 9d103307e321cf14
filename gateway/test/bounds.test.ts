import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { dohTxtLookup } from 'signed-requests/doh'
import { rfc9421 } from 'signed-requests/rfc9421'
import { expect, onTestFinished, test } from 'vitest'
import { DRAIN_LIMITS } from '../../src/internal/index.ts'
import { startDohServer } from '../../test/support/doh-server.ts'
import { service, withHeaders } from '../../test/support/service.ts'
import { until } from '../../test/support/until.ts'
import { exchangeBytes, send, statusesOf, wire } from '../../test/support/wire.ts'
import { open, receivedOn, start, untilAsked } from './for-one-test.ts'

/** DNS that replies only about the keys of the service. */
const SILENT = 'silent._domainkey.service.example'
const verifier = {
  ...service.options,
  lookupTimeout: 3_600_000,
  lookupTxt: ((name, options) =>
    name === SILENT ? new Promise(() => {}) : service.lookupTxt(name, options)) as typeof service.lookupTxt
}

/** Passes the local checks with one signature; DNS never replies about its key. */
const signedGet = service.sign({ method: 'GET', target: '/made-up' })
const signature = new Headers(signedGet.headers).get('Signature')!
const madeUp = wire(withHeaders(signedGet, { Signature: signature.replace(/keyId="[^"]*"/, `keyId="${SILENT}"`) }))

test('a sender that has gone is over at once, whatever DNS does', async () => {
  const { address, over, statuses } = await start({ verifier })
  const sockets = Array.from({ length: 100 }, () => open(address, madeUp))
  // The genuine request arrives behind the others, and waits for none of them.
  expect(await statuses(service.sign())).toEqual([200])
  for (const socket of sockets) socket.destroy()
  expect((await over(101)).filter(({ status }) => status === 0)).toHaveLength(100)
})

test('all connections may wait for DNS: when they are taken, a new one makes the oldest give way, with 503', async () => {
  const { address, exchanges, over, statuses } = await start({ verifier, maxConnections: 20 })
  const first = exchangeBytes(address, madeUp)
  const others = Array.from({ length: 19 }, () => open(address, madeUp))
  await Promise.all(others.map(socket => once(socket, 'connect')))
  // Connections are accepted in their order.
  expect(exchanges).toEqual([])
  expect(await statuses(service.sign())).toEqual([200])
  expect(await first).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: \d[\s\S]*Connection: close/)
  expect((await over(2)).map(({ status }) => status).sort()).toEqual([200, 503])
  expect(exchanges.find(({ status }) => status === 503)).toMatchObject({
    verdict: { failures: [{ code: 'key-lookup-failed' }] }
  })
})

test('genuine requests on all connections at once pass, although DNS is slow and their bodies come later', async () => {
  const answers: (() => void)[] = []
  const lookupTxt: typeof service.lookupTxt = (...asked) =>
    new Promise(resolve => answers.push(() => resolve(service.lookupTxt(...asked))))
  let [heads, verified] = [0, 0]
  const now = () => {
    heads += 1
    return Date.now()
  }
  const accounts = () => {
    verified += 1
    return true
  }
  const { address } = await start({ verifier: { ...service.options, lookupTxt, now, accounts }, maxConnections: 40 })
  const requests = Array.from({ length: 40 }, (_, i) =>
    wire(service.sign({ target: `/${i}`, body: 'late' }), [['Connection', 'close']])
  )
  const sockets = requests.map(bytes => open(address, bytes.subarray(0, -1)))
  const all = sockets.map(receivedOn)
  await until(() => heads === 40)
  for (const answer of answers) answer()
  await until(() => verified === 40)
  for (const socket of sockets) socket.write('e')
  expect((await Promise.all(all)).flatMap(statusesOf)).toEqual(requests.map(() => 200))
})

test('a flood of made-up keys opens at most as many queries as there are connections', async () => {
  const resolver = await startDohServer(service.records)
  onTestFinished(resolver.close)
  const queries = new Set<ServerResponse>()
  let mostOpen = 0
  let asked = 0
  resolver.intercept = (name, response) => {
    if (!name.startsWith('made-up-')) return false
    asked += 1
    queries.add(response)
    mostOpen = Math.max(mostOpen, queries.size)
    response.on('close', () => queries.delete(response))
    return true
  }
  const lookupTxt = dohTxtLookup({ url: resolver.url, timeout: 3_600_000 })
  const { address, statuses } = await start({ verifier: { ...verifier, lookupTxt }, maxConnections: 20 })
  const sockets: ReturnType<typeof open>[] = []
  for (let n = 0; n < 100; n++) {
    const head = madeUp.toString('latin1').replace(SILENT, `made-up-${n}.service.example`)
    const socket = open(address, Buffer.from(head, 'latin1'))
    sockets.push(socket)
    await new Promise(resolve => socket.once('connect', resolve).once('close', resolve))
  }
  await until(() => queries.size === 20)
  expect(await statuses(service.sign())).toEqual([200])
  for (const socket of sockets) socket.destroy()
  await until(() => queries.size === 0)
  expect(asked).toBeGreaterThan(20)
  expect(mostOpen).toBeLessThanOrEqual(20)
})

test('ends when --drain is over, although DNS never answers', async () => {
  const { address, over, close, statuses } = await start({ verifier, drain: 0 })
  for (let i = 0; i < 50; i++) open(address, madeUp)
  expect(await statuses(service.sign())).toEqual([200])
  expect(await close()).toBe(false)
  expect(await over(51)).toHaveLength(51)
})

test.each([
  ['all connections may wait for bodies', { maxConnections: 10 }, 100, 10],
  ['five copies of 10 MB may be read at once', {}, 10_000_000, 5]
])('%s: of more copies the newest is told to try again, others pass', async (_, settings, size, more) => {
  const { address, over, seen, statuses } = await start(settings)
  const bytes = wire(service.sign({ target: '/captured', body: Buffer.alloc(size, 'x') }), [['Connection', 'close']])
  const first = open(address, bytes.subarray(0, -1))
  const answer = receivedOn(first)
  for (let i = 0; i < more; i++) open(address, bytes.subarray(0, -1))
  const [refused] = await over(1)
  const failures = [{ code: 'body-unreadable', evidence: { error: 'TOO_MANY_BODIES' } }]
  expect(refused).toMatchObject({ status: 503, verdict: { failures } })
  // The answer does not wait for the rest of its body.
  expect(refused!.duration).toBeLessThan(DRAIN_LIMITS.drainTimeout)
  expect(await statuses(service.sign({ target: '/', body: 'x'.repeat(100_000) }))).toEqual([200])
  first.write(bytes.subarray(-1))
  expect(statusesOf(await answer)).toEqual([200])
  expect(seen.map(({ target }) => target)).toEqual(['/', '/captured'])
})

test('copies of one request compete with each other, although RFC 9421 signs their targets alike', async () => {
  const { address, over } = await start({ maxConnections: 10, verifier: { ...service.options, schemes: [rfc9421] } })
  const covered = '@method @path @query @authority date x-service-id content-digest'.split(' ')
  const signed = service.sign({ scheme: 'rfc9421', target: '/captured', body: 'withheld', covered })
  const first = open(address, wire(signed, [['Connection', 'close']]).subarray(0, -1))
  const answer = receivedOn(first)
  const targets = [...'receiver'].map((_, i) => {
    const host = [...'receiver.example'].map((letter, at) => (at === i ? letter.toUpperCase() : letter)).join('')
    return `https://${host}/captured`
  })
  for (const target of [...targets, 'https://receiver.example/captured', '/captured?'])
    open(address, wire({ ...signed, target }).subarray(0, -1))
  const [refused] = await over(1)
  expect(refused).toMatchObject({ status: 503, verdict: { failures: [{ code: 'body-unreadable' }] } })
  first.write(wire(signed).subarray(-1))
  expect(statusesOf(await answer)).toEqual([200])
})

test.each([
  ['whole bodies', 1000, 60],
  ['no bodies', 0, 60]
])('requests with %s pass, although their heads verify at once', async (_, size, count) => {
  const { address } = await start({ maxConnections: 60, verifier: { ...service.options, accounts: untilAsked(count) } })
  const body = Buffer.alloc(size)
  const requests = Array.from({ length: count }, (_, i) => service.sign({ target: `/${i}`, body }))
  const answers = await Promise.all(requests.map(request => send(address, request)))
  expect(answers.flatMap(statusesOf)).toEqual(requests.map(() => 200))
})

test('a body that is withheld while observing stalls nobody, and an unsigned one is not held', async () => {
  const { address, seen, statuses } = await start({ observe: true, verifier })
  const signed = service.sign({ target: '/hook', body: 'withheld' })
  open(address, wire(signed).subarray(0, -1))
  const unsigned = 'POST /other HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\n1234'
  const half = open(address, Buffer.from(unsigned))
  for (let i = 0; i < 20; i++) expect(await statuses(signed)).toEqual([200])
  half.write('5')
  await new Promise(resolve => half.on('close', resolve).resume())
  const other = seen.find(({ target }) => target === '/other')
  expect([other?.body.toString(), other?.headers['content-length']]).toEqual(['12345', '5'])
})

test.each([false, true])(
  'bodies that unsigned senders withhold on all connections keep no genuine request out (observing: %s)',
  async observe => {
    const { address, statuses } = await start({ observe, maxConnections: 20 })
    let verdicts = 0
    const count = () => {
      verdicts += 1
    }
    subscribe('signed-requests:verdict', count)
    onTestFinished(() => void unsubscribe('signed-requests:verdict', count))
    const half = Buffer.from('POST /withheld HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n1234')
    for (let i = 0; i < 20; i++) open(address, half)
    await until(() => verdicts === 20)
    for (let i = 0; i < 10; i++) {
      expect(await statuses(service.sign({ target: `/${i}` }))).toEqual([200])
      open(address, half)
      await until(() => verdicts === 22 + 2 * i)
    }
  }
)

test('while observing, requests that wait for a slow application give way when they are not verified', async () => {
  const late: ServerResponse[] = []
  const { address, seen, statuses } = await start({ observe: true, maxConnections: 20 }, (res, { target }) => {
    if (target === '/late') late.push(res)
    else res.end('done')
  })
  onTestFinished(() => {
    for (const res of late) res.end()
  })
  const unsigned = Buffer.from('GET /late HTTP/1.1\r\nHost: a\r\n\r\n')
  for (let i = 0; i < 20; i++) open(address, unsigned)
  await until(() => late.length === 20)
  for (let i = 0; i < 10; i++) {
    expect(await statuses(service.sign({ target: `/${i}` }))).toEqual([200])
    open(address, unsigned)
    await until(() => late.length === 21 + i)
  }
  expect(seen).toHaveLength(40)
})

test('while observing, a request that gives way gets 503 and is not forwarded', async () => {
  const { address, seen, statuses } = await start({ observe: true, verifier, maxConnections: 20 })
  const first = exchangeBytes(address, madeUp)
  for (let i = 0; i < 19; i++) open(address, madeUp)
  expect(await statuses(service.sign({ target: '/genuine' }))).toEqual([200])
  expect(statusesOf(await first)).toEqual([503])
  expect(seen.map(({ target }) => target)).toEqual(['/genuine'])
})

test('an unsigned body without a length is passed on as it comes while observing', async () => {
  const { address, seen } = await start({ observe: true })
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'
  const answer = await exchangeBytes(address, Buffer.from(`${head}2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n`))
  expect([statusesOf(answer), seen[0]?.body.toString()]).toEqual([[200], 'abcde'])
})

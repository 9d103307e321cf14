import { once } from 'node:events'
import { expect, test } from 'vitest'
import { service } from '../../test/support/service.ts'
import { until } from '../../test/support/until.ts'
import { send, statusesOf, wire } from '../../test/support/wire.ts'
import { MAX_HELD } from '../src/bounded-verify.ts'
import { open, receivedOn, start, untilAsked } from './for-one-test.ts'

test('as many bodies of 2 MB as fit into the memory for all bodies pass, although their heads verify at once', async () => {
  const count = Math.floor(MAX_HELD / 2_000_000)
  const { address } = await start({ maxConnections: 60, verifier: { ...service.options, accounts: untilAsked(count) } })
  const body = Buffer.alloc(2_000_000)
  const requests = Array.from({ length: count }, (_, i) => service.sign({ target: `/${i}`, body }))
  const answers = await Promise.all(requests.map(request => send(address, request)))
  expect(answers.flatMap(statusesOf)).toEqual(requests.map(() => 200))
})

test('a chunked body that grows is charged once: 50 of 1 MB in parts pass', async () => {
  const { address } = await start({ maxConnections: 60 })
  const body = 'x'.repeat(1_000_000)
  const half = Buffer.from(`7a120\r\n${body.slice(0, 500_000)}\r\n`)
  const sockets = Array.from({ length: 50 }, (_, i) => {
    const signed = service.sign({ target: `/${i}`, body, headers: { 'Content-Length': undefined } })
    const head = wire({ ...signed, body: '' }, [['Connection', 'close']]).toString('latin1')
    return open(address, Buffer.from(head.replace('Content-Length: 0', 'Transfer-Encoding: chunked'), 'latin1'))
  })
  const all = sockets.map(receivedOn)
  for (const end of ['', '0\r\n\r\n']) {
    await Promise.all(sockets.map(socket => new Promise(resolve => socket.write(half, resolve))))
    for (const socket of sockets) socket.write(end)
  }
  expect((await Promise.all(all)).flatMap(statusesOf)).toEqual(sockets.map(() => 200))
})

test('whoever holds most makes room: uploads of other heads end no smaller one', async () => {
  const { address, over } = await start()
  const small = wire(service.sign({ target: '/small', body: Buffer.alloc(1_000_000, 'x') }), [['Connection', 'close']])
  const socket = open(address, small.subarray(0, 500_000))
  const answer = receivedOn(socket)
  await once(socket, 'connect')
  const body = Buffer.alloc(10_000_000, 'x')
  for (let n = 0; n < 8; n++) {
    const large = wire(service.sign({ target: `/large/${n}`, body }))
    open(address, large.subarray(0, -1))
  }
  const [first] = await over(1)
  expect(first).toMatchObject({ status: 503, target: expect.stringMatching(/^\/large/) })
  socket.write(small.subarray(500_000))
  expect(statusesOf(await answer)).toEqual([200])
})

test('an answer that is not read holds nothing of the budget for bodies', async () => {
  const unread = Buffer.alloc(20_000_000)
  const { address, seen, statuses } = await start({ upstreamTimeout: 60_000 }, (res, { target }) =>
    res.end(target === '/last' ? 'done' : unread)
  )
  const body = Buffer.alloc(10_000_000, 'x')
  for (let n = 0; n < 5; n++) {
    open(address, wire(service.sign({ target: `/unread/${n}`, body })))
    await until(() => seen.length > n)
  }
  expect(await statuses(service.sign({ target: '/last', body }))).toEqual([200])
})

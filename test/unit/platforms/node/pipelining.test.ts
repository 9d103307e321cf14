import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createVerifier, nodeHandler } from '../../../../src/index.ts'
import { listenInTest } from '../../../support/node-server.ts'
import { service } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { wire } from '../../../support/wire.ts'

const UNSIGNED = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const LAST = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
const signed = () => wire(service.sign({ target: '/' })).toString()

/** Starts a server that counts the outcomes of the handler's calls. */
async function serve(receive: (req: IncomingMessage, res: ServerResponse) => Promise<void>) {
  const count = { calls: 0, settled: 0 }
  const server = createServer(async (req: IncomingMessage, res: ServerResponse) => {
    count.calls++
    await receive(req, res)
    count.settled++
  })
  const port = await listenInTest(server)
  const send = (text: string): Socket => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    socket.resume().write(text)
    onTestFinished(() => void socket.destroy())
    return socket
  }
  return { count, send }
}

const closed = (socket: Socket) => (socket.closed ? undefined : new Promise(resolve => socket.once('close', resolve)))

test('every promise settles: 100 connections with six unsigned requests in one packet', async () => {
  const verify = createVerifier({ ...service.options, requireHttps: false })
  const { count, send } = await serve(nodeHandler(verify, () => {}))
  const sockets = Array.from({ length: 100 }, () => send(UNSIGNED.repeat(5) + LAST))
  await Promise.all(sockets.map(closed))
  await until(() => count.settled === count.calls)
  expect(count.calls).toBe(600)
})

test('every promise settles when the sender leaves while the first request waits', async () => {
  let answer = () => {}
  const lookupTxt = () =>
    new Promise<never>((_, reject) => {
      answer = () => reject(new Error('late'))
    })
  const verify = createVerifier({ ...service.options, requireHttps: false, lookupTxt })
  const { count, send } = await serve(nodeHandler(verify, () => {}))
  const socket = send(signed() + UNSIGNED.repeat(5))
  await until(() => count.calls === 6)
  socket.destroy()
  await until(() => count.settled === 5)
  answer()
  await until(() => count.settled === 6)
})

test('ten requests may be in progress on one connection; an eleventh closes it unhandled', async () => {
  const silent = () => new Promise<never>(() => {})
  const verify = createVerifier({ ...service.options, requireHttps: false, lookupTxt: silent, lookupTimeout: 60_000 })
  const handle = vi.fn()
  const { count, send } = await serve(nodeHandler(verify, handle))
  const ten = send(signed() + UNSIGNED.repeat(9))
  await until(() => count.calls === 10)
  await closed(send(signed() + UNSIGNED.repeat(10)))
  expect([count.calls, ten.closed]).toEqual([21, false])
  await closed(send(signed() + UNSIGNED.repeat(60_000)))
  // Node.js passes on the rest of a packet, and then nothing more.
  expect(count.calls).toBeLessThan(10_000)
  await until(() => count.settled === count.calls - 12)
  expect([ten.closed, handle.mock.calls]).toEqual([false, []])
})

test('a third request waits for the second, although the first is answered when it comes', async () => {
  const verify = createVerifier({ ...service.options, requireHttps: false })
  const ends: (() => void)[] = []
  const body = vi.fn()
  const { count, send } = await serve(
    nodeHandler(verify, () => new Promise<void>(resolve => ends.push(resolve)), { body })
  )
  const socket = send(signed() + signed())
  await until(() => ends.length === 1)
  ends[0]!()
  await until(() => ends.length === 2)
  socket.write(signed())
  await until(() => count.calls === 3)
  // The body is the first thing that a handler asks of a request.
  expect(body).toHaveBeenCalledTimes(2)
  ends[1]!()
  await until(() => ends.length === 3)
})

test('a request that a middleware passes on after a refusal has closed the connection is not handled', async () => {
  const verify = createVerifier({ ...service.options, requireHttps: false })
  const handle = vi.fn()
  const receive = nodeHandler(verify, handle)
  let refused: Promise<unknown> | undefined
  const { count, send } = await serve(async (req, res) => {
    if (refused === undefined) {
      res.setHeader('Connection', 'close')
      refused = new Promise(resolve => res.once('close', resolve))
    } else await refused
    return receive(req, res)
  })
  await closed(send(UNSIGNED + signed()))
  await until(() => count.settled === 2)
  expect(handle).not.toHaveBeenCalled()
})

test('a connection that is idle keeps no request in memory', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const answered: WeakRef<IncomingMessage>[] = []
  const verify = createVerifier({ ...service.options, requireHttps: false })
  const receive = nodeHandler(verify, () => {})
  const { send } = await serve((req, res) => {
    answered.push(new WeakRef(req))
    return receive(req, res)
  })
  const socket = send(signed())
  await new Promise(resolve => socket.once('data', resolve))
  await until(() => {
    collectGarbage()
    return answered[0]?.deref() === undefined
  })
  expect(socket.closed).toBe(false)
})

test('a connection has no more listeners after a hundred pipelined requests than before', async () => {
  const counts: number[] = []
  const verify = createVerifier({ ...service.options, requireHttps: false })
  const receive = nodeHandler(verify, (_, { socket }) => void counts.push(socket.listenerCount('close')))
  const { count, send } = await serve(receive)
  const socket = send('')
  for (let calls = 4; calls <= 100; calls += 4) {
    socket.write(signed() + signed() + signed() + signed())
    await until(() => count.settled === calls)
  }
  // One more while others wait.
  expect(Math.max(...counts)).toBeLessThanOrEqual(Math.min(...counts) + 1)
})

test('one pipelined request is handled in each turn of the event loop, so that other connections are read', async () => {
  let turn = 0
  let timer: NodeJS.Immediate
  const count = () => {
    turn++
    timer = setImmediate(count)
  }
  count()
  onTestFinished(() => clearImmediate(timer))
  const turns: number[] = []
  const verify = createVerifier({ ...service.options, requireHttps: false })
  const { send } = await serve(nodeHandler(verify, () => {}, { onRefused: () => void turns.push(turn) }))
  await closed(send(UNSIGNED.repeat(7) + LAST))
  expect(turns).toHaveLength(8)
  expect(new Set(turns).size).toBe(8)
})

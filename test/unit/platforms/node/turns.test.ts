import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createVerifier, nodeHandler } from '../../../../src/index.ts'
import { listenInTest } from '../../../support/node-server.ts'
import { service } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { wire } from '../../../support/wire.ts'

const UNSIGNED = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const signed = () => wire(service.sign({ target: '/' })).toString()

/** A server that counts what each call of the handler became. */
async function serve(receive: ReturnType<typeof nodeHandler>) {
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
  const sockets = Array.from({ length: 100 }, () => send(UNSIGNED.repeat(6)))
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

test('a connection on which more than ten requests wait is closed, and none of them is handled', async () => {
  const silent = () => new Promise<never>(() => {})
  const verify = createVerifier({ ...service.options, requireHttps: false, lookupTxt: silent, lookupTimeout: 60_000 })
  const handle = vi.fn()
  const { count, send } = await serve(nodeHandler(verify, handle))
  const ten = send(signed() + UNSIGNED.repeat(9))
  await until(() => count.calls === 10)
  const many = send(signed() + UNSIGNED.repeat(60_000))
  await closed(many)
  expect(ten.closed).toBe(false)
  // Node.js passes on what it has read of a packet, and then nothing more.
  expect(count.calls).toBeLessThan(10_000)
  await until(() => count.settled === count.calls - 11)
  expect(handle).not.toHaveBeenCalled()
})

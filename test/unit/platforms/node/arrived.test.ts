import { once } from 'node:events'
import { createServer, IncomingMessage } from 'node:http'
import { connect, Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createVerifier, fromNodeRequest, type ReceivedRequest } from '../../../../src/index.ts'
import { readNodeRequest } from '../../../../src/platforms/node/request.ts'
import { listenInTest } from '../../../support/node-server.ts'
import { service } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { wire } from '../../../support/wire.ts'

const verify = createVerifier({ ...service.options, requireHttps: false })
/** Makes a request as `nodeHandler` and the gateway do: nothing behind them reads the stream. */
const readLast = (req: IncomingMessage): ReceivedRequest => readNodeRequest(req, undefined, true)
const signed = service.sign({ target: '/hook', body: 'in one packet' })

/** Sends these bytes on a connection that stays open; returns the request, and counts who waits for its chunks. */
async function receive(bytes: Uint8Array) {
  const server = createServer()
  const requested = once(server, 'request')
  const socket = connect(await listenInTest(server), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(bytes)
  const [req] = (await requested) as [IncomingMessage]
  let readers = 0
  req.on('newListener', event => {
    if (event === 'data') readers += 1
  })
  return { req, socket, readers: () => readers }
}

test('a body that has arrived with its head is verified without waiting for chunks', async () => {
  const { req, readers } = await receive(wire(signed))
  const verdict = await verify(readLast(req))
  expect([verdict.status, readers()]).toEqual(['verified', 0])
  expect(verdict.status === 'verified' && Buffer.from(verdict.body).toString()).toBe('in one packet')
})

test('a stream has ended when a verifier in front of other handlers has its verdict', async () => {
  const { req } = await receive(wire(signed))
  expect((await verify(fromNodeRequest(req))).status).toBe('verified')
  expect(req.readableEnded).toBe(true)
})

test('a body that has arrived is not read when its head is refused', async () => {
  const { req } = await receive(wire({ ...signed, target: '/other' }))
  expect((await verify(readLast(req))).status).toBe('rejected')
  await until(() => req.complete)
  expect([req.readableDidRead, req.readableLength]).toEqual([false, 13])
})

test('a body that has arrived in two packets is verified whole when somebody listens to it as well', async () => {
  const bytes = wire(signed)
  const { req, socket } = await receive(bytes.subarray(0, -5))
  socket.write(bytes.subarray(-5))
  await until(() => req.readableLength === 13)
  const heard: Uint8Array[] = []
  req.on('data', chunk => heard.push(chunk))
  expect((await verify(readLast(req))).failures).toEqual([])
  expect(Buffer.concat(heard).toString()).toBe('in one packet')
})

test('a body that is still arriving is waited for', async () => {
  const bytes = wire(signed)
  const { req, socket, readers } = await receive(bytes.subarray(0, -1))
  const verifying = verify(readLast(req))
  await until(() => readers() > 0)
  socket.write(bytes.subarray(-1))
  expect((await verifying).status).toBe('verified')
})

test('a body that has arrived and is too large is refused as one that comes in chunks', async () => {
  const { req } = await receive(wire(signed))
  const small = createVerifier({ ...service.options, requireHttps: false, maxBodyBytes: 5 })
  expect((await small(readLast(req))).failures).toMatchObject([{ code: 'body-too-large' }])
})

test('a request that only says that it is complete is read to its end', async () => {
  const req = new IncomingMessage(new Socket())
  Object.assign(req, { method: signed.method, url: signed.target, httpVersionMajor: 1, complete: true })
  req.rawHeaders = [...(signed.headers as [string, string][])].flat()
  const verifying = verify(readLast(req))
  setImmediate(() => {
    req.push('in one ')
    req.push('packet')
    req.push(null)
  })
  expect((await verifying).status).toBe('verified')
})

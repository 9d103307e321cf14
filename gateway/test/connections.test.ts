import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { listen } from '../../test/support/listen.ts'
import { trackConnections } from '../src/connections.ts'

async function start(answer: Parameters<typeof createServer>[1], onRun = (_: Promise<void>) => {}) {
  const server = createServer((req, res) => {
    onRun(connections.run(res, async () => answer?.(req, res as never)))
  })
  const connections = trackConnections(server, false)
  const socket = connect(await listen(server), '127.0.0.1')
  socket.on('error', () => {})
  return { server, connections, socket }
}

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

test('an answer that has ended, but was not read yet, is sent to its end', async () => {
  const { server, connections, socket } = await start((_, res) => res.end(Buffer.alloc(20_000_000)))
  socket.write(REQUEST)
  await once(server, 'request')
  connections.drain()
  let length = 0
  for await (const chunk of socket) length += chunk.length
  expect(length).toBeGreaterThan(20_000_000)
  expect(server.listening).toBe(false)
})

test('a connection without a request is closed at once, and one with half a head too', async () => {
  const { connections, socket, server } = await start(() => {})
  socket.write('GET / HTTP/1.1\r\n')
  const [other] = await once(server, 'connection')
  if (other.readyState !== 'open') await once(other, 'ready')
  socket.resume()
  connections.drain()
  if (!socket.closed) await once(socket, 'close')
})

test('all pipelined requests are answered, and then the connection is closed', async () => {
  let finish: (() => void) | undefined
  let served = 0
  const { connections, server, socket } = await start((_, res) => {
    served += 1
    if (finish === undefined) finish = () => res.end('done')
    else res.end('done')
  })
  let arrived = 0
  server.on('request', () => {
    arrived += 1
  })
  socket.write(REQUEST + REQUEST)
  while (arrived < 2) await new Promise(setImmediate)
  // One after the other: the second waits until the first was answered.
  expect(served).toBe(1)
  connections.drain()
  finish?.()
  let answer = ''
  for await (const chunk of socket) answer += chunk
  expect(answer.match(/done/g)).toHaveLength(2)
})

test('requests that wait for their turn are over when their connection is', async () => {
  const runs: Promise<void>[] = []
  let served = 0
  const serve = () => {
    served += 1
  }
  const { socket } = await start(serve, run => runs.push(run))
  socket.write(REQUEST.repeat(5))
  while (runs.length < 5) await new Promise(setImmediate)
  socket.destroy()
  await Promise.all(runs)
  expect(served).toBe(1)
})

test('drain() leaves answers that are in progress, and destroy() ends them', async () => {
  const { connections, socket, server } = await start(() => {})
  socket.write(REQUEST)
  await once(server, 'request')
  connections.drain()
  await new Promise(setImmediate)
  expect(socket.closed).toBe(false)
  connections.destroy()
  if (!socket.closed) await once(socket, 'close')
})

test('a connection that pipelines endlessly is destroyed, and only a bounded part of it is read', async () => {
  let count = 0
  const { socket } = await start(() => {
    count += 1
  })
  socket.write(REQUEST.repeat(100_000))
  socket.resume()
  await new Promise(resolve => socket.on('close', resolve))
  // What was in the same piece of 64 KiB is handed over, too.
  expect(count).toBeLessThan(5000)
})

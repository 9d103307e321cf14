import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createVerifier } from '../../src/index.ts'
import { listen } from '../../test/support/listen.ts'
import { service } from '../../test/support/service.ts'
import { wire } from '../../test/support/wire.ts'
import type { Upstream } from '../src/forward.ts'
import { createServe } from '../src/serve.ts'
import { testSettings } from './start.ts'

test('a sender that does not read the end of its answer is disconnected', async () => {
  const upstream: Upstream = {
    async forward(_, res) {
      res.end(Buffer.alloc(40_000_000))
      return { upstream: 'answered' }
    },
    destroy: async () => {}
  }
  const settings = testSettings(new URL('http://127.0.0.1'), service, { upstreamTimeout: 100 })
  const serve = createServe(settings, createVerifier(service.options), upstream)
  const server = createServer()
  const socket = connect(await listen(server), '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  socket.write(wire(service.sign({ target: '/hook' })))
  const [req, res] = await once(server, 'request')
  expect(await serve(req, res)).toMatchObject({ upstream: 'answered' })
})

test('a refused upload is read to its end, also when that takes longer than the upstream timeout', async () => {
  const upstream: Upstream = {
    forward: () => Promise.reject(new Error('a refused request was forwarded')),
    destroy: async () => {}
  }
  const settings = testSettings(new URL('http://127.0.0.1'), service, { upstreamTimeout: 100 })
  const serve = createServe(settings, createVerifier(service.options), upstream)
  const server = createServer()
  const socket = connect(await listen(server), '127.0.0.1')
  let answer = ''
  socket.on('data', chunk => {
    answer += chunk
  })
  const bytes = wire({ ...service.sign({ body: Buffer.alloc(15) }), target: '/other' })
  socket.write(bytes.subarray(0, -15))
  let left = 15
  const drip = setInterval(() => {
    socket.write('.')
    left -= 1
    if (left === 0) clearInterval(drip)
  }, 20)
  onTestFinished(() => {
    clearInterval(drip)
    socket.destroy()
    server.close()
  })
  const [req, res] = await once(server, 'request')
  const [exchange] = await Promise.all([serve(req, res), once(socket, 'close')])

  expect(exchange).toMatchObject({ status: 401, upstream: 'not-asked' })
  expect(left).toBe(0)
  expect(answer).toMatch(/^HTTP\/1\.1 401 .*\r\n\r\n$/s)
})

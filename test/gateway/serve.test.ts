import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import type { Upstream } from '../../src/gateway/forward.ts'
import { createServe } from '../../src/gateway/serve.ts'
import { createVerifier } from '../../src/index.ts'
import { sharedService, testSettings, wire } from './start.ts'

it('a sender that does not read the end of its answer is broken off', async () => {
  const service = sharedService()
  const upstream: Upstream = {
    async forward(_, res) {
      res.end(Buffer.alloc(40_000_000))
      return 'answered'
    },
    destroy: async () => {}
  }
  const settings = testSettings(new URL('http://127.0.0.1'), service, { upstreamTimeout: 100 })
  const serve = createServe(settings, createVerifier(service.options), upstream)
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  socket.write(wire(service.sign({ target: '/hook' })))
  const [req, res] = await once(server, 'request')
  expect(await serve(req, res)).toMatchObject({ upstream: 'answered' })
})

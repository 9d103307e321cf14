import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createVerifier } from '../../src/index.ts'
import { listen } from '../../test/support/listen.ts'
import { service } from '../../test/support/service.ts'
import { wire } from '../../test/support/wire.ts'
import { NO_WAITS, type Waits } from '../src/connections.ts'
import type { Upstream } from '../src/forward.ts'
import { createServe } from '../src/serve.ts'
import { open, receivedOn } from './for-one-test.ts'
import { testSettings } from './start.ts'

/** Sends one request, and returns what its sender knows at the end. */
async function serveOne(forward: Upstream['forward'], bytes: Uint8Array, waits?: Waits) {
  const settings = testSettings(new URL('http://127.0.0.1'), service, { upstreamTimeout: 100 })
  const serve = createServe(settings, createVerifier(service.options), { forward, destroy: async () => {} })
  const server = createServer()
  onTestFinished(() => {
    server.close()
  })
  const socket = open(`127.0.0.1:${await listen(server)}`, bytes)
  return { socket, served: once(server, 'request').then(([req, res]) => serve(req, res, waits)) }
}

test('a sender that does not read the end of its answer is disconnected', async () => {
  const { served } = await serveOne(
    async (_, res) => {
      res.end(Buffer.alloc(40_000_000))
      return { upstream: 'answered' }
    },
    wire(service.sign({ target: '/hook' }))
  )
  expect(await served).toMatchObject({ upstream: 'answered' })
})

test('a refused upload is read to its end, also when that takes longer than the upstream timeout', async () => {
  const refuse = () => Promise.reject(new Error('a refused request was forwarded'))
  const bytes = wire({ ...service.sign({ body: Buffer.alloc(15) }), target: '/other' })
  const { served, socket } = await serveOne(refuse, bytes.subarray(0, -15))
  let left = 15
  const drip = setInterval(() => {
    socket.write('.')
    left -= 1
    if (left === 0) clearInterval(drip)
  }, 20)
  onTestFinished(() => clearInterval(drip))
  const [exchange, answer] = await Promise.all([served, receivedOn(socket)])
  expect(exchange).toMatchObject({ status: 401, upstream: 'not-asked' })
  expect(left).toBe(0)
  expect(answer).toMatch(/^HTTP\/1\.1 401 .*\r\n\r\n$/s)
})

test.each([
  ['only where the answer is not sent at once', Buffer.from('done'), 0],
  ['and cleared when it is over', Buffer.alloc(40_000_000), 1]
])('a timer for a sender that does not read is started %s', async (_, sent, count) => {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const cleared = vi.spyOn(globalThis, 'clearTimeout')
  onTestFinished(() => void vi.restoreAllMocks())
  const { served, socket } = await serveOne(
    async (_, res) => {
      res.end(sent)
      await new Promise(resolve => setImmediate(resolve))
      return { upstream: 'answered' }
    },
    wire(service.sign({ target: '/hook' }))
  )
  socket.resume()
  await served
  const started = timers.mock.calls.flatMap(([, ms], at) => (ms === 100 ? [timers.mock.results[at]!.value] : []))
  expect(started).toHaveLength(count)
  for (const timer of started) expect(cleared).toHaveBeenCalledWith(timer)
})

test.each([
  ['/hook', 200, 0],
  ['/other', 401, 1],
  ['http://other.example/', 400, 1]
])(
  'a connection may give way to a new one before its answer only if it is not verified: %s',
  async (target, status, calls) => {
    const forAnswer = vi.fn()
    const forward: Upstream['forward'] = async (_, res) => {
      res.end('done')
      return { upstream: 'answered' }
    }
    const bytes = wire({ ...service.sign({ target: '/hook' }), target }, [['Connection', 'close']])
    const { served } = await serveOne(forward, bytes, { ...NO_WAITS, forAnswer })
    expect(await served).toMatchObject({ status })
    expect(forAnswer).toHaveBeenCalledTimes(calls)
  }
)

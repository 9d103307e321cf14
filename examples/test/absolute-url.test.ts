import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { afterEach, expect, test, vi } from 'vitest'
import { createVerifier, type FromFetchOptions, fetchHandler } from '../../src/index.ts'
import { createTestService } from '../../src/testing/index.ts'
import { pairs } from '../../test/meta/examples/kinds.ts'

const service = createTestService({ rsaBits: 1024 })
const closing: (() => unknown)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** Sends Hono on Node.js a signed request whose request line names another host. Resolves to the status line. */
async function attack(handle: (url: string) => void, options: FromFetchOptions): Promise<string> {
  const verify = createVerifier(service.options)
  const receive = fetchHandler(verify, (_, { url }) => handle(url), options)
  const app = new Hono().all('/hook', c => receive(c.req.raw))
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
  closing.push(() => server.close())
  await once(server, 'listening')

  const signed = service.sign({ target: '/hook', body: '{}' })
  const lines = pairs(signed).map(pair => pair.join(': '))
  const head = ['POST https://evil.example/hook HTTP/1.1', ...lines, 'Connection: close', '', '{}']
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(head.join('\r\n'))
  const [answer] = await once(socket, 'data')
  socket.destroy()
  return String(answer).split('\r\n')[0]!
}

test('an absolute request line cannot make the handler see another host than the one that was judged', async () => {
  const handle = vi.fn()
  expect(await attack(handle, { https: true })).toBe('HTTP/1.1 401 Unauthorized')
  expect(handle).not.toHaveBeenCalled()
})

test('with host: "header" the URL does not count, and Hono shows what the sender wrote', async () => {
  const handle = vi.fn()
  expect(await attack(handle, { https: true, host: 'header' })).toBe('HTTP/1.1 204 No Content')
  expect(handle).toHaveBeenCalledWith('https://evil.example/hook')
})

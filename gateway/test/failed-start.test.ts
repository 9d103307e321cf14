import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { freePort } from '../../test/support/free-port.ts'
import { startInFront } from './for-one-test.ts'

const { startAdmin, close } = vi.hoisted(() => ({ startAdmin: vi.fn(), close: vi.fn(async () => {}) }))
vi.mock('../src/admin/admin.ts', () => ({ startAdmin }))

afterEach(() => void vi.clearAllMocks())

const UPSTREAM = new URL('http://127.0.0.1:9')
const admin = { address: { host: '127.0.0.1', port: 0 }, token: undefined, redact: false }

/** Returns "connected", or the code of the error: ECONNREFUSED while nothing listens. */
async function connected(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const error = await once(socket, 'connect').then(
    () => undefined,
    error => error
  )
  socket.destroy()
  return error?.code ?? 'connected'
}

test('no request is served before the admin address can count it', async () => {
  const port = await freePort()
  let before: string | undefined
  startAdmin.mockImplementation(async () => {
    before = await connected(port)
    return { address: '127.0.0.1:9901', record: () => {}, close }
  })
  await startInFront(UPSTREAM, { listen: { host: '127.0.0.1', port }, admin })
  expect([before, await connected(port)]).toEqual(['ECONNREFUSED', 'connected'])
})

test('a gateway whose admin address cannot be opened serves no request', async () => {
  const port = await freePort()
  startAdmin.mockRejectedValue(new Error('listen EADDRINUSE'))
  await expect(startInFront(UPSTREAM, { listen: { host: '127.0.0.1', port }, admin })).rejects.toThrow('EADDRINUSE')
  expect(await connected(port)).toBe('ECONNREFUSED')
})

test('a gateway whose own address is taken closes its admin address', async () => {
  startAdmin.mockResolvedValue({ address: '127.0.0.1:9901', record: () => {}, close })
  const { address } = await startInFront(UPSTREAM)
  const [host = '', port] = address.split(':')
  await expect(startInFront(UPSTREAM, { listen: { host, port: Number(port) }, admin })).rejects.toThrow('in use')
  expect(close).toHaveBeenCalledTimes(1)
})

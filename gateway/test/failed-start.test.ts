import { expect, onTestFinished, test, vi } from 'vitest'
import { service } from '../../test/support/service.ts'
import { until } from '../../test/support/until.ts'
import { wire } from '../../test/support/wire.ts'
import { open, receivedOn, startInFront } from './for-one-test.ts'
import { startApplication } from './start.ts'

/** Fails once a sender is served by the gateway whose page it would be. */
const { startAdmin } = vi.hoisted(() => ({ startAdmin: vi.fn() }))
vi.mock('../src/admin/admin.ts', () => ({ startAdmin }))

test('a gateway whose page cannot be started ends what it has begun, towards senders and the upstream', async () => {
  let isAborted = false
  const application = await startApplication(res => {
    res.on('close', () => {
      isAborted = true
    })
  })
  onTestFinished(application.close)
  let received: Promise<string> | undefined
  startAdmin.mockImplementation(async ({ origin }: { origin: string }) => {
    received = receivedOn(open(new URL(origin).host, wire(service.sign({ target: '/hook' }))))
    await until(() => application.seen.length)
    throw new Error('listen EADDRINUSE')
  })
  const admin = { address: { host: '127.0.0.1', port: 0 }, token: undefined, redact: false }
  await expect(startInFront(application.url, { admin })).rejects.toThrow('listen EADDRINUSE')
  expect(await received).toMatch(/^HTTP\/1\.1 502 /)
  await until(() => isAborted)
})

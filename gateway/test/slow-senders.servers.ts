import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wire } from '../../test/support/wire.ts'
import { type Application, startApplication, startTestGateway, type TestGateway } from './start.ts'

let application: Application
let gateway: TestGateway
beforeAll(async () => {
  application = await startApplication()
  gateway = await startTestGateway(application.url)
})
afterAll(async () => {
  await gateway.close()
  await application.close()
})

/** Sends this and then an octet now and then, until the gateway closes. */
async function drip(octets: Uint8Array): Promise<{ seconds: number; answer: string }> {
  const socket = connect(Number(gateway.address.split(':')[1]), '127.0.0.1')
  const start = performance.now()
  let answer = ''
  socket.on('data', chunk => {
    answer += chunk
  })
  socket.on('error', () => {})
  socket.write(octets)
  const dripping = octets.length > 0 && setInterval(() => socket.write('x'), 250)
  await once(socket, 'close')
  if (dripping) clearInterval(dripping)
  return { seconds: (performance.now() - start) / 1000, answer }
}

describe.concurrent('a slow sender holds a connection for a limited time', () => {
  test.each([
    ['nothing', ''],
    ['a head', 'POST /hook HTTP/1.1\r\nX-Note: ']
  ])('%s: about ten seconds', async (_, head) => {
    const { seconds, answer } = await drip(Buffer.from(head))
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(seconds).toBeLessThan(15)
  })

  test('the body after a verified head: thirty seconds, and 503', async () => {
    const signed = gateway.service.sign({ target: '/hook', body: 'x'.repeat(1000) })
    const { seconds, answer } = await drip(wire({ ...signed, body: '' }))
    expect(answer).toMatch(/^HTTP\/1\.1 503 /)
    expect(seconds).toBeLessThan(45)
  })

  test('the body of a forgery: five seconds, and 401 at once', async () => {
    const signed = gateway.service.sign({ target: '/hook', body: 'x'.repeat(1000) })
    const { seconds, answer } = await drip(wire({ ...signed, target: '/other', body: '' }))
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
    expect(seconds).toBeLessThan(10)
  })
})

test('none of them reached the application', () => expect(application.seen).toEqual([]))

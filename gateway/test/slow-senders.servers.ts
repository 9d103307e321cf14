import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCertificate } from '../../test/support/https.ts'
import { service } from '../../test/support/service.ts'
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

const withheld = (target: string) =>
  wire({ ...service.sign({ target: '/hook', body: 'x'.repeat(1000) }), target, body: '' })

test.concurrent.each([
  [15, 408, 'nothing', Buffer.of()],
  [15, 408, 'a head', Buffer.from('POST /hook HTTP/1.1\r\nX-Note: ')],
  [45, 503, 'the body after a verified head', withheld('/hook')],
  [10, 401, 'the body of a forgery', withheld('/other')]
])(
  'in less than %d seconds, with %d, ends the connection of a slow sender of %s',
  async (seconds, status, _, octets) => {
    const socket = connect(Number(gateway.address.split(':')[1]), '127.0.0.1').on('error', () => {})
    const begin = performance.now()
    let answer = ''
    socket.on('data', chunk => {
      answer += chunk
    })
    socket.write(octets)
    // Sends an octet now and then, until the gateway closes.
    const dripping = octets.length > 0 && setInterval(() => socket.write('x'), 250)
    await once(socket, 'close')
    if (dripping) clearInterval(dripping)
    expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${status}`)
    expect(performance.now() - begin).toBeLessThan(seconds * 1000)
  }
)

test.concurrent('in less than 15 seconds, ends a connection over TLS that never finishes its handshake', async () => {
  const { address, close } = await startTestGateway(application.url, {
    tls: await makeCertificate('receiver.example'),
    https: undefined
  })
  const begin = performance.now()
  const socket = connect(Number(address.split(':')[1]), '127.0.0.1').on('error', () => {})
  await once(socket.resume(), 'close')
  expect(performance.now() - begin).toBeLessThan(15_000)
  await close()
})

test('none of them reached the application', () => expect(application.seen).toEqual([]))

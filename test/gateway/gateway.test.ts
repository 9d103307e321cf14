import { afterEach, expect, it } from 'vitest'
import { type Application, send, startApplication, startTestGateway, type TestGateway } from './start.ts'

let application: Application
let gateway: TestGateway
afterEach(async () => {
  await gateway?.close()
  await application?.close()
})

const start = async (settings: Parameters<typeof startTestGateway>[1] = {}) => {
  application = await startApplication()
  gateway = await startTestGateway(application.url, settings)
  return gateway
}

it('forwards a verified request byte for byte, and its answer back', async () => {
  const { service, address, over } = await start()
  const body = Buffer.from([0xff, 0x00, 0x0d, 0x0a])
  const signed = service.sign({ target: '//hook/%2F/a?b=%00&c=', body })
  const answer = await send(address, signed)
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\ndone$/)
  const [seen] = application.seen
  expect(seen).toMatchObject({ method: 'POST', target: '//hook/%2F/a?b=%00&c=' })
  expect(seen!.body).toEqual(body)
  const [exchange] = await over(1)
  expect(exchange).toMatchObject({ status: 200, upstream: 'answered', target: '//hook/%2F/a?b=%00&c=' })
})

it('refuses a forgery and does not ask the upstream', async () => {
  const { service, address, over } = await start()
  const signed = service.sign({ target: '/hook', body: 'signed' })
  const answer = await send(address, { ...signed, target: '/other' })
  expect(answer).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/)
  expect(await over(1)).toMatchObject([
    { status: 401, upstream: 'not-asked', verdict: { status: 'rejected' } }
  ])
  expect(application.seen).toEqual([])
})

it('lets a request in once', async () => {
  const { service, address } = await start()
  const signed = service.sign({ target: '/hook', body: 'once' })
  expect(await send(address, signed)).toMatch(/^HTTP\/1\.1 200 /)
  expect(await send(address, signed)).toMatch(/^HTTP\/1\.1 401 /)
  expect(application.seen).toHaveLength(1)
})

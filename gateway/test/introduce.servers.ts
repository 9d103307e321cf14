import { createTestService, serveDns } from 'signed-requests/testing'
import { expect, onTestFinished, test } from 'vitest'
import { GATEWAY_CLI } from '../../test/support/cli.ts'
import { freePorts } from '../../test/support/nginx.ts'
import { send, statusesOf } from '../../test/support/wire.ts'
import { blockOfPage } from './docs-commands.ts'
import { startApplication } from './start.ts'
import { startProcess } from './support/process.ts'

test('a gateway is introduced as docs/introduce.md says, from nothing, and no genuine request is lost', async () => {
  const service = createTestService()
  const dns = await serveDns(service)
  onTestFinished(() => dns.close())
  const application = await startApplication()
  onTestFinished(() => application.close())
  const [port, adminPort] = (await freePorts(2)) as [number, number]
  const address = `127.0.0.1:${port}`

  /** Starts a step as it is written, on free ports; `changes` are settings that a person corrects. */
  async function start(step: string, ...changes: [from: string, to: string][]) {
    const ports: [string, string][] = [
      ['127.0.0.1:9000', application.url.host],
      ['127.0.0.1:9901', `127.0.0.1:${adminPort}`],
      ['npx signed-requests-gateway', `exec ${process.execPath} ${GATEWAY_CLI}`]
    ]
    const written = blockOfPage('docs/introduce.md', `introduce: ${step}`).trimEnd()
    const command = [...ports, ...changes].reduce((text, [from, to]) => text.replaceAll(from, to), written)
    const env = { ...process.env, SIGNED_REQUESTS_LISTEN: address, SIGNED_REQUESTS_DNS_SERVER: dns.address }
    const { says, said, stop } = startProcess(['sh', '-c', command], { env })
    await says(/listening on/)
    return {
      async stop() {
        await stop()
        return said.stdout + said.stderr
      }
    }
  }

  const sign = (body: string) => service.sign({ target: '/hook', host: 'hooks.example.com', body })
  let count = 0
  /** Signs as the service does: it gives up at 4xx, and tries again at 5xx with a fresh signature. */
  const genuine = () => {
    count += 1
    return sign(`{"id":${count}}`)
  }
  const https = [['X-Forwarded-Proto', 'https']] as const
  const post = async (request = genuine()) => statusesOf(await send(address, request, https))
  const forge = () => ({ ...sign('signed'), body: Buffer.from('forged') })
  const mark = () => application.seen.at(-1)?.headers['signed-request-verdict']

  // 1. The operator knows neither the account nor, here, the host.
  const first = await start('observe', ['--host hooks.example.com', '--host wrong.example'])
  expect(await post()).toEqual([200])
  expect(mark()).toBe('rejected; host-mismatch')
  expect(await first.stop()).toContain('host-mismatch')

  const second = await start('observe')
  expect(await post()).toEqual([200])
  expect(mark()).toBe('verified')
  expect(await post(forge())).toEqual([200])
  expect(await second.stop()).toContain('if account 1234 is yours, write --account 1234')

  // 2. The account has a mistake: the service tries again until it is fixed.
  const third = await start('ask again', ['--account 1234', '--account 1235'])
  const before = application.seen.length
  const waiting = genuine()
  expect(await post(waiting)).toEqual([503])
  expect(await third.stop()).toContain('account-mismatch')
  const fourth = await start('ask again')
  expect(await post(waiting)).toEqual([200])
  expect(await post()).toEqual([200])
  expect(await post(forge())).toEqual([503])
  expect(application.seen.length - before).toBe(2)
  await fourth.stop()

  // 3. From now on a forgery is refused for good, and so is a repetition.
  await start('ask again', ['--refusal-status 503', ''])
  const last = genuine()
  expect([await post(last), await post(last), await post(forge())]).toEqual([[200], [401], [401]])
  const received = application.seen.map(({ body }) => body.toString())
  const genuineOnes = Array.from({ length: count }, (_, i) => `{"id":${i + 1}}`)
  expect(received.filter(body => body !== 'forged')).toEqual(genuineOnes)
})

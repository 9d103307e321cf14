import { expect, onTestFinished, test } from 'vitest'
import { serveDns } from '../../src/testing/index.ts'
import { service } from '../../test/support/service.ts'
import { send, statusesOf } from '../../test/support/wire.ts'
import { startApplication } from './start.ts'
import { startGatewayProcess } from './support/process.ts'

test('connections that wait to be accepted when SIGTERM arrives are served, each request once', async () => {
  const application = await startApplication()
  onTestFinished(application.close)
  const dns = await serveDns(service)
  onTestFinished(dns.close)
  const { child, address, exit } = await startGatewayProcess(application.url, dns.address, ['--drain-delay', '2000'])
  // While the process is stopped, the kernel holds its connections and the signal.
  child.kill('SIGSTOP')
  const requests = Array.from({ length: 100 }, (_, n) => service.sign({ target: `/${n}` }))
  const answers = requests.map(request => send(address, request))
  await new Promise(resolve => setTimeout(resolve, 200))
  child.kill('SIGTERM')
  child.kill('SIGCONT')
  const statuses = (await Promise.all(answers)).flatMap(statusesOf)
  expect(statuses).toEqual(requests.map(() => 200))
  expect(application.seen.map(({ target }) => target).sort()).toEqual(requests.map(({ target }) => target).sort())
  expect(await exit).toBe(0)
})

import { expect, onTestFinished, test } from 'vitest'
import { serveDns } from '../../src/testing/index.ts'
import { ALL_ONCE, createWork, underLoad } from '../../test/fleet/load.ts'
import { startMovablePrimary } from '../../test/fleet/redis.ts'
import { service } from '../../test/support/service.ts'
import { startApplication } from './start.ts'
import { startGatewayProcess } from './support/process.ts'

test('two gateways follow the address of their Redis to a new primary, within 5 s', async () => {
  const { url, move } = await startMovablePrimary()
  const work = createWork()
  const application = await startApplication((res, { target, headers }) => {
    work.note({ url: target, headers })
    res.end()
  })
  onTestFinished(application.close)
  const dns = await serveDns(service)
  onTestFinished(dns.close)
  const start = () => startGatewayProcess(application.url, dns.address, ['--redis', url])
  const gateways = await Promise.all([start(), start()])
  const ports = gateways.map(({ address }) => Number(address.split(':')[1]))

  const counts = await underLoad(ports, work, move)
  console.log('gateway, moved Redis:', counts)
  expect(counts).toMatchObject(ALL_ONCE)
  expect(counts.outage).toBeLessThan(5000)
  for (const { said } of gateways) expect(said.stderr).toMatch(/ fails: .*\n(?:.*\n)*.* is back after /)
})

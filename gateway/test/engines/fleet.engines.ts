import { createTestService, serveDns } from 'signed-requests/testing'
import { expect, onTestFinished, test } from 'vitest'
import { GATEWAY_CLI } from '../../../test/support/cli.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { redisServer } from '../../../test/unit/replay/redis-server.ts'
import { startApplication } from '../start.ts'
import { startProcess } from '../support/process.ts'
import { ENGINES, sendOctets, startEngine } from './engine.ts'
import { octetsOf } from './honest.ts'

const [envoy] = ENGINES
const reason = envoy!.missing()
if (reason !== undefined) console.warn(`${envoy!.name} is not tested: ${reason}`)

/** `ENGINE_REQUESTS=10000` sets a long run. */
const COUNT = Number(process.env['ENGINE_REQUESTS'] ?? 2000)
const AT_ONCE = 16

test.skipIf(reason !== undefined)(
  `two replicas and Redis behind Envoy, one killed at random: of ${COUNT} requests no forgery passes, none twice, none is lost without a 5xx`,
  async () => {
    const service = createTestService()
    const dns = await serveDns(service)
    onTestFinished(dns.close)
    const redis = await redisServer()
    onTestFinished(redis.remove)
    await redis.start()
    const application = await startApplication()
    onTestFinished(application.close)
    const ports = [await freePort(), await freePort()]
    const start = async (port: number) => {
      const replica = startProcess(
        [
          process.execPath,
          GATEWAY_CLI,
          'authorize',
          '--from',
          'as-is',
          '--https',
          'x-forwarded-proto',
          '--domain',
          'service.example',
          '--host',
          'hooks.example.com',
          '--account',
          '1234',
          '--replay',
          '--listen',
          `127.0.0.1:${port}`,
          '--dns-server',
          dns.address,
          '--max-connections',
          '1000'
        ],
        { env: { PATH: process.env['PATH'], SIGNED_REQUESTS_REDIS: `redis://127.0.0.1:${redis.port}` } }
      )
      await replica.says(/./)
      return replica
    }
    const replicas = await Promise.all(ports.map(start))
    const endpoint = (port: number) => `- endpoint:
                  address:
                    socket_address:
                      address: 127.0.0.1
                      port_value: ${port}`
    const engine = await startEngine(
      envoy!,
      { authorizer: ports[0]!, application: Number(application.url.port) },
      text => text.replace(endpoint(ports[0]!), ports.map(endpoint).join('\n              '))
    )
    onTestFinished(engine.stop)

    let isOver = false
    let kills = 0
    const killing = (async () => {
      while (!isOver) {
        await new Promise(resolve => setTimeout(resolve, 1500 * Math.random()))
        const which = Math.random() < 0.5 ? 0 : 1
        await replicas[which]!.stop('SIGKILL')
        kills += 1
        replicas[which] = await start(ports[which]!)
      }
    })()

    const tally: Record<string, number> = {}
    const wrong: string[] = []
    let next = 0
    const send = async () => {
      while (next < COUNT) {
        const n = next++
        const signed = service.sign({ host: 'hooks.example.com', target: `/genuine/${n}`, body: `{"n":${n}}` })
        const isForged = n % 3 === 0
        const request = isForged ? { ...signed, target: `/forged/${n}` } : signed
        const octets = octetsOf({ request }, [['Connection', 'close']])
        const { status } = await sendOctets(engine.port, octets)
        tally[status] = (tally[status] ?? 0) + 1
        if (isForged ? status === 200 : status !== 200 && status < 500) wrong.push(`${n}: ${status}`)
        // The sender repeats a captured request.
        if (n % 10 === 1 && status === 200) {
          const again = await sendOctets(engine.port, octets)
          if (again.status === 200) wrong.push(`${n} again: 200`)
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, send))
    isOver = true
    await killing

    console.info(`${kills} kills, statuses ${JSON.stringify(tally)}, the application saw ${application.seen.length}`)
    expect(wrong).toEqual([])
    expect(kills).toBeGreaterThan(0)
    const targets = application.seen.map(({ target }) => target)
    expect(targets.filter(target => !target.startsWith('/genuine/'))).toEqual([])
    expect(new Set(targets).size).toBe(targets.length)
    expect(targets.length).toBe(tally[200])
  },
  600_000
)

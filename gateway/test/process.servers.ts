import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serveDns } from '../../src/testing/index.ts'
import { freePort } from '../../test/support/free-port.ts'
import { service, withHeaders } from '../../test/support/service.ts'
import { until } from '../../test/support/until.ts'
import { exchangeBytes, send, statusesOf, wire } from '../../test/support/wire.ts'
import { redisServer } from '../../test/unit/replay/redis-server.ts'
import { startApplication } from './start.ts'
import { gatewayCommand, startGatewayProcess, startProcess } from './support/process.ts'

/** Starts an application, and a real DNS server with the keys of the service. */
async function surroundings(answer?: Parameters<typeof startApplication>[0]) {
  const application = await startApplication(answer)
  const dns = await serveDns(service)
  onTestFinished(application.close)
  onTestFinished(dns.close)
  return { url: application.url, seen: application.seen, dns: dns.address }
}

async function start(args: readonly string[] = [], { env = {}, answer }: Started = {}) {
  const { url, seen, dns } = await surroundings(answer)
  return { seen, ...(await startGatewayProcess(url, dns, args, env)) }
}

interface Started {
  env?: Record<string, string>
  answer?: Parameters<typeof startApplication>[0]
}

const genuine = (target = '/hook') => service.sign({ target, body: 'body' })
const forged = () => ({ ...genuine(), target: '/secret' })

test('looks up keys in DNS, logs a line for each request, and ends with 0 on SIGTERM', async () => {
  const { seen, address, said, stop } = await start()
  expect(statusesOf(await send(address, genuine()))).toEqual([200])
  expect(statusesOf(await send(address, forged()))).toEqual([401])
  expect(seen).toMatchObject([{ target: '/hook' }])
  expect(await stop()).toBe(0)
  const lines = said.stdout.trimEnd().split('\n')
  expect(lines.map(line => JSON.parse(line))).toEqual([
    {
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      status: 'verified',
      codes: [],
      signedUnderDomain: true,
      accountId: '1234',
      keyId: 'key1._domainkey.service.example',
      algorithm: 'rsa-sha256',
      date: expect.any(String),
      replayId: expect.any(String),
      bodyLength: 4,
      httpStatus: 200,
      upstream: 'answered',
      ms: expect.any(Number)
    },
    {
      time: expect.any(String),
      status: 'rejected',
      codes: ['signature-mismatch'],
      code: 'signature-mismatch',
      signedUnderDomain: true,
      claimedKeyId: 'key1._domainkey.service.example',
      claimedAccountId: '1234',
      claimedHost: 'receiver.example',
      madeByKey: true,
      cause: expect.any(String),
      fix: expect.any(String),
      httpStatus: 401,
      upstream: 'not-asked',
      ms: expect.any(Number)
    }
  ])
})

test('lets a running request end on SIGTERM, refuses new connections, and ends with 0', async () => {
  let finish = () => {}
  const answer: Started['answer'] = res => {
    finish = () => res.end('done')
  }
  const { seen, address, stop } = await start([], { answer })
  const port = Number(new URL(`http://${address}`).port)
  const idle = connect(port, '127.0.0.1')
  await once(idle, 'connect')
  const answered = exchangeBytes(address, wire(genuine()))
  await until(() => seen.length > 0)
  const ended = stop()
  await once(idle.resume(), 'close')
  const [error] = await once(connect(port, '127.0.0.1'), 'error')
  expect(error.code).toBe('ECONNREFUSED')
  finish()
  expect(statusesOf(await answered)).toEqual([200])
  expect(await ended).toBe(0)
})

describe('--drain-delay', () => {
  /** Starts a gateway with an admin address, which is told to end. */
  async function ending(args: readonly string[]) {
    const { stop, ...started } = await start(['--admin', '127.0.0.1:0', ...args])
    const [, admin] = await started.says(/admin page on (\S+)\//)
    const ended = stop()
    const health = () => fetch(`${admin}/healthz`).then(({ status }) => status)
    await until(async () => (await health()) === 503)
    return { ...started, ended }
  }

  test('after SIGTERM /healthz is 503 at once, and new connections are served until the delay is over', async () => {
    const { address, ended, seen } = await ending(['--drain-delay', '1500'])
    const answer = await exchangeBytes(address, wire(genuine()))
    expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*Connection: close/)
    expect(seen).toHaveLength(1)
    expect(await ended).toBe(0)
    const [error] = await once(connect(Number(new URL(`http://${address}`).port), '127.0.0.1'), 'error')
    expect(error.code).toBe('ECONNREFUSED')
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('a second signal, %s, ends the delay', async signal => {
    const { child, ended, exit } = await ending(['--drain-delay', '3600000'])
    child.kill(signal)
    expect(await Promise.all([ended, exit])).toEqual([0, 0])
  })

  test('SIGINT from a terminal has no delay', async () => {
    const { stop } = await start(['--drain-delay', '3600000'])
    expect(await stop('SIGINT')).toBe(0)
  })

  test('authorize keeps its listener open for the delay, too', async () => {
    const { dns } = await surroundings()
    const [node, cli] = gatewayCommand(new URL('http://127.0.0.1'), dns, [])
    const flags = [
      '--domain',
      'service.example',
      '--host',
      'receiver.example',
      '--account',
      '1234',
      '--https',
      'always'
    ]
    const where = ['--from', 'as-is', '--dns-server', dns, '--listen', '127.0.0.1:0', '--drain-delay', '1000']
    const { says, stop } = startProcess([node!, cli!, 'authorize', ...flags, ...where])
    const [, address] = await says(/checks on http:\/\/(\S+)/)
    const before = await exchangeBytes(address!, wire(genuine(), [['Connection', 'close']]))
    const ended = stop()
    await until(async () => /Connection: close/.test(await exchangeBytes(address!, wire(forged()), /\r\n\r\n/)))
    expect(statusesOf(before)).toEqual([200])
    expect(await ended).toBe(0)
  })
})

test('ends with 1 when requests outlast --drain', async () => {
  const { seen, address, stop } = await start(['--drain', '100'], { answer: () => {} })
  const answered = exchangeBytes(address, wire(genuine()))
  await until(() => seen.length > 0)
  expect(await stop()).toBe(1)
  expect(statusesOf(await answered)).toEqual([502])
})

test('explains refusals with --log text, in printable ASCII, and says when it observes', async () => {
  const { address, said, stop } = await start(['--log', 'text'], { env: { SIGNED_REQUESTS_OBSERVE: 'true' } })
  await send(address, withHeaders(genuine(), { Date: '\u009b31mred\u00ff' }))
  await stop()
  expect(said.stdout).toMatch(/^[ -~\n]*$/)
  expect(said.stdout).toMatch(/Z 200 rejected date-malformed answered \d+ ms\nrejected: date\n\nok {4}request/)
  expect(said.stderr).toContain('NOTHING IS REFUSED')
})

test('starts although nobody reads its notes', async () => {
  const address = `127.0.0.1:${await freePort()}`
  const { url, dns } = await surroundings()
  const { child } = startProcess(gatewayCommand(url, dns, ['--listen', address, '--observe']))
  child.stderr.destroy()
  const answer = () => exchangeBytes(address, Buffer.from('NONSENSE\r\n\r\n'))
  await until(async () => child.exitCode !== null || (await answer()) !== '')
  // By now the notes have been written, all at once.
  expect(statusesOf(await send(address, genuine()))).toEqual([200])
  expect(child.exitCode).toBe(null)
})

test('outlives the readers of its log and of its notes', async () => {
  const { seen, child, address, stop } = await start(['--log', 'text'])
  child.stdout.destroy()
  child.stderr.destroy()
  for (let n = 0; n < 20; n++) {
    expect(statusesOf(await send(address, forged()))).toEqual([401])
    expect(statusesOf(await send(address, genuine(`/${n}`)))).toEqual([200])
  }
  expect(seen).toHaveLength(20)
  expect(await stop()).toBe(0)
})

test('drops and counts lines of its log while nobody reads them, and goes on', async () => {
  const { child, address, said } = await start(['--log', 'json'])
  child.stdout.pause()
  // Verified requests have no limit. Each line has 300 bytes: together they exceed the limit of 1 MiB, the pipe and
  // this reader's buffer.
  for (let i = 0; i < 60; i++) await Promise.all(Array.from({ length: 100 }, () => send(address, genuine())))
  child.stdout.resume()
  while (!/\{"droppedLines":\d+\}/.test(said.stdout)) await send(address, genuine())
  expect(statusesOf(await send(address, genuine()))).toEqual([200])
})

test('prints no password of Redis, whatever DEBUG says', async () => {
  const redis = await redisServer()
  onTestFinished(redis.remove)
  await redis.start()
  const env = { DEBUG: '*', SIGNED_REQUESTS_REDIS: `redis://default:top-secret@127.0.0.1:${redis.port}` }
  const { address, said, stop } = await start([], { env })
  expect(statusesOf(await send(address, genuine()))).toEqual([200])
  await stop()
  expect(said.stderr).not.toContain('top-secret')
})

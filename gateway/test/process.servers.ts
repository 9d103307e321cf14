import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { createTestService, serveDns, type TestService } from '../../src/testing/index.ts'
import { GATEWAY_CLI } from '../../test/support/cli.ts'
import { freePort } from '../../test/support/free-port.ts'
import { exchangeBytes, send, statusesOf, wire } from '../../test/support/wire.ts'
import { redisServer } from '../../test/unit/replay/redis-server.ts'
import { startApplication } from './start.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

let service: TestService
let folder: string
beforeAll(() => {
  service = createTestService()
  folder = mkdtempSync(join(tmpdir(), 'signed-requests-gateway-'))
  return () => rmSync(folder, { recursive: true })
})

interface Running {
  child: ChildProcess
  address: string
  /** lines of the log so far */
  log: () => Record<string, unknown>[]
  notes: () => string
  /** resolves to its exit code */
  exit: Promise<number | null>
}

/** The command line as a process, for the requests of the test service, with its keys in a real DNS. */
async function start(upstream: URL, args: readonly string[], env: Record<string, string> = {}): Promise<Running> {
  const dns = await serveDns(service)
  undo.push(dns.close)
  const required = ['--domain', 'service.example', '--host', 'receiver.example', '--account', '1234']
  const own = ['--upstream', upstream.href, '--listen', '127.0.0.1:0', '--dns-server', dns.address]
  const child = spawn(process.execPath, [GATEWAY_CLI, ...required, ...own, ...args], {
    env: { PATH: process.env['PATH'], ...env }
  })
  const output = { log: '', notes: '' }
  child.stdout.setEncoding('utf8').on('data', text => {
    output.log += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    output.notes += text
  })
  const exit = once(child, 'close').then(([code]) => code as number | null)
  undo.push(async () => {
    child.kill('SIGTERM')
    await exit
  })
  let address: string | undefined
  while (address === undefined) {
    await Promise.race([once(child.stderr, 'data'), exit])
    if (child.exitCode !== null) throw new Error(output.notes)
    address = /listen(?:ing)? on (?:https?:\/\/)?(\S+:\d+)/.exec(output.notes)?.[1]
  }
  const log = () =>
    output.log
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as Record<string, unknown>)
  return { child, address, log, notes: () => output.notes, exit }
}

async function startUpstream(answer?: Parameters<typeof startApplication>[0]) {
  const application = await startApplication(answer)
  undo.push(application.close)
  return application
}

test('looks up keys in DNS, logs a line for each request, and ends with 0 on SIGTERM', async () => {
  const { url, seen } = await startUpstream()
  const { child, address, log, exit } = await start(url, ['--https', 'always'])
  const signed = service.sign({ target: '/hook', body: 'body' })
  expect(statusesOf(await send(address, signed))).toEqual([200])
  expect(statusesOf(await send(address, { ...signed, target: '/secret' }))).toEqual([401])
  expect(seen).toMatchObject([{ target: '/hook' }])
  child.kill('SIGTERM')
  expect(await exit).toBe(0)
  expect(log()).toEqual([
    {
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      status: 'verified',
      codes: [],
      accountId: '1234',
      keyId: 'key1._domainkey.service.example',
      algorithm: 'rsa-sha256',
      date: expect.any(String),
      replayId: expect.any(String),
      bodyLength: 4,
      signatureUnderDomain: true,
      httpStatus: 200,
      upstream: 'answered',
      ms: expect.any(Number)
    },
    {
      time: expect.any(String),
      status: 'rejected',
      codes: ['signature-mismatch'],
      signatureUnderDomain: true,
      httpStatus: 401,
      upstream: 'not-asked',
      ms: expect.any(Number)
    }
  ])
})

test('lets a running request end on SIGTERM, refuses new connections, and ends with 0', async () => {
  let finish = () => {}
  const { url, seen } = await startUpstream(res => {
    finish = () => res.end('done')
  })
  const { child, address, exit } = await start(url, ['--https', 'always'])
  const port = Number(new URL(`http://${address}`).port)
  const idle = connect(port, '127.0.0.1')
  await once(idle, 'connect')
  const answer = exchangeBytes(address, wire(service.sign({ target: '/hook' })))
  while (seen.length === 0) await new Promise(setImmediate)
  child.kill('SIGTERM')
  await once(idle.resume(), 'close')
  const [error] = await once(connect(port, '127.0.0.1'), 'error')
  expect(error.code).toBe('ECONNREFUSED')
  finish()
  expect(statusesOf(await answer)).toEqual([200])
  expect(await exit).toBe(0)
})

test('ends with 1 when requests outlast --drain', async () => {
  const { url, seen } = await startUpstream(() => {})
  const { child, address, exit } = await start(url, ['--https', 'always', '--drain', '100'])
  const answer = exchangeBytes(address, wire(service.sign({ target: '/hook' })))
  while (seen.length === 0) await new Promise(setImmediate)
  child.kill('SIGTERM')
  expect(statusesOf(await answer)).toEqual([502])
  expect(await exit).toBe(1)
})

test('explains refusals with --log text, in printable ASCII, and says when it observes', async () => {
  const { url } = await startUpstream()
  const { child, address, exit, notes } = await start(url, ['--log', 'text', '--https', 'always'], {
    SIGNED_REQUESTS_OBSERVE: 'true'
  })
  let log = ''
  child.stdout!.on('data', text => {
    log += text
  })
  const signed = service.sign({ target: '/hook' })
  const headers = signed.headers.map(([name, value]) => [name, name === 'Date' ? '\u009b31mred\u00ff' : value] as const)
  await send(address, { ...signed, headers })
  child.kill('SIGTERM')
  await exit
  expect(log).toMatch(/^[ -~\n]*$/)
  expect(log).toMatch(/Z 200 rejected date-malformed answered \d+ ms\nrejected: date\n\nok {4}request/)
  expect(notes()).toContain('NOTHING IS REFUSED')
})

test('starts although nobody reads its notes', async () => {
  const { url } = await startUpstream()
  const port = await freePort()
  const dns = await serveDns(service)
  undo.push(dns.close)
  const required = ['--domain', 'service.example', '--host', 'receiver.example', '--account', '1234']
  const own = ['--upstream', url.href, '--listen', `127.0.0.1:${port}`, '--dns-server', dns.address]
  const args = [...required, ...own, '--https', 'always', '--observe']
  const child = spawn(process.execPath, [GATEWAY_CLI, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  child.stderr.destroy()
  const exit = once(child, 'close')
  undo.push(async () => {
    child.kill('SIGTERM')
    await exit
  })
  const isUp = () => exchangeBytes(`127.0.0.1:${port}`, Buffer.from('NONSENSE\r\n\r\n'))
  while (child.exitCode === null && (await isUp()) === '') await delay(25)
  // The notes were written by now, all at once.
  expect(statusesOf(await send(`127.0.0.1:${port}`, service.sign({ target: '/' })))).toEqual([200])
  expect(child.exitCode).toBe(null)
})

test('outlives the readers of its log and of its notes', async () => {
  const { url, seen } = await startUpstream()
  const { child, address, exit } = await start(url, ['--https', 'always', '--log', 'text'])
  child.stdout!.destroy()
  child.stderr!.destroy()
  for (let n = 0; n < 20; n++) {
    const signed = service.sign({ target: `/${n}` })
    expect(statusesOf(await send(address, { ...signed, target: '/other' }))).toEqual([401])
    expect(statusesOf(await send(address, signed))).toEqual([200])
  }
  expect(seen).toHaveLength(20)
  child.kill('SIGTERM')
  expect(await exit).toBe(0)
})

test('drops and counts lines of its log while nobody reads them, and goes on', async () => {
  const { url } = await startUpstream()
  const { child, address } = await start(url, ['--https', 'always', '--log', 'text'])
  child.stdout!.pause()
  const forged = { ...service.sign({ target: '/' }), target: '/other' }
  // 1.5 kB of text each: together more than the limit of 1 MiB, the pipe and this reader's buffer hold.
  for (let i = 0; i < 12; i++) await Promise.all(Array.from({ length: 100 }, () => send(address, forged)))
  let text = ''
  child.stdout!.on('data', chunk => {
    text += chunk
  })
  child.stdout!.resume()
  while (!/\{"droppedLines":\d+\}/.test(text)) await send(address, forged)
  expect(statusesOf(await send(address, service.sign({ target: '/' })))).toEqual([200])
})

test('prints no password of Redis, whatever DEBUG says', async () => {
  const redis = await redisServer()
  undo.push(redis.remove)
  await redis.start()
  const { url } = await startUpstream()
  const env = { DEBUG: '*', SIGNED_REQUESTS_REDIS: `redis://default:top-secret@127.0.0.1:${redis.port}` }
  const { child, address, exit, notes } = await start(url, ['--https', 'always'], env)
  expect(statusesOf(await send(address, service.sign({ target: '/' })))).toEqual([200])
  child.kill('SIGTERM')
  await exit
  expect(notes()).not.toContain('top-secret')
})

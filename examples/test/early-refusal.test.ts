import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestService } from '../../src/testing/index.ts'
import { pairs } from '../../test/meta/examples/kinds.ts'
import '../../test/meta/examples/resolver.ts'
import { type DnsServer, startDnsServer } from '../../test/support/dns-server.ts'

const GIGABYTE = 2 ** 30
const MEGABYTE = 2 ** 20
const service = createTestService({ rsaBits: 1024 })
const otherService = createTestService({ rsaBits: 1024 })

let dns: DnsServer
beforeAll(async () => {
  dns = await startDnsServer(service.records)
  vi.stubEnv('PORT', '0')
  vi.stubEnv('DNS_SERVER', dns.address)
  vi.spyOn(console, 'warn').mockReturnValue()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await dns.close()
})

/** Only the signature itself can fail: everything but the signing key is right. */
function forgedHead(target: string): string {
  const signed = otherService.sign({
    method: 'POST',
    target,
    body: '{}',
    headers: { 'Content-Length': String(GIGABYTE), 'X-Forwarded-Proto': 'https' }
  })
  const lines = pairs(signed).map(([name, value]) => `${name}: ${value}`)
  return [`POST ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n')
}

interface Refusal {
  /** the status line */
  answer: string
  bytesSent: number
}

/** Sends the head and then the body, as fast as the receiver takes it, until the receiver closes the connection. */
function attack(port: number): Promise<Refusal> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    socket.on('data', data => {
      answer += data
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      resolve({ answer: answer.split('\r\n')[0] ?? '', bytesSent: socket.bytesWritten })
    })
    socket.write(forgedHead('/hook/orders'))

    const chunk = Buffer.alloc(65_536)
    const pump = () => {
      while (!socket.destroyed && socket.bytesWritten < GIGABYTE && socket.write(chunk));
      if (!socket.destroyed) socket.once('drain', pump)
    }
    pump()
  })
}

/** Allows for drainBytes, and the bytes under way when that limit is reached. */
const MOST_READ = 10 * MEGABYTE + MEGABYTE

describe('a forged head with a body of 1 GB is answered with 401, and at most drainBytes are read', () => {
  test.each([['node-http'], ['express-router'], ['koa'], ['hono'], ['fastify']])('%s', async example => {
    const module = await import(`../${example}.ts`)
    const server: Server = module.server ?? module.app.server
    if (!server.listening) await once(server, 'listening')
    const connected = once(server, 'connection')
    const attacking = attack((server.address() as AddressInfo).port)
    const [socket] = (await connected) as [Socket]
    const { answer } = await attacking
    server.close()

    expect(answer).toBe('HTTP/1.1 401 Unauthorized')
    expect(socket.bytesRead).toBeLessThan(MOST_READ)
  })
})

test('the memory of the receiver does not grow with what is sent', async () => {
  const file = fileURLToPath(new URL('../node-http.ts', import.meta.url))
  const child = fork(new URL('../../test/meta/examples/child.ts', import.meta.url), [file], {
    execArgv: ['--import', 'tsx'],
    silent: true
  })
  const { port } = await answerOf(child)

  // The first attacks warm up, until the heap has the size of a receiver under load.
  for (let i = 0; i < 3; i++) await attack(port)
  child.send('start')
  const { rss: before } = await answerOf(child)
  for (let i = 0; i < 8; i++) expect((await attack(port)).answer).toBe('HTTP/1.1 401 Unauthorized')
  child.send('peak')
  const { rss: peak } = await answerOf(child)
  child.kill()

  // 80 MB were read and dropped.
  expect(peak - before).toBeLessThan(30 * MEGABYTE)
})

async function answerOf(child: ChildProcess) {
  const [message] = await once(child, 'message')
  return message
}

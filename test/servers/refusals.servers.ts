import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestService } from '../../src/testing/index.ts'
import { pairs } from '../meta/examples/kinds.ts'
import { makeCertificate, send } from '../support/https.ts'
import { PROXIES, type RunningProxy } from '../support/proxies.ts'

const HOST = 'receiver.example'
const MEGABYTE = 2 ** 20
const otherService = createTestService()

const certificate = await makeCertificate(HOST)

async function startReceiver(options: object): Promise<{ child: ChildProcess; port: number }> {
  const program = new URL('refusing.ts', import.meta.url)
  const child = fork(program, [JSON.stringify(options)], { execArgv: ['--import', 'tsx'] })
  const { port } = await answerOf(child)
  return { child, port }
}

async function answerOf(child: ChildProcess) {
  const [message] = await once(child, 'message')
  return message
}

/** Only the key is wrong: the receiver runs in another process with keys of its own. */
const forged = (bytes: number) => otherService.sign({ target: '/hook/orders', body: Buffer.alloc(bytes) })

describe.each(Object.entries(PROXIES))('a forged upload behind %s', (_, startProxy) => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let proxy: RunningProxy
  beforeAll(async () => {
    receiver = await startReceiver({ https: 'x-forwarded-proto' })
    proxy = await startProxy(certificate, receiver.port)
    // Warms up until the heap has the size of a receiver under load, and frequent code is compiled.
    await sendAll(60, MEGABYTE)
  })
  afterAll(async () => {
    await proxy?.stop()
    receiver?.child.kill()
  })

  /** Counts each status, or the code of an error. */
  async function sendAll(count: number, bytes: number): Promise<Record<string, number>> {
    const request = forged(bytes)
    const to = { host: HOST, port: proxy.port, cert: certificate.cert }
    const statuses: Record<string, number> = {}
    let left = count
    const sender = async () => {
      while (left-- > 0) {
        const status = await send(request, to).catch((error: NodeJS.ErrnoException) => error.code ?? 'error')
        statuses[status] = (statuses[status] ?? 0) + 1
      }
    }
    await Promise.all([sender(), sender(), sender(), sender()])
    return statuses
  }

  test.each([[1], [9]])('of %i MB is a 401, 60 times, and never a 502', async megabytes => {
    receiver.child.send('start')
    const { rss: before } = await answerOf(receiver.child)
    const statuses = await sendAll(60, megabytes * MEGABYTE)
    receiver.child.send('peak')
    const { rss: peak } = await answerOf(receiver.child)

    expect(statuses).toEqual({ 401: 60 })
    // 540 MB are sent: memory that grows with that is retained. V8 decides when it collects dropped chunks.
    expect(peak - before).toBeLessThan(60 * MEGABYTE)
  })
})

test('a sender that drips bytes is cut off after drainTimeout, with its answer', async () => {
  const drainTimeout = 1000
  const { child, port } = await startReceiver({ drainTimeout })
  const headers = pairs(forged(1)).map(([name, value]) => {
    return `${name}: ${name === 'Content-Length' ? 2 ** 30 : value}`
  })
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  const started = Date.now()
  socket.on('data', data => {
    answer += data
  })
  socket.on('error', () => {})
  socket.write(['POST /hook/orders HTTP/1.1', ...headers, '', ''].join('\r\n'))
  const drip = setInterval(() => socket.write('.'), 20)
  await new Promise(resolve => socket.once('close', resolve))
  clearInterval(drip)
  child.kill()

  expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  const lasted = Date.now() - started
  expect(lasted).toBeGreaterThanOrEqual(drainTimeout)
  expect(lasted).toBeLessThan(drainTimeout * 3)
})

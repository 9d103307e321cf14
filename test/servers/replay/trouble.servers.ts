// A sender that repeats whatever got no 2xx, two receivers that share a database, and everything that can happen to the
// way there. REQUESTS sets how many requests the last test sends.
import { once } from 'node:events'
import { Agent, createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createVerifier, nodeHandler, type VerifierOptions } from '../../../src/index.ts'
import { createTestService } from '../../../src/testing/index.ts'
import { type FaultyProxy, faultyProxy } from '../../support/faulty-proxy.ts'
import { postgresServer } from '../../unit/replay/postgres-server.ts'
import { redisServer } from '../../unit/replay/redis-server.ts'
import {
  type ClientName,
  connect,
  createPostgresTable,
  postgresPool
} from '../../unit/replay/store-clients.ts'

const REQUESTS = Number(process.env['REQUESTS'] ?? 1000)
const CLIENTS = ['node-redis', 'ioredis', 'pg'] as const

const service = createTestService({ rsaBits: 1024 })
const agent = new Agent({ keepAlive: true })

async function startDatabase(name: ClientName) {
  const server = name === 'pg' ? await postgresServer() : await redisServer({ durable: true })
  onTestFinished(() => server.remove())
  await server.start()
  if (name === 'pg') await createPostgresTable(server.port)
  return server
}

/** A node:http receiver with a store of its own; `worked` counts what it did, by target. */
async function startReceiver(
  name: ClientName,
  port: number,
  worked: Map<string, number>,
  options: Partial<VerifierOptions> = {}
) {
  const { store, close } = await connect(name, port)
  onTestFinished(close)
  const verify = createVerifier({ ...service.options, requireHttps: false, replayStore: store, ...options })
  const handle = nodeHandler(verify, (_, req) => void worked.set(req.url!, (worked.get(req.url!) ?? 0) + 1))
  const server = createServer(handle)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

type Signed = ReturnType<typeof service.sign>
let made = 0
const newRequest = (): Signed => service.sign({ method: 'POST', target: `/hook/${made++}`, body: '{}' })

function deliver({ method, target: path, headers, body }: Signed, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const flat = (headers as [string, string][]).flat()
    const sent = send({ host: '127.0.0.1', port, method, path, headers: flat as never, agent }, res => {
      res.resume()
      res.on('end', () => resolve(res.statusCode!))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Sends a request to one receiver after the other until it gets 2xx or 401: what it got each time. */
async function deliverUntilDecided(
  request: Signed,
  ports: readonly number[],
  pause = 50,
  statuses: number[] = []
): Promise<number[]> {
  for (let attempt = 0; ; attempt++) {
    statuses.push(await deliver(request, ports[attempt % ports.length]!).catch(() => 0))
    if (statuses.at(-1) === 204 || statuses.at(-1) === 401) return statuses
    await sleep(pause)
  }
}

const timesWorked = (requests: readonly Signed[], worked: Map<string, number>) => ({
  never: requests.filter(({ target }) => !worked.has(target)).length,
  once: requests.filter(({ target }) => worked.get(target) === 1).length,
  twice: requests.filter(({ target }) => worked.get(target)! > 1).length
})

describe.each(CLIENTS)('72 requests while the database of %s is stopped', name => {
  it.each([
    ['one receiver', 1],
    ['two receivers that share it', 2]
  ])('are all let in when they are repeated, by %s', async (_, receivers) => {
    const database = await startDatabase(name)
    const worked = new Map<string, number>()
    const ports: number[] = []
    for (let n = 0; n < receivers; n++) ports.push(await startReceiver(name, database.port, worked))
    for (const stopped of [1200, 2000]) {
      const requests = Array.from({ length: 72 }, newRequest)
      database.pause()
      const soFar = requests.map((): number[] => [])
      const delivered = requests.map((request, n) => deliverUntilDecided(request, ports, 50, soFar[n]))
      await sleep(stopped)
      await vi.waitUntil(() => soFar.every(ofOne => ofOne.length > 0), { timeout: 30_000 })
      database.resume()
      const statuses = await Promise.all(delivered)
      expect(statuses.flat().filter(status => status === 503).length).toBeGreaterThanOrEqual(72)
      expect(statuses.filter(ofOne => ofOne.at(-1) !== 204)).toEqual([])
      expect(timesWorked(requests, worked)).toEqual({ never: 0, once: 72, twice: 0 })
      // Now they are replays.
      const again = await Promise.all(requests.map(request => deliver(request, ports.at(-1)!)))
      expect(again.filter(status => status !== 401)).toEqual([])
    }
  })
})

describe('a claim that PostgreSQL itself delays', () => {
  it('takes nothing when the lock that it waits for is released after its deadline', async () => {
    const database = await startDatabase('pg')
    const pool = postgresPool(database.port)
    onTestFinished(() => pool.end())
    const { store, close } = await connect('pg', database.port)
    onTestFinished(close)
    const locking = await pool.connect()
    await locking.query('BEGIN')
    await locking.query('LOCK TABLE signed_requests_replay IN ACCESS EXCLUSIVE MODE')
    const late = Array.from({ length: 20 }, (_, n) => store.claim(`late-${n}`, 60, 300).catch(String))
    await sleep(600)
    await locking.query('COMMIT')
    locking.release()
    for (const answer of await Promise.all(late)) expect(answer).toMatch(/deadline/)
    const { rows } = await pool.query('SELECT id FROM signed_requests_replay')
    expect(rows).toEqual([])
  })
})

describe.each(CLIENTS)('a connection of %s that goes silent while new ones work', name => {
  it('is replaced within 5 s', async () => {
    const database = await startDatabase(name)
    const proxy = await faultyProxy(database.port)
    onTestFinished(proxy.close)
    const worked = new Map<string, number>()
    const port = await startReceiver(name, proxy.port, worked)
    expect(await deliver(newRequest(), port)).toBe(204)
    proxy.silence()
    const start = performance.now()
    const statuses = await deliverUntilDecided(newRequest(), [port])
    expect(statuses.at(-1)).toBe(204)
    expect(performance.now() - start).toBeLessThan(5000)
  })
})

/** One to three bytes anywhere, or a piece that is lost. */
function damaged(chunk: Buffer): Buffer {
  if (Math.random() < 0.2) return chunk.subarray(Math.floor(Math.random() * chunk.length))
  for (let n = 0; n < 1 + Math.random() * 2; n++)
    chunk[Math.floor(Math.random() * chunk.length)] = Math.floor(Math.random() * 256)
  return chunk
}

const FAULTS: ((proxy: FaultyProxy) => Promise<void>)[] = [
  async proxy => {
    proxy.pause()
    await sleep(300 + Math.random() * 2200)
    proxy.resume()
  },
  async proxy => proxy.reset(),
  async proxy => proxy.silence(),
  async proxy => {
    for (let n = 0; n < 5; n++) {
      proxy.corrupt(damaged)
      await sleep(50)
    }
  }
]

describe.each(CLIENTS)(`${REQUESTS} requests with %s`, { timeout: 1_200_000 }, name => {
  it('are each worked on once while connections stall, break and are damaged, and the database is killed', async () => {
    const database = await startDatabase(name)
    const worked = new Map<string, number>()
    const proxies = [await faultyProxy(database.port), await faultyProxy(database.port)]
    const ports: number[] = []
    for (const proxy of proxies) {
      onTestFinished(proxy.close)
      ports.push(await startReceiver(name, proxy.port, worked))
    }
    let isOver = false
    let done = 0
    const faults = (async () => {
      for (let n = 0; !isOver; n++) {
        done = n
        await sleep(200 + Math.random() * 600)
        if (n % 15 === 14) {
          await database.kill()
          await sleep(200)
          await database.start()
        } else await FAULTS[n % FAULTS.length]!(proxies[Math.floor(Math.random() * 2)]!)
      }
    })()

    const requests: Signed[] = []
    const statuses: number[][] = []
    const deliverMany = async () => {
      // On a slow machine fewer requests meet a fault, so there is at least one of each kind.
      while (requests.length < REQUESTS || done <= FAULTS.length) {
        const request = newRequest()
        requests.push(request)
        statuses.push(
          await deliverUntilDecided(request, requests.length % 2 ? ports : [...ports].reverse(), 100)
        )
        await sleep(Math.random() * 40)
      }
    }
    await Promise.all(Array.from({ length: 40 }, deliverMany))
    isOver = true
    await faults

    const unavailable = statuses.flat().filter(status => status === 503).length
    console.log(
      `${name}: ${REQUESTS} requests, ${statuses.flat().length} deliveries, ${unavailable} of them 503`
    )
    expect(statuses.filter(ofOne => ofOne.includes(401))).toEqual([])
    expect(timesWorked(requests, worked)).toEqual({ never: 0, once: requests.length, twice: 0 })
    expect(unavailable).toBeGreaterThan(0)
  })
})

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { ReceivedRequest } from '../../src/index.ts'
import { type FaultyProxy, faultyProxy } from '../../test/support/faulty-proxy.ts'
import { freePort } from '../../test/support/free-port.ts'
import { answers } from '../../test/support/run-program.ts'
import { linesOf, service } from '../../test/support/service.ts'
import type { Exchange } from '../src/exchange.ts'
import { startGateway } from '../src/gateway.ts'
import { testSettings } from './start.ts'
import { type Kind, startDatabase, urlOf } from './support/databases.ts'
import { TROUBLED, type TroubledApplication } from './trouble-applications.ts'

/**
 * `GATEWAY_REQUESTS=20000` is the long form: at least so many in all, until every fault has happened with each pair.
 */
const LONG = process.env['GATEWAY_REQUESTS']

const SENDERS = 80

/** Starts it with all its processes, each in a group of its own. */
async function startApplication({ files, commands }: TroubledApplication) {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-trouble-'))
  const port = await freePort()
  for (const [name, text] of Object.entries(files(folder, port))) writeFileSync(join(folder, name), text)
  let children: ChildProcess[] = []
  const start = async () => {
    const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` }
    children = commands(folder, port).map(([program, ...args]) =>
      spawn(program, args, { cwd: folder, env, stdio: 'ignore', detached: true })
    )
    while (!(await answers(port))) {
      const ended = children.find(child => child.exitCode !== null)
      if (ended !== undefined) throw new Error(`${ended.spawnfile} did not start`)
      await delay(25)
    }
  }
  const kill = async () => {
    const exited = children.map(child => once(child, 'exit'))
    for (const child of children) process.kill(-child.pid!, 'SIGKILL')
    await Promise.all(exited)
  }
  await start()
  onTestFinished(async () => {
    await kill()
    rmSync(folder, { recursive: true, maxRetries: 5 })
  })
  /** Counts how often the application worked on each request. */
  const worked = () => {
    const times = new Map<number, number>()
    for (const line of readFileSync(join(folder, 'work'), 'utf8').trim().split('\n')) count(times, Number(line))
    return times
  }
  return { port, start, kill, worked }
}

const count = <T>(times: Map<T, number>, one: T) => times.set(one, (times.get(one) ?? 0) + 1)

/** Damages one to three bytes anywhere, or loses a piece. */
function damaged(chunk: Buffer): Buffer {
  if (Math.random() < 0.2) return chunk.subarray(Math.floor(Math.random() * chunk.length))
  for (let n = 0; n < 1 + Math.random() * 2; n++)
    chunk[Math.floor(Math.random() * chunk.length)] = Math.floor(Math.random() * 256)
  return chunk
}

interface Server {
  start(): Promise<void>
  kill(): Promise<void>
}

const FAULTS: Readonly<Record<string, (proxy: FaultyProxy, server: Server) => Promise<void>>> = {
  async stall(proxy) {
    proxy.pause()
    await delay(300 + Math.random() * 1700)
    proxy.resume()
  },
  reset: async proxy => proxy.reset(),
  silence: async proxy => proxy.silence(),
  async corruption(proxy) {
    for (let n = 0; n < 5; n++) {
      proxy.corrupt(damaged)
      await delay(20)
    }
  },
  async kill(_, server) {
    await server.kill()
    await delay(Math.random() * 300)
    await server.start()
  }
}

/**
 * Damaged packets of the database are left to TCP, TLS and its client library: `pg` throws where nobody can catch it.
 */
const { corruption: _, ...STORE_FAULTS } = FAULTS

const agent = new Agent({ keepAlive: true })

/** Returns the status of a complete answer; 0 when it is missing or incomplete. */
const send = (address: string, signed: ReceivedRequest): Promise<number> =>
  new Promise(resolve => {
    const { method, target, body } = signed
    const headers = linesOf(signed).flat()
    const request = httpRequest(`http://${address}`, { agent, method, path: target, headers })
    request.on('error', () => resolve(0))
    request.on('response', answer => {
      answer.resume()
      answer.on('error', () => resolve(0))
      answer.on('end', () => resolve(answer.complete ? answer.statusCode! : 0))
    })
    request.end(body)
  })

/** Returns whether the application's answer is final: a 5xx asks for a repetition. */
const isProcessed = ({ upstream, status }: Exchange): boolean => upstream === 'answered' && status < 500

const isReplay = ({ verdict }: Exchange): boolean =>
  verdict.status === 'rejected' && verdict.failures[0].code === 'replayed'

/** Each of these statuses occurs in the answers before a run ends. */
const STATUSES = [200, 404, 500, 502, 503, 504]

type Pair = readonly [application: keyof typeof TROUBLED, store: Kind]

/** Covers each application and each store; the long form covers each pair. */
const PAIRS: readonly Pair[] = [
  ['gunicorn', 'redis'],
  ['gunicorn', 'postgres'],
  ['php-fpm behind nginx', 'redis'],
  ['Puma', 'postgres']
]
const MORE_PAIRS: readonly Pair[] = [
  ['php-fpm behind nginx', 'postgres'],
  ['Puma', 'redis']
]
const RUNS = LONG ? [...PAIRS, ...MORE_PAIRS] : PAIRS
const REQUESTS = Number(LONG ?? 1200) / RUNS.length

test.each(RUNS)(
  '%s and %s: each request is worked on, none again after an answer, and no repetition is a replay, whatever fails when',
  { timeout: 60_000 + REQUESTS * 200 },
  async (applicationName, kind) => {
    const application = await startApplication(TROUBLED[applicationName])
    const store = await startDatabase(kind)
    const toApplication = await faultyProxy(application.port)
    const toStore = await faultyProxy(store.port)
    onTestFinished(toApplication.close)
    onTestFinished(toStore.close)

    const exchanges = new Map<string, Exchange[]>()
    const settings = testSettings(new URL(`http://127.0.0.1:${toApplication.port}`), service, {
      replay: { kind, url: urlOf(kind, toStore.port) },
      upstreamTimeout: 1000
    })
    const gateway = await startGateway(settings, exchange => {
      if (exchange.verdict === undefined) return
      exchanges.set(exchange.target, [...(exchanges.get(exchange.target) ?? []), exchange])
    })
    onTestFinished(async () => void (await gateway.close()))

    let isOver = false
    const happened = new Map<string, number>()
    const trouble = async (name: string, all: typeof FAULTS, proxy: FaultyProxy, server: Server) => {
      const faults = Object.entries(all)
      for (let n = 0; !isOver; n++) {
        await delay(Math.random() * 1000)
        const [fault, run] = faults[n < faults.length ? n : Math.floor(Math.random() * faults.length)]!
        await run(proxy, server)
        count(happened, `${name} ${fault}`)
      }
    }
    const troubles = [
      trouble('store', STORE_FAULTS, toStore, store),
      trouble('application', FAULTS, toApplication, application)
    ]

    // Each sender repeats the same bytes until the application has answered, and once more after that.
    const totals = new Map<number, number>()
    const again: number[] = []
    let sent = 0
    const hasAllHappened = () =>
      happened.size === Object.keys(STORE_FAULTS).length + Object.keys(FAULTS).length &&
      STATUSES.every(status => totals.has(status))
    const sender = async () => {
      while (sent < REQUESTS || !hasAllHappened()) {
        const n = sent++
        const signed = service.sign({ target: `/${n}`, body: `{"n":${n}}` })
        for (;;) {
          const status = await send(gateway.address, signed)
          count(totals, status)
          if (status > 0 && status < 500) break
          await delay(50 + Math.random() * 100)
        }
        again.push(await send(gateway.address, signed))
      }
    }
    // A server that does not start again ends the test at once.
    await Promise.race([Promise.all(Array.from({ length: SENDERS }, sender)), Promise.all(troubles)])
    isOver = true
    await Promise.all(troubles)
    agent.destroy()
    await gateway.close()

    const worked = application.worked()
    const wrong = { lost: [] as string[], again: [] as string[], refused: [] as string[], unexplained: [] as string[] }
    for (let n = 0; n < sent; n++) {
      const all = exchanges.get(`/${n}`)!.sort((a, b) => a.receivedAt - b.receivedAt)
      const times = worked.get(n) ?? 0
      const first = all.findIndex(isProcessed)
      const tries = first === -1 ? all : all.slice(0, first + 1)
      const about = `${n}: ${all.map(({ status, upstream }) => `${status} ${upstream}`)}; worked ${times}`
      if (first === -1 || times === 0) wrong.lost.push(about)
      if (all.filter(isProcessed).length > 1) wrong.again.push(about)
      if (tries.some(isReplay)) wrong.refused.push(about)
      // A request was worked on again only after an attempt whose answer was missing or 5xx.
      if (times > tries.filter(({ upstream }) => upstream !== 'not-asked').length) wrong.unexplained.push(about)
    }
    const workedAgain = [...worked.values()].filter(times => times > 1).length
    console.log(`${sent} requests, ${workedAgain} worked on again after a failure`, totals, happened)
    expect(wrong).toEqual({ lost: [], again: [], refused: [], unexplained: [] })
    expect(again.filter(status => status >= 200 && status < 300)).toEqual([])
    // Every fault of this test has happened.
    for (const status of STATUSES) expect(totals.get(status), `status ${status}`).toBeGreaterThan(0)
    expect(workedAgain).toBeGreaterThan(0)
  }
)

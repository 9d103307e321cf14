import { Agent, createServer, type IncomingMessage, request as send } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { createVerifier, nodeHandler } from '../../src/index.ts'
import type { ReplayStore } from '../../src/replay/index.ts'
import { listen } from '../support/listen.ts'
import { service } from '../support/service.ts'

/** What became of the requests of honest senders, and of the copies that an attacker sent. */
export interface Counts {
  /** requests that were worked on once, more often, or never */
  readonly once: number
  readonly twice: number
  readonly never: number
  /** requests whose copy was let in */
  readonly replays: number
  /** honest senders that were told 401, which is final */
  readonly refused: number
}

/** Asserted by every test: all requests are worked on, each of them once. */
export const ALL_ONCE = { twice: 0, never: 0, replays: 0, refused: 0 }

/** Marks a copy of the attacker for the count. No signature covers it, so every receiver ignores it. */
const COPY = 'x-copy'

/** Milliseconds between two requests of honest senders. */
const PACE = 25

/** Milliseconds between two attempts of one sender. */
const RETRY = 200

/** Milliseconds until an attempt is given up, and until a request counts as never worked on. */
const ATTEMPT = 3000
const GIVE_UP = 45_000

/** Requests that each receiver accepts before the fault, and again after it. */
const ENOUGH = 15

/** Counts what the application behind the receivers works on. */
export function createWork() {
  const honest = new Map<string, number>()
  const copied = new Set<string>()
  return {
    honest,
    copied,
    note({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): void {
      if (headers[COPY] === undefined) honest.set(url, (honest.get(url) ?? 0) + 1)
      else copied.add(url)
    }
  }
}
export type Work = ReturnType<typeof createWork>

/** Starts a receiver with a store of its own, as another process would have it. */
export async function startReceiver(replayStore: ReplayStore, work: Work): Promise<number> {
  const verify = createVerifier({ ...service.options, requireHttps: false, replayStore })
  const server = createServer(nodeHandler(verify, (_, req) => work.note(req)))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return listen(server)
}

/**
 * Sends requests to the receivers, one after the other, while `fault` happens. A sender repeats the same bytes at the
 * next receiver until it gets 2xx or 401. An attacker repeats every request that was accepted: at once, and at every
 * receiver when all is over.
 *
 * @param collect notes the work of receivers that are processes of their own, when all is over
 * @returns the counts, and how long the receiver that suffered most accepted nothing, in milliseconds
 */
export async function underLoad(
  ports: readonly number[],
  work: Work,
  fault: () => Promise<unknown>,
  collect = () => {}
): Promise<Counts & { outage: number }> {
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  const accepted: Signed[] = []
  const acceptances = ports.map(() => 0)
  const lastAcceptance = ports.map(() => performance.now())
  let outage = 0
  let refused = 0

  /** Delivers a request to one receiver after the other; the copies of the attacker go to the next one. */
  async function deliver(request: Signed, first: number): Promise<void> {
    const start = performance.now()
    for (let at = first; performance.now() - start < GIVE_UP; at++) {
      const receiver = at % ports.length
      const status = await attempt(request, ports[receiver]!, agent)
      if (status === 401) refused++
      if (status === 401) return
      if (status >= 200 && status < 300) {
        outage = Math.max(outage, performance.now() - lastAcceptance[receiver]!)
        lastAcceptance[receiver] = performance.now()
        acceptances[receiver]!++
        accepted.push(request)
        await attempt(request, ports[(at + 1) % ports.length]!, agent, true)
        return
      }
      await sleep(RETRY)
    }
  }

  const requests: Signed[] = []
  const deliveries: Promise<void>[] = []
  let isOver = false
  const senders = (async () => {
    while (!isOver) {
      const request = service.sign({ method: 'POST', target: `/${requests.length}`, body: '{"event":"paid"}' })
      deliveries.push(deliver(request, requests.length))
      requests.push(request)
      await sleep(PACE)
    }
  })()
  /** Waits until each receiver has accepted enough requests from now on. */
  async function allServe(): Promise<void> {
    const before = [...acceptances]
    const deadline = performance.now() + GIVE_UP
    while (acceptances.some((count, at) => count - before[at]! < ENOUGH) && performance.now() < deadline)
      await sleep(20)
  }
  await allServe()
  outage = 0
  await fault()
  await allServe()
  isOver = true
  await senders
  await Promise.all(deliveries)
  for (const port of ports) for (const request of accepted) await attempt(request, port, agent, true)
  collect()

  const times = requests.map(({ target }) => work.honest.get(target) ?? 0)
  const count = (isCounted: (times: number) => boolean) => times.filter(isCounted).length
  return {
    once: count(times => times === 1),
    twice: count(times => times > 1),
    never: count(times => times === 0),
    replays: work.copied.size,
    refused,
    outage: Math.round(outage)
  }
}

type Signed = ReturnType<typeof service.sign>

/** Resolves to the status of an answer; to 0 when there is none. */
function attempt(
  { method, target: path, headers, body }: Signed,
  port: number,
  agent: Agent,
  isCopy = false
): Promise<number> {
  return new Promise(resolve => {
    const lines = (headers as [string, string][]).flat()
    if (isCopy) lines.push(COPY, '1')
    const options = { host: '127.0.0.1', port, method, path, headers: lines as never, agent, timeout: ATTEMPT }
    const sent = send(options, res => {
      res.resume()
      res.on('end', () => resolve(res.statusCode!))
      res.on('error', () => resolve(0))
    })
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => resolve(0))
    sent.end(body)
  })
}

import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Io } from '../../../src/cli/io.ts'
import { EXIT } from '../../../src/cli/usage.ts'
import { authorityOf } from '../admin/access.ts'
import type { Admin } from '../admin/admin.ts'
import type { DnsAnswer } from '../dns-answers.ts'
import type { Report } from '../report.ts'
import type { Address, GatewaySettings } from '../settings.ts'

/** Milliseconds until a worker that has ended is replaced: one that ends at once must not use up the machine. */
const PAUSE = 1000

/**
 * Runs the gateway in several processes that share an address. This process keeps them running, passes on the signal to
 * end, and serves the admin address with what they report. Resolves to the exit code.
 *
 * @param stopped resolves when it is told to end
 */
export async function runWorkers(
  settings: GatewaySettings,
  stopped: Promise<unknown>,
  io: Io
): Promise<number> {
  const dns = new Map<string, DnsAnswer>()
  const workers = new Set<Worker>()
  /** The workers that listen: none while the replay store cannot be reached. */
  const serving = new Set<Worker>()
  let isReady = false
  let admin: Admin | undefined
  if (settings.admin !== undefined) {
    const { startAdmin } = await import('../admin/admin.ts')
    admin = await startAdmin({
      ...settings.admin,
      verifier: settings.verifier,
      dns,
      isReady: () => isReady && serving.size > 0
    })
  }

  const start = (): Worker => {
    const worker = cluster.fork()
    workers.add(worker)
    worker.once('listening', () => serving.add(worker))
    worker.on('message', (report: Report) => {
      for (const [name, answer] of report.dns) dns.set(name, answer)
      for (const counted of report.counted) admin?.count(counted)
      for (const exchange of report.kept) admin?.keep(exchange)
    })
    // Also when a worker could not start, such as while the replay store cannot be reached.
    worker.once('exit', async (code, signal) => {
      workers.delete(worker)
      serving.delete(worker)
      if (!isReady) return
      io.note(`a worker has ended (${signal ?? code}) and is replaced`)
      await delay(PAUSE)
      if (isReady) start()
    })
    return worker
  }
  const startFirst = async (): Promise<Worker> => {
    const worker = start()
    await Promise.race([once(worker, 'listening'), once(worker, 'exit')])
    return worker
  }

  cluster.setupPrimary({ serialization: 'advanced' })
  const listening: Promise<Address> = new Promise(resolve => {
    cluster.once('listening', (_, { address, port }) => resolve({ host: address, port }))
  })
  const started = await Promise.all(Array.from({ length: settings.workers }, startFirst))
  const failed = started.find(worker => worker.isDead())
  isReady = failed === undefined
  if (isReady) {
    const { host, port } = await listening
    io.note(`${settings.workers} workers listen on ${authorityOf(host, port)}`)
    if (admin !== undefined) io.note(`admin page on http://${admin.address}/`)
    await stopped
    isReady = false
  }
  const codes = await Promise.all([...workers].map(end))
  await admin?.close()
  // Why a worker could not start is on stderr already.
  return failed?.process.exitCode ?? (codes.every(code => code === 0) ? EXIT.verified : EXIT.rejected)
}

async function end(worker: Worker): Promise<number> {
  if (worker.isDead()) return worker.process.exitCode ?? 1
  // Not worker.kill(), which disconnects first: the worker would then end without draining.
  worker.process.kill('SIGTERM')
  const [code, signal] = await once(worker, 'exit')
  // A worker that has just started does not listen yet, neither for the signal nor for requests.
  return signal === 'SIGTERM' ? 0 : (code ?? 1)
}

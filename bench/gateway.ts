import { fork } from 'node:child_process'
import { once } from 'node:events'
import { findNginx } from '../test/support/nginx.ts'
import { testing } from './dist.ts'
import { startNginx } from './gateway/nginx.ts'
import { type ServerProcess, startServer } from './gateway/process.ts'
import { printMachine } from './report.ts'
import { quantile } from './rounds.ts'
import { loadAutocannon, type Outcome } from './server/load.ts'

const CONNECTIONS = 64
/** Short ones, so that whatever else the machine does meets all alike. */
const ROUNDS = Number(process.argv[3] ?? 25)
const ROUND_SECONDS = 2
const LEAST_OF_UNVERIFIED = 0.9
const MEMORY_REQUESTS = Number(process.argv[2] ?? 100_000)
const MEMORY_STEPS = 10
const MOST_GROWTH_MB = 20

/** The gateway beside the same proxy without verification, and what stays of large requests in its memory. */
printMachine()
const send = await loadAutocannon().catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
const service = testing.createTestService()
const dns = fork(new URL('./server/dns-process.ts', import.meta.url), { execArgv: ['--import', 'tsx'] })
dns.send(service.records)
const [dnsServer] = (await once(dns, 'message')) as [string]

/** Every process that was started, so that none is left when the benchmark ends, however it does. */
const started: ServerProcess[] = []
const start = async (starting: Promise<ServerProcess>): Promise<ServerProcess> => {
  const server = await starting
  started.push(server)
  return server
}
process.on('exit', () => {
  for (const server of started) server.stop()
  dns.kill()
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const upstream = await start(startServer('./upstream.ts', []))
type Name = 'gateway' | 'unverified' | 'piping' | 'nginx'
const servers = new Map<Name, ServerProcess>()
servers.set(
  'gateway',
  await start(
    startServer('../../gateway/dist/cli.js', [
      '--upstream',
      upstream.url,
      '--listen',
      '127.0.0.1:0',
      '--https',
      'always',
      '--dns-server',
      dnsServer,
      '--domain',
      service.options.serviceDomain,
      '--host',
      'receiver.example',
      '--account',
      '1234',
      // The same sixty requests come again and again. A claim in memory takes a microsecond.
      '--replay',
      'none'
    ])
  )
)
servers.set('unverified', await start(startServer('./unverified.ts', [upstream.url])))
servers.set('piping', await start(startServer('./piping.ts', [upstream.url])))
if (findNginx() === undefined) console.log('without nginx: it is not installed (apt-get install nginx)')
else servers.set('nginx', await start(startNginx(upstream.url)))

const broken = [
  ...(await besideUnverified(1024)),
  ...(await besideUnverified(100_000)),
  ...(await memory(servers.get('gateway')!))
]
for (const promise of broken) console.log(`BROKEN: ${promise}`)
process.exit(broken.length > 0 ? 1 : 0)

function sign(bytes: number, count: number) {
  const body = (i: number) => Buffer.alloc(bytes, `{"event":"opened","id":${i}}`)
  return Array.from({ length: count }, (_, i) => service.sign({ body: body(i), target: `/hook?id=${i}` }))
}

async function drive(name: Name, bytes: number): Promise<{ perSecond: number; cpu: number }> {
  const server = servers.get(name)!
  const before = server.cpu()
  const load = { requests: sign(bytes, 60), seconds: ROUND_SECONDS, connections: CONNECTIONS }
  const outcome = await send(server.url, load)
  assertAccepted(name, outcome)
  const cpu = (server.cpu() - before) / (outcome.perSecond * ROUND_SECONDS)
  console.log(
    `${name.padEnd(11)}${outcome.perSecond.toFixed(0).padStart(7)} requests/s   p50 ${outcome.p50} ms, ` +
      `p99 ${outcome.p99} ms   CPU ${cpu.toFixed(0)} us each`
  )
  return { perSecond: outcome.perSecond, cpu }
}

function assertAccepted(name: string, { answers, errors }: Outcome): void {
  if (errors === 0 && Object.keys(answers).join() === '200') return
  throw new Error(`${name} answered ${JSON.stringify(answers)}, errors: ${errors}`)
}

async function besideUnverified(bytes: number): Promise<string[]> {
  console.log(`\n${CONNECTIONS} connections, bodies of ${bytes} bytes, ${ROUNDS} rounds of ${ROUND_SECONDS} s in turn`)
  const names = [...servers.keys()]
  const others = names.filter(name => name !== 'gateway')
  for (const name of names) await drive(name, bytes)
  console.log('warm')
  const empty = (): Record<Name, number[]> => ({ gateway: [], unverified: [], piping: [], nginx: [] })
  const [ratios, cpus] = [empty(), empty()]
  for (let round = 0; round < ROUNDS; round++) {
    const perSecond = { gateway: 0, unverified: 0, piping: 0, nginx: 0 }
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round) % names.length]!
      const outcome = await drive(name, bytes)
      perSecond[name] = outcome.perSecond
      cpus[name].push(outcome.cpu)
    }
    for (const name of others) {
      ratios[name].push(perSecond.gateway / perSecond[name])
    }
  }
  const median = (values: number[]) => quantile(values, 0.5)
  const spread = (values: number[]) => [0.25, 0.75].map(part => quantile(values, part).toFixed(2)).join(' to ')
  const ratio = median(ratios.unverified)
  console.log(
    `gateway / the same without verification: ${ratio.toFixed(2)}, the median of ${ROUNDS} ` +
      `(half of them ${spread(ratios.unverified)}); at least ${LEAST_OF_UNVERIFIED}`
  )
  for (const name of others.filter(name => name !== 'unverified')) {
    console.log(`gateway / ${name} alone: ${median(ratios[name]).toFixed(2)} (${spread(ratios[name])})`)
  }
  const cpuOf = (name: Name) => `${name} ${median(cpus[name]).toFixed(0)} us`
  console.log(`CPU each: ${names.map(cpuOf).join(', ')}`)
  return ratio >= LEAST_OF_UNVERIFIED
    ? []
    : [`only ${ratio.toFixed(2)} of the same without verification, bodies of ${bytes} bytes`]
}

/** Large requests, one after another on 16 connections: the most that is resident in each tenth of them. */
async function memory(gateway: ServerProcess): Promise<string[]> {
  console.log(`\n${MEMORY_REQUESTS} requests of 100 KB`)
  const peaks: number[] = []
  for (let step = 1; step <= MEMORY_STEPS; step++) {
    let peak = 0
    const watch = setInterval(() => {
      peak = Math.max(peak, gateway.resident())
    }, 50)
    const load = { requests: sign(100_000, 60), amount: MEMORY_REQUESTS / MEMORY_STEPS, connections: 16 }
    const outcome = await send(gateway.url, load)
    clearInterval(watch)
    assertAccepted('gateway', outcome)
    peaks.push(peak)
    const done = (MEMORY_REQUESTS / MEMORY_STEPS) * step
    console.log(`${done} done   ${peak.toFixed(0)} MB resident at most   ${outcome.perSecond.toFixed(0)} requests/s`)
  }
  // The first tenth is when the heap gets its size.
  const growth = peaks.at(-1)! - Math.max(...peaks.slice(0, 3))
  console.log(`growth after the third tenth: ${growth.toFixed(0)} MB; less than ${MOST_GROWTH_MB}`)
  return growth < MOST_GROWTH_MB ? [] : [`its memory grows by ${growth.toFixed(0)} MB`]
}

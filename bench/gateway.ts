import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { findNginx } from '../test/support/nginx.ts'
import { builds, testing } from './dist.ts'
import { startNginx } from './gateway/nginx.ts'
import { type ServerProcess, startServer } from './gateway/process.ts'
import { printMachine } from './report.ts'
import { quantile } from './rounds.ts'
import { loadAutocannon, type Outcome } from './server/load.ts'

const { values } = parseArgs({
  options: {
    /** the dist/ of another build, whose gateway runs alternately with this one: dist.ts reads it */
    beside: { type: 'string' },
    rounds: { type: 'string', default: '25' },
    /** number of large requests, for the memory; 0 leaves them out */
    requests: { type: 'string', default: '100000' }
  }
})
const CONNECTIONS = 64
/** Rounds are short, so that other work of the machine affects all contenders alike. */
const ROUNDS = Number(values.rounds)
const ROUND_SECONDS = 2
const MEMORY_REQUESTS = Number(values.requests)
const MEMORY_STEPS = 10
const MOST_GROWTH_MB = 20

/**
 * Compares the gateway with the same proxy without verification, and measures the memory that large requests leave in
 * use.
 */
printMachine()
const send = await loadAutocannon().catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
const service = testing.createTestService()
const dns = fork(new URL('./server/dns-process.ts', import.meta.url), { execArgv: ['--import', 'tsx'] })
dns.send(service.records)
const [dnsServer] = (await once(dns, 'message')) as [string]

/** Lists every process that was started, so that all are ended however the benchmark ends. */
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
type Name = 'gateway' | 'beside' | 'unverified' | 'piping' | 'nginx'
const servers = new Map<Name, ServerProcess>()
const GATEWAY_FLAGS = [
  ...['--upstream', upstream.url, '--listen', '127.0.0.1:0', '--https', 'always', '--dns-server', dnsServer],
  ...['--domain', service.options.serviceDomain, '--host', 'receiver.example', '--account', '1234'],
  // The same sixty requests are sent repeatedly. A claim in memory takes a microsecond.
  ...['--replay', 'none']
]
servers.set('gateway', await start(startServer('../../gateway/dist/cli.js', GATEWAY_FLAGS)))
const [, other] = builds
if (other !== undefined) {
  const cli = pathToFileURL(resolve(other.folder, '../gateway/dist/cli.js')).href
  servers.set('beside', await start(startServer(cli, GATEWAY_FLAGS)))
}
servers.set('unverified', await start(startServer('./unverified.ts', [upstream.url])))
servers.set('piping', await start(startServer('./piping.ts', [upstream.url])))
if (findNginx() === undefined) console.log('without nginx: it is not installed (apt-get install nginx)')
else servers.set('nginx', await start(startNginx(upstream.url)))

await besideOthers(1024)
await besideOthers(100_000)
const broken = MEMORY_REQUESTS > 0 ? await memory(servers.get('gateway')!) : []
for (const promise of broken) console.log(`BROKEN: ${promise}`)
process.exit(broken.length > 0 ? 1 : 0)

function sign(bytes: number, count: number) {
  const body = (i: number) => Buffer.alloc(bytes, `{"event":"opened","id":${i}}`)
  return Array.from({ length: count }, (_, i) => service.sign({ body: body(i), target: `/hook?id=${i}` }))
}

/** Holds the measurements of one round. */
interface Round {
  perSecond: number
  /** microseconds of server CPU per request */
  cpu: number
  /** milliseconds */
  p99: number
}

async function drive(name: Name, bytes: number): Promise<Round> {
  const server = servers.get(name)!
  const before = server.cpu()
  const load = { requests: sign(bytes, 64), seconds: ROUND_SECONDS, connections: CONNECTIONS }
  const outcome = await send(server.url, load)
  assertAccepted(name, outcome)
  const { perSecond, p99 } = outcome
  return { perSecond, p99, cpu: (server.cpu() - before) / (perSecond * ROUND_SECONDS) }
}

function assertAccepted(name: string, { answers, errors }: Outcome): void {
  if (errors === 0 && Object.keys(answers).join() === '200') return
  throw new Error(`${name} answered ${JSON.stringify(answers)}, errors: ${errors}`)
}

async function besideOthers(bytes: number): Promise<void> {
  console.log(`\n${CONNECTIONS} connections, bodies of ${bytes} bytes, ${ROUNDS} rounds of ${ROUND_SECONDS} s in turn`)
  const names = [...servers.keys()]
  for (const name of names) await drive(name, bytes)
  const rounds = new Map(names.map(name => [name, [] as Round[]]))
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round) % names.length]!
      rounds.get(name)!.push(await drive(name, bytes))
    }
  }

  const seen = (name: Name, what: keyof Round): number[] => rounds.get(name)!.map(round => round[what])
  const median = (values: readonly number[]): number => quantile(values, 0.5)
  /** Holds ratios within one round, so other work of the machine affects both sides. */
  const ratios = (a: Name, b: Name, what: keyof Round): number[] => {
    const below = seen(b, what)
    return seen(a, what).map((value, round) => value / below[round]!)
  }
  const shown = (values: readonly number[]): string =>
    `${median(values).toFixed(2)} (${[0.25, 0.75].map(part => quantile(values, part).toFixed(2)).join(' to ')})`
  for (const name of names) {
    console.log(
      `${name.padEnd(11)}${median(seen(name, 'perSecond')).toFixed(0).padStart(7)} requests/s   ` +
        `CPU ${median(seen(name, 'cpu')).toFixed(0)} us each   p99 ${median(seen(name, 'p99'))} ms`
    )
  }
  for (const name of names.filter(name => name !== 'gateway')) {
    const [cpu, perSecond] = [ratios(name, 'gateway', 'cpu'), ratios('gateway', name, 'perSecond')]
    console.log(`CPU of ${name} / gateway: ${shown(cpu)}   requests/s of gateway / ${name}: ${shown(perSecond)}`)
  }
}

/**
 * Sends large requests, one after another on 16 connections; returns the peak of resident memory in each tenth of them.
 */
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
  // In the first tenth the heap still grows to its size.
  const growth = peaks.at(-1)! - Math.max(...peaks.slice(0, 3))
  console.log(`growth after the third tenth: ${growth.toFixed(0)} MB; less than ${MOST_GROWTH_MB}`)
  return growth < MOST_GROWTH_MB ? [] : [`its memory grows by ${growth.toFixed(0)} MB`]
}

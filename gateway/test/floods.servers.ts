import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type DecodedPacket, decode, encode } from 'dns-packet'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestService } from '../../src/testing/index.ts'
import { GATEWAY_CLI } from '../../test/support/cli.ts'
import { statusesOf, wire } from '../../test/support/wire.ts'
import { type Application, startApplication } from './start.ts'

/** Seconds of each flood. */
const SECONDS = Number(process.env['FLOOD_SECONDS'] ?? 8)
const HEAP = '--max-old-space-size=128'
const SILENT = 'silent._domainkey.service.example'

const service = createTestService({ rsaBits: 1024 })
const undo: (() => unknown)[] = []
let application: Application
beforeEach(async () => {
  application = await startApplication()
  undo.push(application.close)
})
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

/** DNS that knows the keys of the service, and never answers about SILENT and names that end like it. */
async function startDns(): Promise<string> {
  const socket = createSocket('udp4')
  socket.on('message', (message, peer) => {
    const query = decode(message) as DecodedPacket
    const [question] = query.questions ?? []
    const name = question?.name.toLowerCase() ?? ''
    if (name.endsWith(SILENT)) return
    const records = (service.records as Record<string, unknown>)[name] as string[] | undefined
    const answers = (records ?? []).map(record => ({ type: 'TXT' as const, name, ttl: 0, data: record }))
    const flags = records === undefined ? 3 : 0
    socket.send(
      encode({ type: 'response', id: query.id ?? 0, flags, questions: query.questions ?? [], answers }),
      peer.port,
      peer.address
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  undo.push(() => socket.close())
  return `127.0.0.1:${(socket.address() as AddressInfo).port}`
}

/** The gateway as a process with a heap of 128 MB. */
async function start(...args: string[]) {
  const dns = await startDns()
  const child = spawn(process.execPath, [
    HEAP,
    process.env['GATEWAY_CLI'] ?? GATEWAY_CLI,
    ...['--upstream', application.url.href, '--listen', '127.0.0.1:0', '--https', 'always'],
    ...['--domain', 'service.example', '--host', 'receiver.example', '--account', '1234'],
    ...['--dns-server', dns, ...args]
  ])
  let notes = ''
  child.stderr.on('data', text => {
    notes += text
  })
  let log = ''
  child.stdout.on('data', text => {
    log += text
  })
  const exit = once(child, 'close').then(([code]) => code as number | null)
  undo.push(async () => {
    child.kill('SIGKILL')
    await exit
  })
  let port: number | undefined
  while (port === undefined) {
    await Promise.race([once(child.stderr, 'data'), exit])
    if (child.exitCode !== null) throw new Error(notes)
    port = Number(/listening on \S+:(\d+)/.exec(notes)?.[1]) || undefined
  }
  const memory = (what: 'VmHWM' | 'VmRSS') => {
    try {
      return Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) >> 10
    } catch {
      return Number.NaN
    }
  }
  /** Resolves when the log has so many lines with this text. */
  const logged = async (text: string, count: number): Promise<void> => {
    while (log.split(text).length <= count) await once(child.stdout, 'data')
  }
  return { child, exit, port, memory, logged }
}

/** A connection that sends this, and what is answered on it. */
function open(port: number, bytes: Uint8Array) {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('error', () => {})
  socket.on('data', chunk => {
    answer += chunk.toString('latin1')
  })
  const closed = new Promise<string>(resolve => socket.on('close', () => resolve(answer)))
  socket.write(bytes)
  return { socket, closed }
}

/** Genuine requests, one after the other, while `attack` runs: the milliseconds of each; NaN is none that was forwarded. */
async function latencies(port: number, attack: Promise<unknown>): Promise<number[]> {
  const all: number[] = []
  let isOver = false
  const over = attack.finally(() => {
    isOver = true
  })
  while (!isOver) {
    const begin = performance.now()
    const signed = service.sign({ target: `/genuine/${all.length}`, body: Buffer.alloc(20_000, 'x') })
    const { socket, closed } = open(port, wire(signed, [['Connection', 'close']]))
    const timer = setTimeout(() => socket.destroy(), 20_000)
    const [status] = statusesOf(await closed)
    clearTimeout(timer)
    all.push(status === 200 ? performance.now() - begin : Number.NaN)
    await Promise.race([delay(200), over])
  }
  await over
  return all
}

/** A head of 14 KB that passes the local checks, and whose key is asked for in vain. Made once: attackers are cheap. */
const PADDING = [
  ...Array.from({ length: 13 }, (_, i): [string, string] => [`X-${i}`, 'x'.repeat(1000)]),
  // While observing, the answer would leave the connection open, and those are limited.
  ['Connection', 'close'] as [string, string]
]
const SIGNATURE = 'A'.repeat(171)
const MADE_UP = (() => {
  const { headers, ...signed } = service.sign({ method: 'GET', target: '/made-up' })
  const lines = headers.map(([name, value]): [string, string] => [
    name,
    value.replace(/keyId="[^"]*"/, `keyId="${SILENT}"`).replace(/ignature="[^"]*"/, `ignature="${SIGNATURE}="`)
  ])
  return wire({ ...signed, headers: lines, body: null }, PADDING).toString('latin1')
})()
const madeUp = (signature = SIGNATURE, key = SILENT) =>
  Buffer.from(MADE_UP.replace(SIGNATURE, signature).replace(SILENT, key), 'latin1')

/** Opens so many connections a second. */
async function flood(perSecond: number, send: (n: number) => void): Promise<void> {
  const begin = performance.now()
  for (let n = 0; n < perSecond * SECONDS; ) {
    const due = ((performance.now() - begin) / 1000) * perSecond
    for (; n < Math.min(due, perSecond * SECONDS); n++) send(n)
    await delay(10)
  }
}

function report(name: string, all: readonly number[], memory: number): void {
  const passed = all.filter(ms => ms >= 0)
  const worst = Math.max(0, ...passed)
  console.info(
    `${name}: ${passed.length} of ${all.length} genuine passed, the slowest ${Math.round(worst)} ms, ${memory} MB at most`
  )
}

/** All were forwarded. How fast is printed: a busy machine decides that. */
const expectPrompt = (all: readonly number[]) => {
  expect(all.length).toBeGreaterThan(0)
  expect(all.filter(Number.isNaN)).toEqual([])
}

describe('250 heads of 14 KB a second whose key is never found', () => {
  test.each([
    ['of one signature', [], () => 'A'.repeat(171)],
    ['of one signature, observing', ['--observe'], () => 'A'.repeat(171)],
    ['of signatures that differ', [], (n: number) => n.toString(36).toUpperCase().padStart(171, 'A')]
  ])('%s: genuine requests pass, in bounded memory', async (name, args, signature) => {
    const { port, memory, child } = await start(...args)
    const all = await latencies(
      port,
      flood(250, n => open(port, madeUp(signature(n))))
    )
    report(name, all, memory('VmHWM'))
    expect(child.exitCode).toBe(null)
    expectPrompt(all)
    expect(memory('VmHWM')).toBeLessThan(300)
  })
})

test('a body that is withheld while observing stalls nobody', async () => {
  const { port } = await start('--observe', '--max-connections', '3000')
  const signed = service.sign({ target: '/hook', body: 'withheld' })
  const bytes = wire(signed, [['Connection', 'close']])
  open(port, bytes.subarray(0, -1))
  await delay(100)
  const begin = performance.now()
  const others: string[] = []
  // The application is in this process: not more at once than it can take.
  while (others.length < 2000)
    others.push(...(await Promise.all(Array.from({ length: 250 }, () => open(port, bytes).closed))))
  console.info(`2000 beside one that is withheld: ${Math.round(performance.now() - begin)} ms`)
  const counts: Record<string, number> = {}
  for (const answer of others) counts[statusesOf(answer).join()] = (counts[statusesOf(answer).join()] ?? 0) + 1
  expect(counts).toEqual({ 200: 2000 })
})

test('SIGTERM ends in the time of --drain, although 2000 requests wait for DNS', async () => {
  const { port, child, exit } = await start('--drain', '1000', '--max-connections', '4000')
  for (let n = 0; n < 2000; n++) open(port, madeUp())
  await delay(1500)
  const begin = performance.now()
  child.kill('SIGTERM')
  expect(await exit).toBe(1)
  console.info(`SIGTERM: ${Math.round(performance.now() - begin)} ms`)
  expect(performance.now() - begin).toBeLessThan(5000)
})

test('of 3000 senders that leave while DNS is asked nothing is held', async () => {
  const { port, logged } = await start('--log', 'json', '--lookup-timeout', '600000', '--max-connections', '8000')
  for (let n = 0; n < 3000; n += 500) {
    // Each batch asks for another name, as DNS would give up on one.
    const head = madeUp(SIGNATURE, `${n}${SILENT}`)
    const sockets = Array.from({ length: 500 }, () => open(port, head).socket)
    await Promise.all(sockets.map(socket => once(socket, 'connect')))
    // Its answer shows that the heads before it were read.
    const signed = service.sign({ target: `/after/${n}`, body: '' })
    expect(statusesOf(await open(port, wire(signed, [['Connection', 'close']])).closed)).toEqual([200])
    for (const socket of sockets) socket.destroy()
  }
  // Ended by their leaving: DNS that gives up is another code.
  await logged('"codes":["key-lookup-failed"]', 3000)
})

describe('copies of one captured head', () => {
  const captured = () => wire(service.sign({ target: '/captured', body: Buffer.alloc(1_000_000, 'x') }))

  test.each([
    ['with bodies that are withheld', 200_000, false],
    ['with bodies that drip', 0, true],
    ['with bodies that end with another byte', 999_999, false]
  ])('%s: genuine requests pass, in bounded memory', async (name, sent, isDripping) => {
    const { port, memory, child } = await start()
    const bytes = captured()
    const head = bytes.length - 1_000_000
    let refused = 0
    const all = await latencies(
      port,
      flood(sent > 500_000 ? 20 : 80, () => {
        const { socket, closed } = open(port, bytes.subarray(0, head + sent))
        const drip = isDripping && setInterval(() => socket.write('x'.repeat(200)), 250)
        closed.then(answer => {
          if (drip) clearInterval(drip)
          if (/^HTTP\/1\.1 503 [\s\S]*Retry-After/i.test(answer)) refused += 1
        })
      })
    )
    report(name, all, memory('VmHWM'))
    console.info(`${refused} were told to try again`)
    expect(child.exitCode).toBe(null)
    expectPrompt(all)
    expect(memory('VmHWM')).toBeLessThan(300)
  })
})

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startDnsServer } from '../../test/support/dns-server.ts'
import { freePort } from '../../test/support/free-port.ts'
import { service } from '../../test/support/service.ts'
import { until } from '../../test/support/until.ts'
import { statusesOf, wire } from '../../test/support/wire.ts'
import { latencies, open } from './floods/genuine.ts'
import { startApplication } from './start.ts'
import { startGatewayProcess } from './support/process.ts'

/** Each flood lasts this many seconds. */
const SECONDS = Number(process.env['FLOOD_SECONDS'] ?? 8)
/** DNS never replies about this name. */
const SILENT = 'silent._domainkey.service.example'

/** Starts the gateway as a process with a heap of 128 MB. */
async function start(args: readonly string[] = [], answer?: Parameters<typeof startApplication>[0]) {
  const application = await startApplication(answer)
  onTestFinished(application.close)
  const dns = await startDnsServer(service.records)
  onTestFinished(dns.close)
  for (const n of ['', 0, 500, 1000, 1500, 2000, 2500]) dns.outcomes.set(`${n}${SILENT}`, 'silence')
  const env = { NODE_OPTIONS: '--max-old-space-size=128' }
  const { child, said, stop, address } = await startGatewayProcess(application.url, dns.address, args, env)
  const port = Number(address.split(':')[1])
  /** Returns its peak memory so far, in MB. */
  const memory = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) >> 10
  /** Expects a gateway that still runs, has forwarded every genuine request, and has not grown. */
  const expectUnharmed = (name: string, all: readonly number[]) => {
    const slowest = Math.round(Math.max(0, ...all.filter(ms => ms >= 0)))
    // The latency is printed, not asserted: it depends on the machine's load.
    console.info(`${name}: ${all.length} genuine, the slowest ${slowest} ms, ${memory()} MB at most`)
    expect(child.exitCode).toBe(null)
    expect(all.length).toBeGreaterThan(0)
    expect(all.filter(Number.isNaN)).toEqual([])
    expect(memory()).toBeLessThan(200)
  }
  return { port, said, stop, expectUnharmed }
}

/**
 * Makes heads of 14 KB that pass the local checks, and whose key DNS never returns. They are made once: attackers spend
 * little.
 */
const PADDING: [string, string][] = [
  ...Array.from({ length: 13 }, (_, i): [string, string] => [`X-${i}`, 'x'.repeat(1000)]),
  // While observing, the answer would leave the connection open, and connections are limited.
  ['Connection', 'close']
]
const MADE_UP = wire(service.sign({ method: 'GET', target: '/made-up' }), PADDING).toString('latin1')
const madeUp = (signature = 'A', key = SILENT) => {
  const head = MADE_UP.replace(/keyId="[^"]*"/, `keyId="${key}"`)
  return Buffer.from(head.replace(/signature="[^"]*"/, `signature="${signature.padStart(171, 'A')}="`), 'latin1')
}

/** Opens this many connections a second. */
async function flood(perSecond: number, send: (n: number) => void): Promise<void> {
  const begin = performance.now()
  for (let n = 0; n < perSecond * SECONDS; ) {
    const due = ((performance.now() - begin) / 1000) * perSecond
    for (; n < Math.min(due, perSecond * SECONDS); n++) send(n)
    await delay(10)
  }
}

describe('250 heads of 14 KB a second whose key is never found', () => {
  test.each([
    ['of one signature', [], () => 'A'],
    ['of one signature, observing', ['--observe'], () => 'A'],
    ['of signatures that differ', [], (n: number) => n.toString(36).toUpperCase()]
  ])('%s: genuine requests pass, in bounded memory', async (name, args, signature) => {
    const { port, expectUnharmed } = await start(args)
    const attack = flood(250, n => open(port, madeUp(signature(n))))
    expectUnharmed(name, await latencies(port, attack))
  })
})

test('a body that is withheld while observing stalls nobody', async () => {
  const { port } = await start(['--observe', '--max-connections', '3000'])
  const bytes = wire(service.sign({ target: '/hook', body: 'withheld' }), [['Connection', 'close']])
  open(port, bytes.subarray(0, -1))
  await delay(100)
  const begin = performance.now()
  const others: string[] = []
  // The application runs in this process: the attack stays within what it can accept.
  while (others.length < 2000)
    others.push(...(await Promise.all(Array.from({ length: 250 }, () => open(port, bytes).closed))))
  console.info(`2000 beside one that is withheld: ${Math.round(performance.now() - begin)} ms`)
  expect(others.map(answer => statusesOf(answer).join()).filter(statuses => statuses !== '200')).toEqual([])
})

test('SIGTERM ends in the time of --drain, although 2000 requests wait for DNS', async () => {
  const { port, stop } = await start(['--drain', '1000', '--max-connections', '4000'])
  for (let n = 0; n < 2000; n++) open(port, madeUp())
  await delay(1500)
  const begin = performance.now()
  expect(await stop()).toBe(1)
  console.info(`SIGTERM: ${Math.round(performance.now() - begin)} ms`)
  expect(performance.now() - begin).toBeLessThan(5000)
})

test('of 3000 senders that leave while DNS is asked nothing is held', async () => {
  const admin = `127.0.0.1:${await freePort()}`
  const { port } = await start(['--lookup-timeout', '600000', '--max-connections', '8000', '--admin', admin])
  for (let n = 0; n < 3000; n += 500) {
    // Each batch asks for another name, because DNS would give up on one.
    const head = madeUp('A', `${n}${SILENT}`)
    const sockets = Array.from({ length: 500 }, () => open(port, head).socket)
    await Promise.all(sockets.map(socket => once(socket, 'connect')))
    // Its answer shows that the heads before it were read.
    const signed = service.sign({ target: `/after/${n}`, body: '' })
    expect(statusesOf(await open(port, wire(signed, [['Connection', 'close']])).closed)).toEqual([200])
    for (const socket of sockets) socket.destroy()
  }
  // The senders end these requests themselves: DNS that gives up has another code.
  await until(async () => {
    const metrics = await (await fetch(`http://${admin}/metrics`)).text()
    const counts = [...metrics.matchAll(/code="key-lookup-failed",signed="\w+"\} (\d+)/g)].map(([, n]) => Number(n))
    return counts.reduce((sum, n) => sum + n, 0) >= 3000
  })
})

describe('copies of one captured head', () => {
  const SIZE = 1_000_000

  test.each([
    ['with bodies that are withheld', 80, 200_000, '', false],
    ['with bodies that drip', 80, 0, '', true],
    ['with bodies that end with another byte', 20, SIZE - 1, 'y', false]
  ])('%s: genuine requests pass, in bounded memory', async (name, perSecond, sent, end, isDripping) => {
    const { port, expectUnharmed } = await start()
    const bytes = wire(service.sign({ target: '/captured', body: Buffer.alloc(SIZE, 'x') }))
    let refused = 0
    const attack = flood(perSecond, () => {
      const { socket, closed } = open(port, Buffer.concat([bytes.subarray(0, sent - SIZE), Buffer.from(end)]))
      const drip = isDripping && setInterval(() => socket.write('x'.repeat(200)), 250)
      closed.then(answer => {
        if (drip) clearInterval(drip)
        if (/^HTTP\/1\.1 503 [\s\S]*Retry-After/i.test(answer)) refused += 1
      })
    })
    expectUnharmed(name, await latencies(port, attack))
    console.info(`${refused} were told to try again`)
  })
})

/** Makes a captured head without a length, as of a streaming sender: its body may have any size. */
function chunkedHead(): Buffer {
  const signed = service.sign({ target: '/captured', body: 'x'.repeat(1000), headers: { 'Content-Length': undefined } })
  const bytes = wire({ ...signed, body: '' }).toString('latin1')
  return Buffer.from(bytes.replace('Content-Length: 0', 'Transfer-Encoding: chunked'), 'latin1')
}

describe('copies of one captured chunked head', () => {
  const chunk = (size: number) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`

  test.each([
    ['in pieces of one byte', 60, chunk(1).repeat(105_000)],
    ['in pieces of 65 bytes', 60, chunk(65).repeat(9000)],
    ['in pieces of 1 KB', 60, chunk(1024).repeat(600)],
    ['in pieces of 64 KB', 20, chunk(65_536).repeat(150)]
  ])('%s: genuine requests pass, in bounded memory', async (name, perSecond, body) => {
    const { port, expectUnharmed } = await start()
    const bytes = Buffer.concat([chunkedHead(), Buffer.from(body)])
    const attack = flood(perSecond, () => open(port, bytes))
    const all = await latencies(port, attack)
    // The rest of the flood delays nobody.
    all.push(...(await latencies(port, delay(2000))))
    expectUnharmed(name, all)
  })
})

test('copies whose answers are not read, observing: genuine requests pass, in bounded memory', async () => {
  const { port, expectUnharmed } = await start(['--observe', '--upstream-timeout', '60000'], (res, { target }) =>
    res.end(target === '/captured' ? Buffer.alloc(12_000_000) : 'done')
  )
  const bytes = wire(service.sign({ target: '/captured', body: Buffer.alloc(1_000_000, 'x') }))
  const attack = flood(10, () => {
    open(port, bytes).socket.pause()
  })
  expectUnharmed('answers that are not read', await latencies(port, attack))
})

/** Uploads a genuine body in parts over this many milliseconds; returns the status. */
async function slowUpload(port: number, bytes: Buffer, duration: number): Promise<number | undefined> {
  const parts = 20
  const size = Math.ceil(bytes.length / parts)
  const { socket, closed } = open(port, bytes.subarray(0, size))
  for (let at = size; at < bytes.length; at += size) {
    await delay(duration / parts)
    socket.write(bytes.subarray(at, at + size))
  }
  return statusesOf(await closed)[0]
}

describe('genuine uploads', () => {
  const uploads = (count: number, size: number) =>
    Array.from({ length: count }, () =>
      wire(service.sign({ target: `/upload/${next++}`, body: Buffer.alloc(size, 'x') }), [['Connection', 'close']])
    )
  let next = 0

  test('50 of 1 MB at once, over 3 seconds, pass in bounded memory', async () => {
    const { port, expectUnharmed } = await start()
    const all = Promise.all(uploads(50, 1_000_000).map(bytes => slowUpload(port, bytes, 3000)))
    expectUnharmed('beside 50 uploads of 1 MB', await latencies(port, all))
    expect(await all).toEqual(Array.from({ length: 50 }, () => 200))
  })

  test('of 10 MB, three at a time, pass in bounded memory', async () => {
    const { port, expectUnharmed } = await start()
    const statuses: (number | undefined)[] = []
    const three = async () => {
      for (const bytes of uploads(8, 10_000_000)) statuses.push(await slowUpload(port, bytes, 200))
    }
    expectUnharmed('beside three uploads of 10 MB', await latencies(port, Promise.all([three(), three(), three()])))
    expect(statuses).toEqual(Array.from({ length: 24 }, () => 200))
  })
})

test.each([
  ['of its own head', 1, 80],
  ['of its own head, in a faster flood', 1, 250],
  ['of five heads', 5, 80]
])(
  'a genuine upload of 7 seconds passes beside copies %s with bodies that are withheld',
  async (_, heads, perSecond) => {
    const { port, expectUnharmed } = await start()
    const uploads = Array.from({ length: heads }, (_, n) =>
      wire(service.sign({ target: `/captured/${n}`, body: Buffer.alloc(1_000_000, 'x') }), [['Connection', 'close']])
    )
    const upload = slowUpload(port, uploads[0]!, 7000)
    const attack = flood(perSecond, n => {
      const { socket } = open(port, uploads[n % heads]!.subarray(0, 100_000))
      const drip = setInterval(() => socket.write('x'), 150)
      socket.on('close', () => clearInterval(drip))
    })
    expectUnharmed('beside a slow upload', await latencies(port, attack))
    expect(await upload).toBe(200)
  }
)

test.each([
  ['that send nothing', ''],
  ['with half a head', 'POST / HTTP/1.1\r\nX-Note: ']
])('as many connections %s as there may be shut nobody out, although they come again', async (name, sent) => {
  const { port, expectUnharmed } = await start(['--max-connections', '200'])
  let isOver = false
  const again = () => {
    if (!isOver) void open(port, Buffer.from(sent)).closed.then(() => setTimeout(again, 10))
  }
  for (let n = 0; n < 200; n++) again()
  await delay(500)
  const all = await latencies(port, delay(SECONDS * 1000))
  isOver = true
  expectUnharmed(name, all)
})

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { startDnsServer } from '../../test/support/dns-server.ts'
import { service } from '../../test/support/service.ts'
import { send, wire } from '../../test/support/wire.ts'
import { latencies } from './floods/genuine.ts'
import type { Flood, Outcome } from './floods/sender.ts'
import { UNWANTED } from './floods/unwanted.ts'
import { startApplication } from './start.ts'
import { type Running, startGatewayProcess, startProcess } from './support/process.ts'

/** docs/threat-model.md has figures of 20 s. */
const SECONDS = Number(process.env['FLOOD_SECONDS'] ?? 2)
const PER_SECOND = 5000
const CONNECTIONS = 120
const IN_TURN = 32

/** Bytes that the gateway may write a second of refusals, in either log. */
const MOST_LOGGED = 20_000
const MOST_FILES = 50

const bundled = (name: string): string => join(inject('bundles'), `dist/${name}.js`)

async function startDns() {
  const dns = await startDnsServer(service.records)
  onTestFinished(dns.close)
  return dns.address
}

/** Floods a receiver beside a genuine sender; prints what came of it, and expects that no genuine request was lost. */
async function expectUnharmed(
  name: string,
  { child, said }: Running,
  port: number,
  [kind, code, make]: (typeof UNWANTED)[number]
) {
  const signed = Array.from({ length: IN_TURN }, (_, i) =>
    service.sign({ target: `/hook?id=${i}`, body: Buffer.alloc(1024, 'x') })
  )
  if (code === 'replayed') await Promise.all(signed.map(request => send(port, request)))
  const flood: Flood = {
    port,
    requests: signed.map(request => wire(make(request)).toString('base64')),
    connections: CONNECTIONS,
    perSecond: PER_SECOND,
    seconds: SECONDS
  }
  const proc = (file: string) => readFileSync(`/proc/${child.pid}/${file}`, 'utf8')
  /** Linux counts in hundredths of a second; the fields begin behind the name, which is in brackets. */
  const cpu = () => {
    const fields = proc('stat')
      .replace(/^.*\) /, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  }
  const sender = fork(bundled('flood-sender'), { execArgv: [] })
  onTestFinished(() => void sender.kill())
  sender.send(flood)
  await once(sender, 'message')
  const before = cpu()
  const over = once(sender, 'message') as Promise<[Outcome]>
  const genuine = await latencies(port, over)
  const [{ sent, answers, closed }] = await over

  const used = (cpu() - before) / SECONDS
  const memory = Number(/VmHWM:\s+(\d+)/.exec(proc('status'))![1]) >> 10
  const logged = said.stdout.length + said.stderr.length
  const answered = Object.values(answers).reduce((sum, count) => sum + count, 0)
  const perSecond = (count: number) => Math.round(count / SECONDS)
  const sorted = [...genuine].sort((a, b) => a - b)
  // Speed and latency are printed, not asserted: they depend on the machine's load.
  console.info(
    `${name}, ${kind}: ${perSecond(sent)} sent a second, ${perSecond(answered)} answered, ${closed} closed; ` +
      `${genuine.length} genuine, half in ${Math.round(sorted[sorted.length >> 1]!)} ms, ` +
      `all in ${Math.round(sorted.at(-1)!)} ms; ` +
      `${Math.round(used * 100)} % of a core, ${memory} MB, ${perSecond(logged)} bytes of log a second`
  )
  expect(child.exitCode).toBe(null)
  expect(Object.keys(answers)).toEqual(['401'])
  expect(genuine.length).toBeGreaterThan(0)
  expect(genuine.filter(Number.isNaN)).toEqual([])
  expect(memory).toBeLessThan(250)
  return { logged }
}

const env = { NODE_OPTIONS: '--max-old-space-size=128' }

describe.each(['json', 'text'])('the gateway with --log %s beside thousands a second', log => {
  test.each(UNWANTED)('%s: genuine requests pass, in bounded memory and log', async (...kind) => {
    const application = await startApplication()
    onTestFinished(application.close)
    const gateway = await startGatewayProcess(application.url, await startDns(), ['--log', log], env)
    const port = Number(gateway.address.split(':')[1])
    const { logged } = await expectUnharmed(`gateway, ${log}`, gateway, port, kind)
    expect(logged).toBeLessThan(MOST_LOGGED * (SECONDS + 2))
  })
})

describe('nodeHandler beside thousands a second', () => {
  test.each(UNWANTED)('%s: genuine requests pass, in bounded memory and files', async (...kind) => {
    const directory = mkdtempSync(join(tmpdir(), 'signed-requests-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const command = [process.execPath, bundled('flood-receiver'), await startDns(), directory]
    const receiver = startProcess(command, { env: { PATH: process.env['PATH'], ...env } })
    const [, port] = await receiver.says(/listening on 127\.0\.0\.1:(\d+)/)
    await expectUnharmed('nodeHandler', receiver, Number(port), kind)
    const files = readdirSync(directory).length
    console.info(`${files} recorded`)
    expect(files).toBeLessThanOrEqual(MOST_FILES)
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createVerifier, logRecord, type ReceivedRequest } from 'signed-requests'
import { createRecorder } from 'signed-requests/recorder'
import { createTestService, serveDns, type TestService } from 'signed-requests/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { blocksOf, type CodeBlock } from '../../test/meta/docs/pages.ts'
import { CLI } from '../../test/support/cli.ts'
import { send } from '../../test/support/wire.ts'
import { createRequestLog } from '../src/request-log.ts'
import { startWithAdmin } from './support/admin.ts'

// The page's commands need a shell, but npm test does not.

/** Returns the blocks of one incident of the page: each command with its output. */
function blocksOfIncident(name: string): (readonly [command: string, output: RegExp])[] {
  const blocks = blocksOf('docs/troubleshooting.md')
  const start = blocks.findIndex(({ note }) => note === `incident: ${name}`)
  const found: (readonly [string, RegExp])[] = []
  for (let at = start; blocks[at]?.language === 'sh' && blocks[at + 1]?.language === 'console'; at += 2) {
    if (at > start && blocks[at]!.note !== '') break
    found.push([blocks[at]!.code, patternOf(blocks[at + 1]!)])
  }
  return found
}

/** Matches an output in which the page abbreviates with `...` and breaks long lines of JSON. */
const patternOf = ({ code }: CodeBlock): RegExp => {
  const parts = code.replace(/^(\{.*,)\n/gm, '$1').split('...')
  return new RegExp(`^${parts.map(part => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('[^]*?')}$`)
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'incidents-'))
  const npx = join(folder, 'npx')
  writeFileSync(npx, `#!/bin/sh\nshift\nexec '${process.execPath}' '${CLI}' "$@"\n`)
  chmodSync(npx, 0o755)
})
afterAll(() => rmSync(folder, { recursive: true }))

const NIGHT = '2026-11-24T'
const at = (time: string) => vi.setSystemTime(`${NIGHT}${time}Z`)
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
})

/** Makes a folder for one incident, and its service with a DNS server, which the commands ask. */
async function startIncident(name: string) {
  const cwd = join(folder, name)
  mkdirSync(cwd)
  at('02:50:00')
  const service = createTestService()
  const dns = await serveDns(service)
  onTestFinished(dns.close)
  const env = {
    ...process.env,
    PATH: `${folder}${delimiter}${process.env['PATH']}`,
    SIGNED_REQUESTS_DNS_SERVER: dns.address,
    NO_COLOR: '1'
  }
  /** Runs the page's commands, and compares their output. */
  async function runCommands(): Promise<void> {
    const blocks = blocksOfIncident(name)
    expect(blocks.length).toBeGreaterThan(0)
    expect(blocks.length).toBeLessThanOrEqual(3)
    for (const [command, output] of blocks) {
      const child = spawn('sh', ['-c', `exec 2>&1; ${command}`], { cwd, env })
      let text = ''
      child.stdout.setEncoding('utf8').on('data', chunk => {
        text += chunk
      })
      await once(child, 'close')
      expect(text).toMatch(output)
    }
  }
  return { cwd, service, runCommands }
}

const BODY = '{"event": "published", "id": 42}'
const sign = (service: TestService, more: Parameters<TestService['sign']>[0] = {}) =>
  service.sign({ method: 'POST', target: '/hooks/in', body: BODY, ...more })
const scan: ReceivedRequest = { method: 'GET', target: '/.env', headers: [['Host', 'x']], body: null, https: true }

/** Starts a gateway whose log is the page's file. */
async function startGatewayOf({ cwd, service }: { cwd: string; service: TestService }) {
  const gateway = await startWithAdmin({ verifier: service.options })
  const log = createRequestLog('json', line => appendFileSync(join(cwd, 'gateway.log'), `${line}\n`))
  let count = 0
  const take = async (request: ReceivedRequest) => {
    await send(gateway.address, request)
    count += 1
    log((await gateway.over(count)).at(-1)!)
  }
  return { ...gateway, take }
}

/** Starts a receiver with a recorder and a log, as in the example of docs/testing.md. */
function startReceiverOf({ cwd, service }: { cwd: string; service: TestService }) {
  const recorder = createRecorder({ directory: join(cwd, 'refused') })
  const verify = createVerifier({ ...service.options, recorder })
  return async (request: ReceivedRequest) => {
    const verdict = await verify(request)
    if (verdict.status !== 'verified')
      appendFileSync(join(cwd, 'receiver.log'), `${JSON.stringify({ time: new Date(), ...logRecord(verdict) })}\n`)
    await recorder.written()
  }
}

describe('after an incident, of docs/troubleshooting.md:', () => {
  test('a rotation that went wrong', async () => {
    const incident = await startIncident('rotation')
    const { take } = await startGatewayOf(incident)
    await take(sign(incident.service))
    await take(scan)
    at('04:00:07')
    delete incident.service.records[incident.service.rotateKey()]
    for (const time of ['04:00:07', '04:31:22']) {
      at(time)
      await take(sign(incident.service))
      await take(scan)
    }
    await incident.runCommands()
  })

  test('a proxy that strips a part of the path', async () => {
    const incident = await startIncident('proxy')
    const take = startReceiverOf(incident)
    await take(sign(incident.service))
    await take(scan)
    const forger = createTestService()
    for (const time of ['03:12:40', '03:17:41']) {
      at(time)
      await take({ ...sign(incident.service), target: '/in' })
      await take(sign(forger))
      await take(scan)
    }
    await incident.runCommands()
  })

  test('a clock that is slow', async () => {
    const incident = await startIncident('clock')
    const take = startReceiverOf(incident)
    for (const time of ['06:20:15', '06:20:16']) {
      at(time)
      await take(scan)
      await take(sign(incident.service, { date: new Date(Date.now() + 7 * 60_000) }))
    }
    await incident.runCommands()
  })
})

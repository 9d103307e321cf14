import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Application, startApplication } from '../../gateway/test/start.ts'
import { type DnsServer, serveDns } from '../../src/testing/index.ts'
import { service } from '../support/service.ts'
import { send, statusesOf } from '../support/wire.ts'
import { RUNTIMES } from './runtimes.ts'

const GATEWAY = fileURLToPath(new URL('../../gateway/dist/cli.js', import.meta.url))
const RECEIVER = ['--domain', 'service.example', '--host', 'receiver.example', '--account', '1234']
const ALWAYS = [...RECEIVER, '--listen', '127.0.0.1:0', '--https', 'always']
let dns: DnsServer
let application: Application
const folder = mkdtempSync(join(tmpdir(), 'gateway-sqlite-'))
const running: ChildProcess[] = []

beforeAll(async () => {
  dns = await serveDns(service)
  application = await startApplication()
})
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})
afterAll(async () => {
  await Promise.all([dns.close(), application.close()])
  rmSync(folder, { recursive: true })
})

// Node.js 20 does not have node:sqlite; the gateway's tests cover its message there.
const RUNNING = RUNTIMES.filter(runtime => ['node-22', 'node-24', 'node-26'].includes(runtime.package))

describe.each(RUNNING)('--sqlite on $package', ({ package: name }) => {
  const node = fileURLToPath(new URL(`node_modules/${name}/bin/node`, import.meta.url))
  const file = join(folder, `${name}.db`)

  /** @returns the address on which the process listens */
  async function start(): Promise<string> {
    const options = ['--upstream', application.url.href, '--dns-server', dns.address, '--sqlite', file]
    const child = spawn(node, [GATEWAY, ...ALWAYS, ...options])
    running.push(child)
    child.stdout.resume()
    let notes = ''
    return new Promise((resolve, reject) => {
      child.on('close', () => reject(new Error(notes)))
      child.stderr.on('data', chunk => {
        notes += chunk
        const [, address] = /listening on http:\/\/(\S+)/.exec(notes) ?? []
        if (address !== undefined) resolve(address)
      })
    })
  }

  test('two processes accept a request once, and a restart of both accepts it not at all', async () => {
    const both = await Promise.all([start(), start()])
    const signed = service.sign({ target: `/${name}`, body: '{}' })
    const statuses = await Promise.all(both.map(async address => statusesOf(await send(address, signed))))
    expect(statuses.flat().sort()).toEqual([200, 401])
    expect(application.seen.filter(({ target }) => target === `/${name}`)).toHaveLength(1)
    expect(statSync(file).mode & 0o777).toBe(0o600)

    const ended = running.map(child => once(child, 'exit'))
    for (const child of running.splice(0)) child.kill('SIGKILL')
    await Promise.all(ended)
    for (const address of await Promise.all([start(), start()]))
      expect(statusesOf(await send(address, signed))).toEqual([401])
  })
})

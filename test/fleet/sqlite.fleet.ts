import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startProcess } from '../../gateway/test/support/process.ts'
import { serveDns } from '../../src/testing/index.ts'
import { freePort } from '../support/free-port.ts'
import { service } from '../support/service.ts'
import { ALL_ONCE, createWork, underLoad } from './load.ts'
import type { Given } from './sqlite-receivers.ts'

const NODE = fileURLToPath(new URL('node_modules/node-22/bin/node', import.meta.url))
const PROGRAM = fileURLToPath(new URL('sqlite-receivers.ts', import.meta.url))
const WAL = fileURLToPath(new URL('sqlite-wal.ts', import.meta.url))

// npm has it for Linux on x64.
test.skipIf(!existsSync(NODE))(
  'workers of node:cluster that are killed, and all of them at once, share what SQLite holds',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sqlite-fleet-'))
    onTestFinished(() => rmSync(folder, { recursive: true, maxRetries: 5 }))
    const dns = await serveDns(service)
    onTestFinished(dns.close)
    const { serviceDomain, hosts, accounts, accountHeader } = service.options
    const options = { serviceDomain, hosts, accounts, accountHeader }
    const log = join(folder, 'work.log')
    const given: Given = { port: await freePort(), dns: dns.address, file: join(folder, 'replay.db'), log, options }
    const start = async () => {
      const running = startProcess([NODE, PROGRAM, JSON.stringify(given)])
      await running.says(/listening/)
      return running
    }
    let running = await start()

    const work = createWork()
    const counts = await underLoad(
      [given.port],
      work,
      async () => {
        for (let killed = 0; killed < 6; killed++) {
          running.child.kill('SIGUSR2')
          await sleep(300)
        }
        await running.stop('SIGKILL')
        running = await start()
      },
      () => {
        const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []
        for (const line of lines) work.note(JSON.parse(line))
      }
    )
    console.log('SQLite, workers killed:', counts)
    expect(counts).toMatchObject(ALL_ONCE)
  }
)

test.skipIf(!existsSync(NODE))('a backup that reads in one transaction grows the WAL, and VACUUM INTO does not', () => {
  const sizes = JSON.parse(execFileSync(NODE, [WAL], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
  console.log('SQLite, bytes of the WAL after 10,000 claims:', sizes)
  expect(sizes.whileRead).toBeGreaterThan(10 * sizes.undisturbed)
  expect(sizes.whileCopied).toBeLessThan(2 * sizes.undisturbed)
})

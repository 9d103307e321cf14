import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createTestService } from '../../src/testing/index.ts'
import '../../test/meta/examples/resolver.ts'
import { pairs } from '../../test/meta/examples/kinds.ts'
import { behindProxy } from '../../test/meta/examples/senders.ts'
import { type DnsServer, startDnsServer } from '../../test/support/dns-server.ts'

const service = createTestService({ rsaBits: 1024 })
const order = () =>
  service.sign({ target: '/hook', headers: { 'Content-Type': 'application/json' }, body: '{"id":1}' })
const forged = () => ({ ...order(), body: '{"id":2}' })

let dns: DnsServer
const log = vi.spyOn(console, 'log').mockReturnValue()
const warn = vi.spyOn(console, 'warn').mockReturnValue()
beforeAll(async () => {
  dns = await startDnsServer(service.records)
  vi.stubEnv('DNS_SERVER', dns.address)
  vi.stubEnv('PORT', '0')
})
beforeEach(() => {
  log.mockClear()
  warn.mockClear()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await dns.close()
})

const logged = (status: string) =>
  vi.waitUntil(() => log.mock.calls.some(([line]) => String(line).includes(`"status":"${status}"`)))

async function start(example: string) {
  const { server }: { server: Server } = await import(`../${example}.ts`)
  if (!server.listening) await once(server, 'listening')
  return { server, send: behindProxy((server.address() as AddressInfo).port).send }
}

test('introduce-express acts as before on every request, and logs its verdict', async () => {
  const { server, send } = await start('introduce-express')
  expect(await send(order())).toBe(204)
  await logged('verified')
  expect(warn).not.toHaveBeenCalled()
  expect(await send(forged())).toBe(204)
  await logged('rejected')
  expect(log).toHaveBeenCalledWith(expect.stringContaining('digest-mismatch'))
  // express.json() does not parse this.
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  for (const request of [{}, { method: 'POST', headers: form, body: 'id=1' }]) {
    log.mockClear()
    await send(service.sign({ target: '/hook', ...request }))
    await logged('verified')
  }
  server.close()
})

test('introduce-express is JavaScript, too, as the page says', () => {
  const folder = mkdtempSync(join(tmpdir(), 'introduce-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync('examples/introduce-express.ts', join(folder, 'app.mjs'))
  execFileSync(process.execPath, ['--check', join(folder, 'app.mjs')])
})

test('introduce-fetch acts as before on every request, and logs its verdict', async () => {
  const { default: app } = await import('../introduce-fetch.ts')
  const send = async ({ target, headers, body }: ReturnType<typeof order> | ReturnType<typeof forged>) => {
    const url = `https://receiver.example${target}`
    const lines = pairs({ headers } as ReturnType<typeof order>) as [string, string][]
    const response = await app.fetch(
      new Request(url, { method: 'POST', headers: lines, body: body as string })
    )
    return response.json()
  }
  expect(await send(order())).toEqual({ id: 1 })
  await logged('verified')
  expect(await send(forged())).toEqual({ id: 2 })
  await logged('rejected')
})

test('introduce-retry asks for everything that it refuses again', async () => {
  const { server, send } = await start('introduce-retry')
  expect(await send(order())).toBe(204)
  expect(await send(forged())).toBe(503)
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('digest-mismatch'))
  server.close()
})

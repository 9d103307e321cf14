import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createTestService, serveDns } from '../../../src/testing/index.ts'
import { buildCommandLine, type CommandLine } from '../../../test/support/cli.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { redisServer } from '../../../test/unit/replay/redis-server.ts'
import { send, startApplication } from '../start.ts'
import { ask, listen } from '../support/admin.ts'

let cli: CommandLine
beforeAll(async () => {
  cli = await buildCommandLine()
})
afterAll(() => cli.close())

/** Two workers, with these options beside their own, until the test is over. */
async function startWorkers(more: readonly string[]) {
  const service = createTestService()
  const application = await startApplication()
  const dns = await serveDns(service)
  const args = ['--workers=2', '--https=always', '--listen=127.0.0.1:0', '--admin=127.0.0.1:0']
  const about = ['--domain=service.example', '--host=receiver.example', '--account=1234']
  const gateway = spawn(process.execPath, [
    join(cli.folder, 'cli.js'),
    'gateway',
    ...args,
    ...about,
    `--upstream=${application.url.origin}`,
    `--dns-server=${dns.address}`,
    ...more
  ])
  /** Resolves to the exit code. */
  const stop = async () => {
    if (gateway.exitCode === null) {
      gateway.kill('SIGTERM')
      await once(gateway, 'exit')
    }
    return gateway.exitCode
  }
  onTestFinished(async () => {
    await stop()
    await application.close()
    await dns.close()
  })
  gateway.stdout.resume()
  const errors = { text: '' }
  gateway.stderr.on('data', text => {
    errors.text += text
  })
  const until = async (pattern: RegExp) => {
    while (!pattern.test(errors.text)) await once(gateway.stderr, 'data')
  }
  await until(/admin page on \S+\s/)
  const [, address = ''] = /workers listen on (\S+)/.exec(errors.text) ?? []
  const [, admin = ''] = /admin page on http:\/\/(\S+)\//.exec(errors.text) ?? []
  return { service, gateway, address, port: Number(new URL(`http://${admin}`).port), errors, until, stop }
}

test('reports that are left when the workers end are not an error', async () => {
  const { service, address, errors, stop } = await startWorkers(['--replay=none'])
  await send(address, service.sign({ target: '/hook' }))
  expect(await stop()).toBe(0)
  expect(errors.text).not.toContain('Error')
})

test('a worker that cannot start is replaced until one can', async () => {
  const redis = await redisServer({ durable: true })
  onTestFinished(redis.remove)
  await redis.start()
  const { service, gateway, address, until } = await startWorkers([
    `--redis=redis://127.0.0.1:${redis.port}`,
    // Any free one would be another one then, as no worker is left that has it.
    `--listen=127.0.0.1:${await freePort()}`
  ])
  const workers = execFileSync('pgrep', ['-P', String(gateway.pid)], { encoding: 'utf8' })
    .trim()
    .split('\n')
  await redis.kill()
  for (const pid of workers) process.kill(Number(pid), 'SIGKILL')
  await until(/(?:is replaced[\s\S]*){4}/)
  await redis.start()
  await vi.waitFor(
    async () => expect(await send(address, service.sign({ target: '/hook' }))).toMatch(/^HTTP\/1\.1 200 /),
    { timeout: 15_000, interval: 200 }
  )
})

test.each([false, true])(
  'what several workers let through and refuse is on one page, redacted: %s',
  async redact => {
    const { service, address, port } = await startWorkers(['--replay=none', ...(redact ? ['--redact'] : [])])

    const large = service.sign({ method: 'POST', target: '/large', body: Buffer.alloc(200_000, 'x') })
    await send(address, large)
    await send(address, {
      ...service.sign({ target: '/changed', body: '{"id":1}' }),
      body: Buffer.from('{"id":2}')
    })
    await send(address, { ...service.sign({ target: '/signed', body: '{"id":1}' }), target: '/other' })
    const page = listen(port)
    await page.hasRows(3)
    expect(Object.fromEntries(page.rows().map(({ target, codes }) => [target, codes]))).toEqual({
      '/large': [],
      '/changed': ['digest-mismatch'],
      '/other': ['signature-mismatch']
    })
    const open = async (target: string) => {
      const number = page.rows().find(row => row.target === target)?.number
      return JSON.parse((await ask(port, `/requests/${page.batches[0]?.run}-${number}`)).body)
    }
    expect((await open('/other')).fixture).toContain('signature-mismatch')
    const changed = await open('/changed')
    const preview = await open('/large')
    if (redact) {
      expect([changed.body.text, changed.fixture, preview.body.text]).toEqual(['', undefined, ''])
    } else {
      expect(changed.body.text).toBe('{"id":2}')
      expect(changed.fixture).toContain('digest-mismatch')
      expect([preview.body.text.length, preview.body.length]).toEqual([4096, 200_000])
    }
    const { body } = await ask(port, '/metrics')
    expect(body).toContain('signed_requests_failures_total{code="digest-mismatch"} 1')
    expect(body).toContain(
      'signed_requests_requests_total{verdict="verified",status="2xx",upstream="answered"} 1'
    )
    expect(await ask(port, '/healthz')).toMatchObject({ status: 200 })
  }
)

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestService, serveDns } from '../../../src/testing/index.ts'
import { buildCommandLine, type CommandLine } from '../../support/cli.ts'
import { send, startApplication } from '../start.ts'
import { ask, listen } from '../support/admin.ts'

let cli: CommandLine
beforeAll(async () => {
  cli = await buildCommandLine()
})
afterAll(() => cli.close())

test.each([false, true])(
  'what several workers let through and refuse is on one page, redacted: %s',
  async redact => {
    const service = createTestService()
    const application = await startApplication()
    const dns = await serveDns(service)
    const args = [
      'gateway',
      '--workers=2',
      '--replay=none',
      '--https=always',
      '--listen=127.0.0.1:0',
      '--admin=127.0.0.1:0'
    ]
    const about = [
      '--domain=service.example',
      '--host=receiver.example',
      '--account=1234',
      `--dns-server=${dns.address}`
    ]
    const more = [`--upstream=${application.url.origin}`, ...(redact ? ['--redact'] : [])]
    const gateway = spawn(process.execPath, [join(cli.folder, 'cli.js'), ...args, ...about, ...more])
    onTestFinished(async () => {
      if (gateway.exitCode === null) {
        gateway.kill('SIGTERM')
        await once(gateway, 'exit')
      }
      await application.close()
      await dns.close()
    })
    gateway.stdout.resume()
    let said = ''
    for await (const text of gateway.stderr) {
      said += text
      if (/admin page on \S+\s/.test(said)) break
    }
    const [, address = ''] = /workers listen on (\S+)/.exec(said) ?? []
    const [, admin = ''] = /admin page on http:\/\/(\S+)\//.exec(said) ?? []
    const port = Number(new URL(`http://${admin}`).port)

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

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CLI, GATEWAY_CLI } from '../../test/support/cli.ts'
import { makeCertificate } from '../../test/support/https.ts'
import { freePorts } from '../../test/support/nginx.ts'
import { commandOfPage, deployedFile, fileOfPage } from './docs-commands.ts'
import { startProcess } from './support/process.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-page-'))
})
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }))

/** Runs a command of the page; the two of the packages are files here. */
const commandOf = (name: string): string =>
  commandOfPage(name)
    .trimEnd()
    .replace('npx signed-requests-gateway', `${process.execPath} ${GATEWAY_CLI}`)
    .replace('npx signed-requests ', `${process.execPath} ${CLI} `)

test('"In two minutes" of docs/gateway.md: a signed request reaches PHP, and a forged one does not', async () => {
  writeFileSync(join(folder, 'hook.php'), fileOfPage('hook.php'))
  const ports = await freePorts(3)
  // The command of the page uses the default port.
  const env = { ...process.env, SIGNED_REQUESTS_LISTEN: `127.0.0.1:${ports[1]}` }
  const start = (name: string, more = '') => {
    const here = ['9000', '8080', '5353'].reduce(
      (text, port, i) => text.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${ports[i]}`),
      commandOf(name)
    )
    return startProcess(['sh', '-c', `exec ${here} ${more}`], { cwd: folder, env })
  }
  const send = async (more?: string) => {
    const { said, exit } = start('send', more)
    return { code: await exit, text: said.stdout }
  }
  const php = start('application')
  await php.says(/Development Server .* started/)
  const gateway = start('gateway')
  await gateway.says(/listening on/)
  expect((await send()).text).toContain('8 bytes for account 1234')
  // A refused forgery is the sender's success.
  expect(await send('--tamper body')).toEqual({ code: 0, text: expect.stringContaining('401') })
  await gateway.says(/digest-mismatch/)
  expect((await send()).code).toBe(0)
  // PHP answers each on a connection of its own.
  expect(`${php.said.stdout}${php.said.stderr}`.match(/Accepted/g)).toHaveLength(2)
})

test('the command with a certificate has good options', async () => {
  const { key, cert } = await makeCertificate('hooks.example.com')
  writeFileSync(join(folder, 'hooks.example.com.key'), key)
  writeFileSync(join(folder, 'hooks.example.com.pem'), cert)
  const run = spawnSync('sh', ['-c', `${commandOf('tls')} --check`], { cwd: folder, encoding: 'utf8' })
  expect([run.stderr, run.stdout]).toEqual(['', 'the options are good\n'])
})

describe('the systemd unit', () => {
  /** Writes the unit with another program: the reader's installation is not under test. */
  const unit = (more = '') => {
    const path = join(folder, 'signed-requests-gateway@8080.service')
    const text = deployedFile('signed-requests-gateway@.service')
    writeFileSync(path, text.replaceAll('/usr/local/bin/signed-requests-gateway', process.execPath) + more)
    return path
  }
  const verify = (path: string) => spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' })

  test('passes systemd-analyze verify without a message', () => {
    expect(verify(unit())).toMatchObject({ stderr: '', stdout: '', status: 0 })
  })

  test('fails systemd-analyze verify with a mistake in it', () => {
    expect(verify(unit('\n[Service]\nProtectHome=perhaps\n')).stderr).toContain('protect home')
  })

  test('is hardened: systemd-analyze security reports a low exposure', () => {
    // The command fails above the threshold; 10 means no protection at all.
    const args = ['security', '--offline=true', '--threshold=20', '--no-pager', unit()]
    expect(execFileSync('systemd-analyze', args, { encoding: 'utf8' })).toMatch(/exposure level .*: 1\.\d/)
  })
})

test('the health check of the Dockerfile passes while a gateway listens, without a line in its log, and fails after it', async () => {
  const [port = 0] = await freePorts(1)
  const [, command = ''] = /^HEALTHCHECK .* CMD (node -e \\\n.*)$/m.exec(deployedFile('Dockerfile')) ?? []
  const env = { ...process.env, SIGNED_REQUESTS_LISTEN: `0.0.0.0:${port}` }
  const check = () => spawnSync('sh', ['-c', command], { env }).status
  const options = ['--upstream', 'http://127.0.0.1:9', '--domain', 'service.example', '--account', '1234']
  const more = ['--host', 'hooks.example.com', '--https', 'always']
  const gateway = startProcess([process.execPath, GATEWAY_CLI, ...options, ...more], { env })
  await gateway.says(/listening on/)
  expect([check(), check()]).toEqual([0, 0])
  expect(await gateway.stop()).toBe(0)
  expect(gateway.said.stdout).toBe('')
  expect(check()).toBe(1)
})

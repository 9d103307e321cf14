import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { CLI, GATEWAY_CLI } from '../../test/support/cli.ts'
import { makeCertificate } from '../../test/support/https.ts'
import { freePorts } from '../../test/support/nginx.ts'
import { commandOfPage, fileOfPage } from './docs-commands.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-page-'))
})
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }))

/** The commands of the page, as files. */
const withCommands = (text: string): string =>
  text
    .replace('npx signed-requests-gateway', `${process.execPath} ${GATEWAY_CLI}`)
    .replace('npx signed-requests ', `${process.execPath} ${CLI} `)

describe('"In two minutes" of docs/gateway.md', () => {
  const running: ChildProcess[] = []
  let ports: number[]
  beforeAll(async () => {
    writeFileSync(join(folder, 'hook.php'), fileOfPage('hook.php'))
    ports = await freePorts(3)
  })
  afterEach(async () => {
    for (const child of running.splice(0)) {
      const ended = once(child, 'exit')
      if (child.exitCode === null && child.kill()) await ended
    }
  })

  /** The command of the page on ports that are free. */
  const command = (name: string): string =>
    ['127.0.0.1:9000', '127.0.0.1:8080', '127.0.0.1:5353'].reduce(
      (text, address, i) => text.replaceAll(address, `127.0.0.1:${ports[i]}`),
      withCommands(commandOfPage(name))
    )

  /** Starts one that stays, and waits until it says this. */
  async function start(name: string, ready: RegExp): Promise<{ output: () => string }> {
    const child = spawn('sh', ['-c', `exec ${command(name).trimEnd()}`], {
      cwd: folder,
      // The command of the page takes the port that is the default.
      env: { ...process.env, SIGNED_REQUESTS_LISTEN: `127.0.0.1:${ports[1]}` }
    })
    running.push(child)
    let output = ''
    await new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', chunk => {
          output += chunk
          if (ready.test(output)) resolve()
        })
      }
      child.on('exit', () => reject(new Error(`${name} ended: ${output}`)))
    })
    return { output: () => output }
  }

  async function send(more = ''): Promise<{ code: number | null; stdout: string }> {
    const child = spawn('sh', ['-c', `exec ${command('send').trimEnd()} ${more}`], { cwd: folder })
    let stdout = ''
    child.stdout.on('data', chunk => {
      stdout += chunk
    })
    const [code] = await once(child, 'close')
    return { code, stdout }
  }

  test('a signed request reaches PHP, and a forged one does not', async () => {
    const php = await start('application', /Development Server .* started/)
    const gateway = await start('gateway', /listening on/)
    expect((await send()).stdout).toContain('8 bytes for account 1234')
    const forged = await send('--tamper body')
    expect(forged.stdout).toContain('401')
    // A forgery that was refused is what the sender of one wants.
    expect(forged.code).toBe(0)
    expect(gateway.output()).toContain('digest-mismatch')
    expect((await send()).code).toBe(0)
    // PHP answers each on a connection of its own.
    expect(php.output().match(/Accepted/g)).toHaveLength(2)
  })
})

test('the command with a certificate has good options', async () => {
  const { key, cert } = await makeCertificate('hooks.example.com')
  writeFileSync(join(folder, 'hooks.example.com.key'), key)
  writeFileSync(join(folder, 'hooks.example.com.pem'), cert)
  const command = withCommands(commandOfPage('tls').trimEnd())
  const run = spawnSync('sh', ['-c', `${command} --check`], { cwd: folder, encoding: 'utf8' })
  expect(run.stderr).toBe('')
  expect(run.stdout).toBe('the options are good\n')
})

describe('the systemd unit', () => {
  // What a reader has installed, and where: any program serves here.
  const unit = () => {
    const path = join(folder, 'signed-requests-gateway@8080.service')
    writeFileSync(
      path,
      fileOfPage('signed-requests-gateway@.service').replaceAll(
        '/usr/local/bin/signed-requests-gateway',
        process.execPath
      )
    )
    return path
  }

  test('passes systemd-analyze verify without a message', () => {
    const run = spawnSync('systemd-analyze', ['verify', '--man=no', unit()], { encoding: 'utf8' })
    expect(run.stderr + run.stdout).toBe('')
    expect(run.status).toBe(0)
  })

  test('fails systemd-analyze verify with a mistake in it', () => {
    const path = unit().replace('signed-requests-gateway', 'mistaken')
    writeFileSync(path, `${fileOfPage('signed-requests-gateway@.service')}\n[Service]\nProtectHome=perhaps\n`)
    const run = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' })
    expect(run.stderr).toContain('protect home')
  })

  test('is hardened: systemd-analyze security reports a low exposure', () => {
    // Fails above the threshold; 10 is no protection at all.
    const args = ['security', '--offline=true', '--threshold=20', '--no-pager', unit()]
    expect(execFileSync('systemd-analyze', args, { encoding: 'utf8' })).toMatch(/exposure level .*: 1\.\d/)
  })
})

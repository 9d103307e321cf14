import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { tenLines } from './ten-lines.ts'

const folder = inject('folder')
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const [page, readme, introduce, agents] = [
  'docs/testing.md',
  'README.md',
  'docs/introduce.md',
  'docs/for-agents.md'
].map(name => readFileSync(join(ROOT, name), 'utf8')) as [string, string, string, string]

/** A block of docs/testing.md, as a newcomer copies it. */
function block(name: string): string {
  const [, code] = new RegExp(`<!-- block: ${name} -->\\n\`\`\`\\w+\\n(.*?)\`\`\`\\n`, 's').exec(page) ?? []
  if (code === undefined) throw new Error(`docs/testing.md has no block ${name}`)
  return code
}

const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_UPDATE_NOTIFIER: '1' }
let receiver: ChildProcess
let said = ''

beforeAll(async () => {
  writeFileSync(join(folder, 'receiver.mjs'), block('try-it-receiver'))
  receiver = spawn(process.execPath, ['receiver.mjs'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe']
  })
  await new Promise<void>((resolve, reject) => {
    receiver.stdout?.setEncoding('utf8').on('data', text => {
      said += text
      if (said.includes('listening')) resolve()
    })
    receiver.stderr?.setEncoding('utf8').on('data', text => {
      said += text
    })
    receiver.on('exit', () => reject(new Error(`the receiver ended: ${said}`)))
  })
})
const end = async () => {
  if (receiver.exitCode !== null || receiver.signalCode !== null) return
  receiver.removeAllListeners('exit')
  receiver.kill()
  await once(receiver, 'exit')
}
afterAll(end)

/** In a shell, as it stands on the page. */
async function typed(line: string, input = '') {
  const child = spawn('sh', ['-c', line], { cwd: folder, env })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', text => {
      output[name] += text
    })
  }
  child.stdin.end(input)
  const [status] = await once(child, 'close')
  return { status, ...output }
}

test('the receiver and the send line of docs/testing.md, copied unchanged, give 200 at the first try', async () => {
  const { status, stdout, stderr } = await typed(block('try-it-send'))
  expect(stderr).not.toContain('signed-requests:')
  expect(stdout).toContain('POST http://localhost:3000/hook\nanswer: 200 OK')
  expect(status).toBe(0)
  expect(said).toMatch(/^verified: account 1234, rsa-sha256 by test\._domainkey\.service\.example$/m)
})

test('the forgery of docs/testing.md is refused and explained, on both sides', async () => {
  const { status, stdout } = await typed(block('try-it-forgery'))
  expect(stdout).toContain('tampered after signing: one byte of the body.')
  expect(stdout).toContain('answer: 401 Unauthorized')
  expect(stdout).toContain('Refused, as it should be.')
  expect(status).toBe(0)
  expect(said).toMatch(/^rejected: digest$/m)
  expect(said).toMatch(/^digest-mismatch$/m)
})

test('a captured refusal is explained by the same tool', async () => {
  const capture = 'POST /hook HTTP/1.1\nHost: localhost:3000\n\n'
  const line = 'npx signed-requests explain - --domain service.example --host localhost:3000 --account 1234'
  const { status, stdout } = await typed(line, capture)
  expect(stdout).toContain('signature-missing')
  expect(status).toBe(1)
})

/** The lines of the README that start the command, as they stand there. */
const lines = [...readme.matchAll(/^```sh\n(npx signed-requests [^`]+)```$/gm)].map(([, line]) => line!)

test('the lines of the README run as they are: the demo, the ten lines with a good request and with a forgery', async () => {
  await end() // its port is that of the README
  writeFileSync(join(folder, 'receiver.mjs'), tenLines)
  expect(lines).toHaveLength(2)
  const [demo, send] = [await typed(lines[0]!), await typed(lines[1]!)]
  expect(demo).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('All 10 verdicts are as expected.')
  })
  expect(send).toMatchObject({ status: 0, stdout: expect.stringContaining('answer: 200 OK\n\n  received\n') })
  const forgery = await typed(`${lines[1]!.trim()} --tamper body`)
  expect(forgery).toMatchObject({ status: 0, stdout: expect.stringContaining('answer: 401 Unauthorized') })
  expect(forgery.stderr).toContain('digest-mismatch')
})

test('the commands of docs/for-agents.md prove the ten lines', async () => {
  const [good, forged, again, ...others] = [...agents.matchAll(/^```sh\n(npx signed-requests send [^`]+)```$/gm)].map(
    ([, line]) => line!
  )
  expect(others).toEqual([])
  expect(await typed(good!)).toMatchObject({ status: 0, stdout: expect.stringContaining('answer: 200 OK') })
  for (const part of ['body', 'date', 'host', 'account', 'signature']) {
    const { status, stdout } = await typed(forged!.replace('--tamper body', `--tamper ${part}`))
    expect([part, status]).toEqual([part, 0])
    expect(stdout).toContain('answer: 401 Unauthorized')
  }
  writeFileSync(join(folder, 'request.http'), 'POST /hook HTTP/1.1\nHost: hooks.example.com\n\n{"id":1}')
  expect(await typed(again!)).toMatchObject({ status: 0, stdout: expect.stringContaining('answer: 200 OK') })
})

test('an Express application that observes as docs/introduce.md shows logs the verdict of a request that send signs', async () => {
  await end()
  symlinkSync(join(ROOT, 'test/meta/package/node_modules/express'), join(folder, 'node_modules/express'))
  const [, app = ''] = /<!-- example: introduce-express.ts -->\n\n```ts\n(.*?)```\n/s.exec(introduce) ?? []
  writeFileSync(join(folder, 'receiver.mjs'), app)
  const line = `${lines[1]!.trim()} --header 'Content-Type: application/json'`
  const good = await typed(line)
  expect(good).toMatchObject({ status: 0, stdout: expect.stringContaining('answer: 204 No Content') })
  expect(good.stdout).toContain('{"status":"verified","codes":[],"accountId":"1234"')
  const forgery = await typed(`${line} --tamper body`)
  expect(forgery.stdout).toContain('answer: 204 No Content')
  expect(forgery.stdout).toContain('{"status":"rejected","codes":["digest-mismatch"]}')
})

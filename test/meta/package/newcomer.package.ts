import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { tenLines } from './ten-lines.ts'

const folder = inject('folder')
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8')

/** Returns the block of a page below this comment, as a newcomer copies it. */
function block(page: string, comment: string): string {
  const [, code] = new RegExp(`<!-- ${comment} -->\\n+\`\`\`\\w+\\n(.*?)\`\`\`\\n`, 's').exec(read(page)) ?? []
  if (code === undefined) throw new Error(`${page} has no block ${comment}`)
  return code
}
/** Returns the lines of a page that start the command, unchanged. */
const linesOf = (page: string): string[] =>
  [...read(page).matchAll(/^```sh\n(npx signed-requests [^`]+)```$/gm)].map(([, line]) => line!.trim())

const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_UPDATE_NOTIFIER: '1' }
let receiver: ChildProcess
let said = ''

beforeAll(async () => {
  writeFileSync(join(folder, 'receiver.mjs'), block('docs/testing.md', 'block: try-it-receiver'))
  receiver = spawn(process.execPath, ['receiver.mjs'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  await new Promise<void>((resolve, reject) => {
    for (const stream of [receiver.stdout, receiver.stderr])
      stream?.on('data', chunk => {
        said += chunk
        if (said.includes('listening')) resolve()
      })
    receiver.on('exit', () => reject(new Error(`the receiver ended: ${said}`)))
  })
})
/** The port is that of the README. */
const end = async () => {
  if (receiver.exitCode === null && receiver.signalCode === null)
    await Promise.all([once(receiver, 'exit'), receiver.kill()])
}
afterAll(end)

/** Runs a line in a shell, exactly as on the page. */
async function typed(line: string, input = '') {
  const child = spawn('sh', ['-c', line], { cwd: folder, env })
  child.stdin.end(input)
  const closed = once(child, 'close')
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { status, stdout, stderr }
}
/** Matches the output of a successful line. */
const saying = (stdout: string) => ({ status: 0, stdout: expect.stringContaining(stdout) })

test('the receiver and the send line of docs/testing.md, copied unchanged, give 200 at the first try', async () => {
  const sent = await typed(block('docs/testing.md', 'block: try-it-send'))
  expect(sent).toMatchObject(saying('POST http://localhost:3000/hook\nanswer: 200 OK'))
  expect(sent.stderr).not.toContain('signed-requests:')
  expect(said).toMatch(/^verified: account 1234, rsa-sha256 by test\._domainkey\.service\.example$/m)
})

test('the forgery of docs/testing.md is refused and explained, on both sides', async () => {
  const forgery = await typed(block('docs/testing.md', 'block: try-it-forgery'))
  expect(forgery).toMatchObject(saying('tampered after signing: one byte of the body.'))
  expect(forgery).toMatchObject(saying('answer: 401 Unauthorized'))
  expect(forgery).toMatchObject(saying('Refused, as it should be.'))
  expect(said).toMatch(/^rejected: digest$/m)
  expect(said).toMatch(/^digest-mismatch$/m)
})

test('a captured refusal is explained by the same tool', async () => {
  const capture = 'POST /hook HTTP/1.1\nHost: localhost:3000\n\n'
  const line = 'npx signed-requests explain - --domain service.example --host localhost:3000 --account 1234'
  expect(await typed(line, capture)).toMatchObject({ ...saying('signature-missing'), status: 1 })
})

const [send, ...others] = linesOf('README.md') as [string]

test('the ten lines of the README take a good request once, and refuse a forgery in one line of the log', async () => {
  await end()
  writeFileSync(join(folder, 'receiver.mjs'), tenLines)
  expect(others).toEqual([])
  expect(await typed('npx signed-requests demo')).toMatchObject(saying('All 10 verdicts are as expected.'))
  expect(await typed(send)).toMatchObject(saying('answer: 200 OK\n\n  received\n'))
  const forgery = await typed(`${send} --tamper body`)
  expect(forgery).toMatchObject(saying('answer: 401 Unauthorized'))
  expect(forgery.stderr.match(/^receiver: \{"time":.*"codes":\["digest-mismatch"\].*\}$/gm)).toHaveLength(1)
  const { status, stdout } = await typed(`${send} --repeat 2`)
  expect(stdout.match(/\b(?:200 OK|401 Unauthorized)/g)).toEqual(['200 OK', '401 Unauthorized'])
  expect(status).toBe(0)
})

test('the commands of docs/for-agents.md prove the ten lines', async () => {
  const lines = linesOf('docs/for-agents.md').filter(line => line.startsWith('npx signed-requests send '))
  const [forgeries, again] = lines as [string, string]
  expect(lines).toHaveLength(2)
  expect(await typed(forgeries)).toMatchObject({ status: 0 })
  const replay = forgeries.replace('--tamper all', '--repeat 2')
  expect(replay).not.toBe(forgeries)
  writeFileSync(join(folder, 'request.http'), 'POST /hook HTTP/1.1\nHost: hooks.example.com\n\n{"id":1}')
  expect(await typed(again)).toMatchObject(saying('answer: 200 OK'))
  expect(await typed(replay)).toMatchObject({ status: 0 })
})

test('an Express application that observes as docs/introduce.md shows logs the verdict of a request that send signs', async () => {
  await end()
  symlinkSync(join(ROOT, 'test/meta/package/node_modules/express'), join(folder, 'node_modules/express'))
  writeFileSync(join(folder, 'receiver.mjs'), block('docs/introduce.md', 'example: introduce-express.ts'))
  const line = `${send} --header 'Content-Type: application/json'`
  const good = await typed(line)
  expect(good).toMatchObject(saying('answer: 204 No Content'))
  expect(good).toMatchObject(saying('"status":"verified","codes":[],"signedUnderDomain":true,"accountId":"1234"'))
  // A receiver that only observes accepts a forgery, which the exit code of send reports.
  const forgery = await typed(`${line} --tamper body`)
  expect(forgery).toMatchObject({ ...saying('answer: 204 No Content'), status: 1 })
  expect(forgery.stdout).toContain(
    '"status":"rejected","codes":["digest-mismatch"],"code":"digest-mismatch","signedUnderDomain":true,'
  )
})

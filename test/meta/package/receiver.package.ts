import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createVerifier } from '../../../src/index.ts'
import { createRecorder } from '../../../src/recorder/index.ts'
import { createTestService } from '../../../src/testing/index.ts'
import { type DnsServer, startDnsServer } from '../../support/dns-server.ts'
import { type RunningRecipe, testRecipe } from '../examples/recipe.ts'
import { behindProxy } from '../examples/senders.ts'
import { tenLines, tenLinesRequired } from './ten-lines.ts'

const folder = inject('folder')
const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const service = createTestService()
let dns: DnsServer

beforeAll(async () => {
  dns = await startDnsServer(service.records)
  buildSync({
    entryPoints: [path('child.ts')],
    outfile: join(folder, 'child.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    // its imports have side effects, whatever our package.json says about the library
    ignoreAnnotations: true
  })
})
afterAll(() => dns.close())

/** Does what a new user does: pastes the ten lines into a file and starts it. */
async function start(file: string): Promise<RunningRecipe> {
  const child: ChildProcess = fork(file, {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: '0', DNS_SERVER: dns.address },
    execArgv: ['--import', './child.mjs'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc']
  })
  let said = ''
  child.stderr?.on('data', text => {
    said += text
  })
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${file} ended: ${said}`)))
  const [{ port }] = await Promise.race([once(child, 'message'), ended])
  ended.catch(() => {})
  return { ...behindProxy(port), close: () => child.kill() }
}

function paste(name: string, content: string): string {
  writeFileSync(join(folder, name), content)
  return name
}

const RECEIVERS: Readonly<Record<string, () => string>> = {
  'receiver.mjs': () => paste('ten-lines.mjs', tenLines),
  'receiver.cjs'() {
    expect(tenLinesRequired).not.toMatch(/\bimport\b/)
    return paste('receiver.cjs', tenLinesRequired)
  },
  'receiver.ts, compiled'() {
    paste('receiver.ts', tenLines)
    mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
    symlinkSync(path('node_modules/node-types-newest'), join(folder, 'node_modules/@types/node'))
    const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node']
    const tsc = [path('node_modules/typescript-7/bin/tsc'), ...options, 'receiver.ts']
    expect(spawnSync('node', tsc, { cwd: folder, encoding: 'utf8' }).stdout).toBe('')
    return 'receiver.js'
  }
}
for (const [name, write] of Object.entries(RECEIVERS)) testRecipe(name, service, () => start(write()), { answer: 200 })

test('the handler test of docs/testing.md passes, and fails for a handler that accepts everything', () => {
  const example = readFileSync(path('../../../examples/handler.test.mjs'), 'utf8')
  const run = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return spawnSync(process.execPath, ['--test', name], { cwd: folder, encoding: 'utf8' })
  }
  const { status, stdout } = run('handler.test.mjs', example)
  expect(status, stdout).toBe(0)
  expect(stdout).toContain('# pass 1')
  const takesAll = example.replace(/= verify => nodeHandler\(.*/, '= () => (_req, res) => res.writeHead(204).end()')
  expect(takesAll).not.toBe(example)
  expect(run('blind.test.mjs', takesAll).status).toBe(1)
})

test('the test of a recorded forgery passes, and fails for a receiver that accepts every verdict', async () => {
  const directory = join(folder, 'refused')
  const recorder = createRecorder({ directory })
  const verify = createVerifier({ ...service.options, recorder })
  await verify({ ...service.sign({ body: '{"amount":1}' }), body: '{"amount":9}' })
  await recorder.written()
  const [name = ''] = readdirSync(directory)
  expect(name).toMatch(/^\d{4}-.*Z-digest-mismatch-key-1\.json$/)
  renameSync(join(directory, name), join(folder, 'refused.json'))

  const example = readFileSync(path('../../../examples/refused.test.mjs'), 'utf8')
  const run = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return spawnSync(process.execPath, ['--test', name], { cwd: folder, encoding: 'utf8' })
  }
  const { status, stdout } = run('refused.test.mjs', example)
  expect(status, stdout).toBe(0)
  expect(stdout).toContain('# pass 1')
  const careless = example.replace('httpStatus(await verify(request))', '((await verify(request)) ? 200 : 401)')
  expect(careless).not.toBe(example)
  expect(run('careless.test.mjs', careless).status).toBe(1)
})

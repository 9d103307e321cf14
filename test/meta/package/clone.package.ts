import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { ROOT, repositoryFiles } from '../docs/pages.ts'
import { tenLines } from './ten-lines.ts'

const temporary = mkdtempSync(join(tmpdir(), 'clone-'))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

/** A shell as a reader has it: without the variables in which npm describes this project. */
const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_UPDATE_NOTIFIER: '1' }
const MINUTES = 10 * 60_000

/** Runs a block of a page in a shell, as printed. Returns its output; rejects if it fails. */
async function run(block: string, cwd: string): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', block], { cwd, env, maxBuffer: 1e8 })
  return stdout + stderr
}

/** Returns the command blocks of a page. */
const blocksOf = (page: string): string[] =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```(?:sh|bash)\n([^`]+)```$/gm)].map(([, block]) =>
    block!.trim()
  )

/** Makes a repository of the files as they are here, and clones it. */
async function cloneTo(name: string): Promise<string> {
  const origin = join(temporary, 'origin')
  const clone = join(temporary, name)
  await run(`git clone -q ${origin} ${clone}`, temporary)
  return clone
}

beforeAll(async () => {
  const origin = join(temporary, 'origin')
  for (const file of repositoryFiles()) {
    mkdirSync(dirname(join(origin, file)), { recursive: true })
    cpSync(join(ROOT, file), join(origin, file))
  }
  const who = '-c user.name=test -c user.email=test@example.com'
  await run(`git init -q -b main . && git add -A && git ${who} commit -qm all`, origin)
})

const [demo = '', tests = '', send = '', ...others] = blocksOf('README.md')
const [gateway = '', ...otherGateway] = blocksOf('gateway/README.md')

test('the pages have these command blocks, and each is run here or by .ci/run', () => {
  expect([...others, ...otherGateway, ...blocksOf('docs/frameworks.md')]).toEqual([])
  // The part `test` of .ci/run is this block.
  expect(tests).toBe('npm ci && npm test')
  const ci = readFileSync(join(ROOT, '.ci/run'), 'utf8')
  expect(ci).toContain('step npm ci')
  expect(ci).toContain('test) step npm test ;;')
})

/** Runs a block that does not end by itself until it has printed this. */
function until(text: string, block: string, cwd: string): Promise<string> {
  const child = spawn('sh', ['-c', block], { cwd, env, detached: true })
  return new Promise((resolve, reject) => {
    let said = ''
    const end = () => child.pid !== undefined && process.kill(-child.pid)
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', chunk => {
        said += chunk
        if (!said.includes(text)) return
        child.removeAllListeners('exit')
        end()
        resolve(said)
      })
    child.on('exit', () => reject(new Error(`it ended: ${said}`)))
  })
}

describe('a clone', () => {
  let clone: string
  beforeAll(async () => {
    clone = await cloneTo('clone')
    // The first block of the README, which the others need.
    expect(await run(demo, clone)).toContain('All 10 verdicts are as expected.')
  }, MINUTES)

  test('npm ci has built all and linked the bins, and left no file that git sees', async () => {
    expect(await run('git status --porcelain', clone)).toBe('')
    for (const bin of ['signed-requests', 'signed-requests-gateway'])
      expect(await run(`npx ${bin} --version`, clone)).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  test('the command of the README signs a request that the ten lines take', { timeout: MINUTES }, async () => {
    writeFileSync(join(clone, 'receiver.mjs'), tenLines)
    expect(await run(send, clone)).toContain('answer: 200 OK')
    rmSync(join(clone, 'receiver.mjs'))
  })

  test("the command of the gateway's README starts it", { timeout: MINUTES }, async () => {
    expect(await until('listening on', gateway, clone)).toContain('listening on')
  })

  test('npm pack makes the tarballs of the library and of the gateway', { timeout: MINUTES }, async () => {
    expect(await run('npm pack', clone)).toMatch(/^signed-requests-\d.*\.tgz$/m)
    const gatewayTarball = await run('npm pack -w signed-requests-gateway', clone)
    expect(gatewayTarball).toMatch(/dist\/cli\.js/)
    expect(gatewayTarball).toMatch(/^signed-requests-gateway-\d.*\.tgz$/m)
  })
})

test("from the tarballs, the command of the gateway's README starts it", { timeout: MINUTES }, async () => {
  expect(await until('listening on', gateway, inject('gatewayFolder'))).toContain('listening on')
})

const LOAD = `import * as esm from 'signed-requests'
import { createRequire } from 'node:module'
const cjs = createRequire(import.meta.url)('signed-requests')
console.log(typeof esm.createVerifier, typeof cjs.createVerifier)`

test.each([
  { what: 'its git address', address: () => `git+file://${join(temporary, 'origin')}` },
  { what: 'the folder of a clone in which nothing was installed', address: () => cloneTo('fresh') }
])('npm install of $what gives a package that loads, with its bin', { timeout: MINUTES }, async ({ what, address }) => {
  const folder = mkdtempSync(join(temporary, 'project-'))
  await run(`npm init -y && npm install --no-audit --no-fund --prefer-offline ${await address()}`, folder)
  writeFileSync(join(folder, 'load.mjs'), LOAD)
  expect({ what, said: await run('node load.mjs', folder) }).toEqual({ what, said: 'function function\n' })
  expect(await run('npx signed-requests --version', folder)).toMatch(/^\d+\.\d+\.\d+\n$/)
})

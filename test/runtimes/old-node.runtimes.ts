import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { isLinux } from './runtimes.ts'

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Runs a file with this Node.js. */
function run(node: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(path(`node_modules/${node}/bin/node`), args, { encoding: 'utf8' })
  return { code: status, stdout, stderr }
}

const BINS = { 'signed-requests': '../../dist/cli.js', 'signed-requests-gateway': '../../gateway/dist/cli.js' }
const TOO_OLD = { 'node-16': '16.20.2', 'node-18': '18.20.8', 'node-20-before': '20.18.0' }

describe.skipIf(!isLinux).each(Object.entries(BINS))('%s', (name, file) => {
  test.each(Object.entries(TOO_OLD))('on %s ends with 64 and one line', (node, version) => {
    const stderr = `${name}: this is Node.js ${version}, and Node.js 20.18.1 or later is needed\n`
    for (const args of [[], ['demo']]) expect(run(node, path(file), ...args)).toEqual({ code: 64, stdout: '', stderr })
  })

  test('starts on the oldest that is supported', () => {
    expect(run('node-20-floor', path(file), '--version')).toMatchObject({ code: 0, stderr: '' })
  })
})

test.skipIf(!isLinux)('the demo works on the oldest that is supported', () => {
  const { code, stderr } = run('node-20-floor', path('../../dist/cli.js'), 'demo')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

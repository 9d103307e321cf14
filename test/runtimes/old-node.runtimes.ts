import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { isLinux } from './runtimes.ts'

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

interface Finished {
  code: unknown
  stdout: string
  stderr: string
}

/** A file as this Node.js runs it. */
const run = (node: string, ...args: string[]): Promise<Finished> =>
  new Promise(resolve =>
    execFile(path(`node_modules/${node}/bin/node`), args, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr })
    )
  )

const BINS = { 'signed-requests': '../../dist/cli.js', 'signed-requests-gateway': '../../gateway/dist/cli.js' }
const TOO_OLD = { 'node-16': '16.20.2', 'node-18': '18.20.8', 'node-20-before': '20.18.0' }

describe.skipIf(!isLinux).each(Object.entries(BINS))('%s', (name, file) => {
  test.each(Object.entries(TOO_OLD))('on %s ends with 64 and one line', async (node, version) => {
    const stderr = `${name}: this is Node.js ${version}, and Node.js 20.18.1 or later is needed\n`
    for (const args of [[], ['demo']])
      expect(await run(node, path(file), ...args)).toEqual({ code: 64, stdout: '', stderr })
  })

  test('starts on the oldest that is supported', async () => {
    expect(await run('node-20-floor', path(file), '--version')).toMatchObject({ code: 0, stderr: '' })
  })
})

test.skipIf(!isLinux)('the demo works on the oldest that is supported', async () => {
  const { code, stderr } = await run('node-20-floor', path('../../dist/cli.js'), 'demo')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)

test('the demo ends by itself, with every verdict as expected, in plain text of 100 columns', async () => {
  const { stdout } = await run(process.execPath, ['--import', 'tsx', 'examples/demo/main.ts'])
  expect(stdout).toContain('All 9 verdicts are as expected.')
  for (const code of [
    'digest-mismatch',
    'date-too-old',
    'replayed',
    'key-name-outside-domain',
    'coverage-insufficient',
    'key-lookup-timeout'
  ]) {
    expect(stdout).toContain(code)
  }
  expect(stdout).not.toContain('\x1b')
  expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(100)
})

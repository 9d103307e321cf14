import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)

describe('npm run demo', () => {
  let stdout = ''
  beforeAll(async () => {
    stdout = (await run(process.execPath, ['--import', 'tsx', 'examples/demo/main.ts'])).stdout
  })

  test('ends by itself, with every verdict as expected', () => {
    expect(stdout).toContain('All 10 verdicts are as expected.')
    for (const code of [
      'digest-mismatch',
      'signature-mismatch',
      'date-too-old',
      'replayed',
      'key-name-outside-domain',
      'coverage-insufficient',
      'key-lookup-timeout'
    ]) {
      expect(stdout).toContain(code)
    }
  })

  test('explains checks and marks before the table uses them', () => {
    const places = ['Checks  1 request', 'Marks   ', 'HTTP    200 verified', 'Request  '].map(text =>
      stdout.indexOf(text)
    )
    expect(places).not.toContain(-1)
    expect(places).toEqual([...places].sort((a, b) => a - b))
  })

  test('shows below the table why one request was refused', () => {
    const [, explained = ''] = stdout.split(/^Why .* was refused, as explain\(verdict\) says it:\n$/m)
    expect(explained).toContain('rejected: signature')
    expect(explained).toMatch(/^FAIL {2}signature {9}signature-mismatch: /m)
    expect(explained).toMatch(/^ {2}likely cause: /m)
    expect(explained).toContain('(request-target): post /hooks/orders?version=2')
    expect(explained).toMatch(/^ {2}fix: /m)
  })

  test('is plain text of 100 columns where there is no terminal', () => {
    expect(stdout).not.toContain('\x1b')
    expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(100)
  })
})

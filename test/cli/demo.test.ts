import { beforeAll, expect, test } from 'vitest'
import { runInside } from '../support/run-cli.ts'
import type { Finished } from '../support/run-process.ts'

let finished: Finished
beforeAll(async () => {
  finished = await runInside(['demo'])
})

test('ends by itself, with every verdict as expected', () => {
  expect(finished).toMatchObject({ code: 0, stderr: '' })
  expect(finished.stdout).toContain('All 10 verdicts are as expected.')
  expect(finished.stdout.match(/^.{32}204 {3}(?:ok )+ok$/gm)).toHaveLength(3)
  expect(finished.stdout.match(/^.{32}401 {3}.*NO.* {2}[a-z-]+$/gm)).toHaveLength(6)
  expect(finished.stdout).toMatch(/^DNS outage {22}503 .*\?\? -- -- -- {2}key-lookup-failed$/m)
})

test('explains checks and marks before the table uses them', () => {
  const places = ['Checks  1 request', 'Marks   ', 'HTTP    204 verified', 'Request  '].map(text =>
    finished.stdout.indexOf(text)
  )
  expect(places).not.toContain(-1)
  expect(places).toEqual([...places].sort((a, b) => a - b))
})

test('shows below the table why one request was refused', () => {
  const [, explained = ''] = finished.stdout.split(/^Why .* was refused, as explain\(verdict\) says it:\n$/m)
  expect(explained).toContain('rejected: signature')
  expect(explained).toContain('(request-target): post /hooks/orders?version=2')
  expect(explained).toMatch(/^ {2}fix: /m)
})

test('fits into 100 columns', () => {
  expect(Math.max(...finished.stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(100)
})

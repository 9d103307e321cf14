import { stripVTControlCharacters } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { runInside } from '../support/run-cli.ts'
import type { Finished } from '../support/run-process.ts'

let finished: Finished
let coloured: Finished
beforeAll(async () => {
  finished = await runInside(['demo'])
  coloured = await runInside(['demo'], '', true)
})

test('demo ends by itself, with every verdict as expected', () => {
  expect(finished).toMatchObject({ code: 0, stderr: '' })
  expect(finished.stdout).toContain('All 10 verdicts are as expected.')
  expect([...finished.stdout.matchAll(/^\d{3} {3}(.{22}) /gm)].map(([, name]) => name!.trimEnd())).toEqual([
    ...['Webhook: POST, JSON', 'Download: GET, no body', 'Large body: POST, 5 MB', 'Tampered body'],
    ...['Path cut by a proxy', 'Replayed an hour later', 'Replayed at once', 'Key outside the domain'],
    ...['Digest is not signed', 'DNS outage']
  ])
  expect(finished.stdout.match(/^204 {3}.{22}(?: +\+){12}$/gm)).toHaveLength(3)
  expect(finished.stdout.match(/^401 {3}.{22}(?: +\+)+ +x(?: +[+-])* {2}[a-z-]+$/gm)).toHaveLength(6)
  expect(finished.stdout).toMatch(/^503 {3}DNS outage {12}(?: \+){8} \? {2}- {2}- {2}- {2}key-lookup-failed$/m)
})

test('demo explains checks and marks before the table uses them', () => {
  const places = ['Checks  1 request', 'Marks   ', 'HTTP    204 verified', 'HTTP  Request  '].map(text =>
    finished.stdout.indexOf(text)
  )
  expect(places).not.toContain(-1)
  expect(places).toEqual([...places].sort((a, b) => a - b))
})

test('demo shows below the table why one request was refused', () => {
  const [, explained = ''] = finished.stdout.split(/^Why .* was refused, as explain\(verdict\) says it:\n$/m)
  expect(explained).toContain('rejected: signature')
  expect(explained).toContain('(request-target): post /hooks/orders?version=2')
  expect(explained).toMatch(/^ {2}fix: /m)
})

test('demo fits into 80 columns', () => {
  expect(Math.max(...finished.stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
})

test('demo has colours where they are allowed: green, red and yellow for each request and each check', () => {
  const [good, bad, undecided] = [/^\x1b\[32m204 /m, /^\x1b\[31m401 /m, /^\x1b\[33m503 /m]
  for (const pattern of [good, bad, undecided]) expect(coloured.stdout).toMatch(pattern)
  expect(coloured.stdout).toContain('\x1b[31m  x\x1b[39m\x1b[2m  -\x1b[22m')
  expect(finished.stdout).toBe(stripVTControlCharacters(finished.stdout))
})

test('demo prints the same text with and without colours', () => {
  const withoutValues = (text: string) => text.split('\nWhy ')[0]!.replace(/127\.0\.0\.1:\d+/g, '')
  expect(withoutValues(stripVTControlCharacters(coloured.stdout))).toBe(withoutValues(finished.stdout))
})

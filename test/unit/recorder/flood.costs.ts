import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { CODES } from '../../../src/core/result/codes.ts'

test('10,000 scanners at a heap of 64 MB evict no signed request, and no file has a secret', () => {
  const file = join(inject('bundles'), 'dist/flood-process.js')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--max-old-space-size=64', file],
    // Another time zone must change nothing.
    { encoding: 'utf8', env: { ...process.env, TZ: 'Pacific/Auckland' } }
  )
  expect([status, stderr]).toEqual([0, ''])
  // `signed` counts the codes of requests that are signed under the domain.
  expect(JSON.parse(stdout)).toEqual({
    ...{ codes: Object.keys(CODES).length, unsent: 0, signed: 34, sent: 50, files: 200 },
    ...{ lost: 0, differing: 0, changed: 0, secrets: 0 }
  })
})

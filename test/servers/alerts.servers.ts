import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('each alert fires when it must, and not before', () => {
  const cases = fileURLToPath(new URL('alerts.yml', import.meta.url))
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', cases], { encoding: 'utf8' })
  expect(`${stdout}${stderr}`).toContain('SUCCESS')
  expect(status).toBe(0)
})

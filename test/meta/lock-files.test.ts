import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LOCK_FILES = execFileSync('git', ['ls-files', '*package-lock.json'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n')

interface LockedPackage {
  resolved?: string
  integrity?: string
  link?: true
  inBundle?: true
}

test.each(LOCK_FILES)('%s has a checksum for every package and the address of none', file => {
  const { packages } = JSON.parse(readFileSync(`${ROOT}${file}`, 'utf8')) as { packages: Record<string, LockedPackage> }
  const installed = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && link !== true
  )
  expect(installed.length).toBeGreaterThan(0)
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  expect(installed.filter(([, { integrity, inBundle }]) => !integrity && !inBundle)).toEqual([])
})

test('dependabot looks after each of them', () => {
  const { updates } = parse(readFileSync(`${ROOT}.github/dependabot.yml`, 'utf8'))
  expect(updates[0].directories).toEqual(LOCK_FILES.map(file => `/${dirname(file)}`.replace('/.', '/')).sort())
})

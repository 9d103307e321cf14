import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { read, repositoryFiles } from './docs/pages.ts'

const LOCK_FILES = repositoryFiles().filter(path => path.endsWith('package-lock.json'))

type LockedPackage = { resolved?: string; integrity?: string; link?: true; inBundle?: true; hasInstallScript?: true }

test.each(LOCK_FILES)('%s has a checksum for every package and the address of none', file => {
  const { packages } = JSON.parse(read(file)) as { packages: Record<string, LockedPackage> }
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link)
  expect(installed.length).toBeGreaterThan(0)
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  expect(installed.filter(([, { integrity, inBundle }]) => !integrity && !inBundle)).toEqual([])
})

test.each(LOCK_FILES)('npm ci asks nothing about %s: each install script of a package is allowed or denied', file => {
  const { packages } = JSON.parse(read(file)) as { packages: Record<string, LockedPackage> }
  const withScripts = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript)
  const names = withScripts.map(([path]) => path.replace(/^.*node_modules\//, ''))
  const { allowScripts = {} } = JSON.parse(read(file.replace('package-lock.json', 'package.json')))
  expect(Object.keys(allowScripts).sort()).toEqual([...new Set(names)].sort())
})

test('dependabot looks after each of them', () => {
  const { updates } = parse(read('.github/dependabot.yml'))
  expect(updates[0].directories).toEqual(LOCK_FILES.map(file => `/${dirname(file)}`.replace('/.', '/')).sort())
})

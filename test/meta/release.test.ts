import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { ROOT, read } from './docs/pages.ts'

const folder = mkdtempSync(join(tmpdir(), 'release-'))
afterAll(() => rmSync(folder, { recursive: true }))

const MANIFESTS = ['package.json', 'gateway/package.json', 'fixtures/package.json']
const write = (name: string, text: string): void => {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}
/** A maintainer sets these before the first release. */
const OWN = {
  repository: { type: 'git', url: 'git+https://github.com/acme/signed-requests.git' },
  homepage: 'https://acme.github.io/signed-requests/',
  bugs: 'https://github.com/acme/signed-requests/issues'
}
const { version } = JSON.parse(read('package.json'))
const check = (tag = `v${version}`) => {
  const args = [join(ROOT, 'build/release.mjs'), tag, 'acme/signed-requests']
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  return { status, problems: stderr.trim().split('\n') }
}

beforeEach(() => {
  for (const name of MANIFESTS) write(name, JSON.stringify({ ...JSON.parse(read(name)), ...OWN }))
  write('README.md', `${read('README.md')}\n[The site](https://acme.github.io/signed-requests)\n`)
  write('.github/CODEOWNERS', '/.github/ @acme/maintainers\n')
})

test('three packages with their addresses can be published', () => {
  expect(check()).toEqual({ status: 0, problems: [''] })
})

test('a package that names neither its repository nor its homepage stops a release', () => {
  const unset = { repository: undefined, homepage: undefined }
  for (const name of MANIFESTS) write(name, JSON.stringify({ ...JSON.parse(read(name)), ...OWN, ...unset }))
  const { status, problems } = check()
  expect(status).toBe(1)
  for (const name of MANIFESTS) {
    expect(problems).toContainEqual(expect.stringContaining(`${name}: set "repository"`))
    expect(problems).toContain(`${name}: set "homepage"`)
  }
})

test('a README without a link to the site stops a release', () => {
  write('README.md', read('README.md'))
  expect(check().problems).toEqual([expect.stringContaining('README.md: link to the site')])
})

test('a tag of another version stops a release', () => {
  expect(check('v9.9.9').status).toBe(1)
})

import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const json = (path: string) => JSON.parse(read(path))

const WORKFLOWS = readdirSync(new URL('../../.github/workflows', import.meta.url)).filter(file =>
  file.endsWith('.yml')
)

interface Job {
  permissions?: Record<string, string>
  steps?: { run?: string; uses?: string }[]
}
const { jobs } = parse(read('.github/workflows/release.yml')) as { jobs: Record<string, Job> }

test('SECURITY.md names every dependency that is installed, and no other', () => {
  const [, table = ''] = /## What you install\n([\s\S]*?)\n\n[^|]/.exec(read('SECURITY.md')) ?? []
  const named = [...table.matchAll(/`([^`]+)`/g)].map(([, name]) => name)
  const direct = ['package.json', 'gateway/package.json', 'fixtures/package.json'].flatMap(file => {
    const { name, dependencies = {} } = json(file)
    return [name, ...Object.keys(dependencies)]
  })
  const { packages } = json('package-lock.json')
  const ofLibrary = Object.keys(json('package.json').dependencies).flatMap(name =>
    Object.keys(packages[`node_modules/${name}`].dependencies ?? {})
  )
  const others = ['signed-requests/rfc9421', 'signed-requests/doh', 'serveDns']
  expect(new Set(named)).toEqual(new Set([...direct, ...ofLibrary, ...others]))
})

test.each(WORKFLOWS)('%s pins every action by its commit', file => {
  const used = [...read(`.github/workflows/${file}`).matchAll(/uses: (\S+)/g)].map(([, action]) => action)
  expect(used.filter(action => !/^\.\/|@[0-9a-f]{40}$/.test(action!))).toEqual([])
})

test('only the job that publishes has an identity, and it runs nothing of the repository', () => {
  const withIdentity = Object.entries(jobs).filter(([, { permissions }]) => permissions?.['id-token'])
  expect(withIdentity.map(([name]) => name)).toEqual(['publish'])
  const { steps = [] } = jobs['publish']!
  expect(steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout'))).toEqual([])
  const commands = steps.flatMap(({ run }) => run ?? [])
  expect(commands).toHaveLength(3)
  for (const command of commands)
    expect(command).toMatch(
      /^npm publish --ignore-scripts --provenance \S+ \S+ \.\/tarballs\/[\w[\]*.-]+\.tgz$/
    )
})

test('only a tag on main is built', () => {
  const commands = jobs['build']?.steps?.flatMap(({ run }) => run ?? [])
  expect(commands?.[0]).toBe('git merge-base --is-ancestor HEAD origin/main')
})

test('the audit looks at what is installed, at every level', () => {
  expect(read('.github/workflows/ci.yml')).toContain('run: npm audit --omit=dev --audit-level=info\n')
})

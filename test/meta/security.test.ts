import { expect, test } from 'vitest'
import { read } from './docs/pages.ts'

const json = (path: string) => JSON.parse(read(path))

test('the threat model names every dependency that is installed, and no other', () => {
  const [, table = ''] = /## What you install\n([\s\S]*?)\n\n[^|]/.exec(read('docs/threat-model.md')) ?? []
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

import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, inject, test } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const installed = join(inject('folder'), 'node_modules/signed-requests')
const files = inject('files')
const read = (path: string): string => readFileSync(join(installed, path), 'utf8')

const EXPECTED = [
  /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|SECURITY\.md|llms\.txt)$/,
  /^docs\/(?:codes\/)?[a-z0-9-]+\.(?:md|svg|yml|json)$/,
  /^docs\/README\.md$/,
  /^examples\/(?:stores\/)?[\w.-]+\.(?:mjs|ts)$/,
  /^examples\/README\.md$/,
  /^bin\/signed-requests\.js$/,
  /^dist\/(?:(?:account|doh|recorder|replay|rfc9421|testing)\/)?index\.(?:js|cjs|d\.ts|d\.cts)$/,
  /^dist\/cli\.js$/,
  // shared by the entries, or loaded with a command
  /^dist\/[a-z0-9]+(?:-[a-z0-9]+)*-[\w-]{8}\.(?:js|cjs|d\.ts|d\.cts)$/
]

test('the tarball has the package and its documents, and nothing else', () => {
  expect(files.filter(file => !EXPECTED.some(pattern => pattern.test(file)))).toEqual([])
  const documents = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'llms.txt', 'package.json']
  expect(files.filter(file => !file.includes('/')).sort()).toEqual(documents)
})

test('it has every page, as it is in the repository', () => {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.includes('.'))
    .map(name => `docs/${name}`)
  expect(files.filter(file => file.startsWith('docs/')).sort()).toEqual(pages.sort())
  for (const page of [...pages, 'README.md', 'SECURITY.md', 'CHANGELOG.md'])
    expect(read(page)).toBe(readFileSync(join(ROOT, page), 'utf8'))
})

test('it is light: at most 500 KB, 2 MB unpacked, four packages installed', () => {
  const { packed, unpacked } = inject('weight')
  const lock = readFileSync(join(inject('folder'), 'node_modules/.package-lock.json'), 'utf8')
  const packages = Object.keys(JSON.parse(lock).packages)
  expect(packed).toBeLessThanOrEqual(500_000)
  expect(unpacked).toBeLessThanOrEqual(2_000_000)
  expect(packages.length).toBeLessThanOrEqual(4)
})

/** Returns every path that package.json names. */
function pathsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('./') ? [posix.normalize(value)] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(pathsIn) : []
}
const { main, module, types, typesVersions, bin, exports } = manifest
const named = [...new Set(pathsIn([main, module, types, typesVersions, bin, exports]))]
const entries = named.filter(path => /^(?:dist|bin)\//.test(path))

test('every file that package.json names is there', () => {
  expect(named.filter(path => !path.includes('*') && !files.includes(path))).toEqual([])
})

/** Returns the files that a file imports or requires; for declarations, the declarations. */
function importsOf(file: string): string[] {
  const names = read(file).matchAll(/\b(?:from|import|require)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g)
  return [...names].map(([, name = '']) => {
    const path = posix.join(posix.dirname(file), name)
    return /\.d\.c?ts$/.test(file) ? path.replace(/\.(c?)js$/, '.d.$1ts') : path
  })
}

test('every file in dist is reached from an entry, and every import leads to a file', () => {
  const reached = new Set(entries)
  for (const file of reached) for (const imported of importsOf(file)) reached.add(imported)
  expect([...reached].sort()).toEqual(files.filter(file => /^(?:dist|bin)\//.test(file)).sort())
})

test('nothing points outside the tarball: no source maps, no paths of the build machine', () => {
  const code = files.filter(file => file.startsWith('dist/'))
  expect(code.filter(file => read(file).includes('sourceMappingURL='))).toEqual([])
  expect(code.filter(file => read(file).includes(ROOT))).toEqual([])
})

test('every import of a module of Node.js has the node: prefix', () => {
  const without = files
    .filter(file => /^dist\/.*\.(?:js|cjs|ts|cts)$/.test(file))
    .flatMap(file => {
      const names = read(file).matchAll(/\b(?:from|require\(|import\()\s*['"]([a-z][\w/:-]*)['"]/g)
      return [...names]
        .filter(([, name = '']) => isBuiltin(name) && !name.startsWith('node:'))
        .map(([all]) => file + all)
    })
  expect(without).toEqual([])
})

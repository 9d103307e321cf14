import { readdirSync } from 'node:fs'
import { posix } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { ROOT, read } from './docs/pages.ts'

const INTERNAL = 'src/internal/index.ts'

const filesIn = (...folders: string[]): string[] =>
  folders.flatMap(folder =>
    readdirSync(posix.join(ROOT, folder), { encoding: 'utf8', recursive: true })
      .filter(name => name.endsWith('.ts'))
      .map(name => posix.join(folder, name))
  )

test('the core imports none of its neighbours, not even a type or on demand', () => {
  const imports = filesIn('src/core').flatMap(from =>
    ts
      .preProcessFile(read(from), true, true)
      .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
      .map(({ fileName }) => ({ from, to: posix.join(posix.dirname(from), fileName) }))
  )
  expect(imports.length).toBeGreaterThan(100)
  expect(imports.filter(({ to }) => !to.startsWith('src/core/'))).toEqual([])
})

test('each internal name is used by a tool', () => {
  const exported = read(INTERNAL).matchAll(/export (?:type )?\{([^}]*)\}/g)
  const nameIn = (item: string) => item.replace('type ', '').trim()
  const names = [...exported].flatMap(([, list]) => list!.split(',').map(nameIn)).filter(name => name !== '')
  expect(names.length).toBeGreaterThan(30)
  const clauses = filesIn('cli', 'flags', 'gateway/src').flatMap(file => [
    ...read(file).matchAll(/import (?:type )?\{([^}]*)\} from '[./]*src\/internal\/index\.ts'/g)
  ])
  const used = new Set(clauses.flatMap(([, list]) => list!.split(',').map(nameIn)))
  expect(names.filter(name => !used.has(name))).toEqual([])
})

import { readdirSync } from 'node:fs'
import { posix } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { ROOT, read } from './docs/pages.ts'

const DOOR = 'src/tools/index.ts'
const ENTRIES = [
  'index',
  'account/index',
  'doh/index',
  'recorder/index',
  'replay/index',
  'standards/rfc9421/index',
  'testing/index'
]
const PUBLIC = ENTRIES.map(entry => `src/${entry}.ts`)

const filesIn = (...folders: string[]): string[] =>
  folders.flatMap(folder =>
    readdirSync(posix.join(ROOT, folder), { encoding: 'utf8', recursive: true })
      .filter(name => name.endsWith('.ts'))
      .map(name => posix.join(folder, name))
  )

/** Returns each import of these files, static or not, as a path from the root, or the name of a package. */
const importsOf = (...folders: string[]): { from: string; to: string }[] =>
  filesIn(...folders).flatMap(from =>
    ts.preProcessFile(read(from), true, true).importedFiles.map(({ fileName }) => ({
      from,
      to: fileName.startsWith('.') ? posix.join(posix.dirname(from), fileName) : fileName
    }))
  )

const isIn = (path: string, ...folders: string[]): boolean => folders.some(folder => path.startsWith(`${folder}/`))

/** Returns the imports that are not allowed. */
const wrong = (imports: { from: string; to: string }[], isAllowed: (to: string) => boolean): string[] =>
  imports.filter(({ to }) => !isAllowed(to)).map(({ from, to }) => `${from} imports ${to}`)

const isPackage = (to: string): boolean => !/^(?:src|cli|flags|gateway|fixtures|test|examples|bench)\//.test(to)

test('the command line gets of the library the public entries and the door', () => {
  const imports = importsOf('cli')
  expect(imports.filter(({ to }) => to === DOOR).length).toBeGreaterThan(5)
  expect(wrong(imports, to => isPackage(to) || isIn(to, 'cli', 'flags') || [...PUBLIC, DOOR].includes(to))).toEqual([])
})

test('the flags get of the library the public entries and the door, and nothing of a command line', () => {
  const imports = importsOf('flags')
  expect(imports.length).toBeGreaterThan(1)
  expect(wrong(imports, to => isPackage(to) || isIn(to, 'flags') || [...PUBLIC, DOOR].includes(to))).toEqual([])
})

test('the gateway gets the library by its name and by the door, and nothing of the command line', () => {
  const names = Object.keys(manifest.exports).map(name => posix.join(manifest.name, name))
  const isOther = (to: string) => isPackage(to) && !isIn(to, manifest.name)
  const imports = importsOf('gateway/src')
  expect(imports.filter(({ to }) => to === manifest.name).length).toBeGreaterThan(5)
  const isAllowed = (to: string) => isOther(to) || isIn(to, 'gateway/src', 'flags') || [...names, DOOR].includes(to)
  expect(wrong(imports, to => isAllowed(to) || to === 'gateway/package.json')).toEqual([])
})

test('the library has nothing of its tools, and does not use the door itself', () => {
  expect(wrong(importsOf('src'), to => isPackage(to) || (isIn(to, 'src') && to !== DOOR))).toEqual([])
})

test('each name of the door is used by a tool', () => {
  const exported = read(DOOR).matchAll(/export (?:type )?\{([^}]*)\}/g)
  const names = [...exported].flatMap(([, list]) => list!.split(',').map(name => name.replace('type', '').trim()))
  expect(names.length).toBeGreaterThan(30)
  const clauses = filesIn('cli', 'flags', 'gateway/src').flatMap(file => [
    ...read(file).matchAll(/import (?:type )?\{([^}]*)\} from '[./]*src\/tools\/index\.ts'/g)
  ])
  const used = new Set(clauses.flatMap(([, list]) => list!.split(',').map(name => name.replace('type ', '').trim())))
  expect(names.filter(name => name !== '' && !used.has(name))).toEqual([])
})

test('the library reads no arguments of a process', () => {
  const reading = filesIn('src').filter(file => /process\.argv|parseArgs/.test(read(file)))
  expect(reading).toEqual([])
})

import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, test } from 'vitest'
import { tenLines } from './ten-lines.ts'

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

type Compiler = { typescript: string; nodeTypes: string | undefined }

/** Each compiler gets the declarations of Node.js that its users have. */
const COMPILERS: readonly Compiler[] = [
  { typescript: 'typescript-5.4', nodeTypes: 'node-types-20' },
  { typescript: 'typescript-5.9', nodeTypes: 'node-types-newest' },
  { typescript: 'typescript-6', nodeTypes: 'node-types-newest' },
  { typescript: 'typescript-7', nodeTypes: 'node-types-newest' }
]

const MODES = [
  { mode: 'node10', options: { module: 'commonjs', moduleResolution: 'node10' } },
  { mode: 'node16', options: { module: 'node16', moduleResolution: 'node16' } },
  // Only this mode checks the declarations themselves: that takes seconds, and they are the same files in each mode.
  { mode: 'nodenext', options: { module: 'nodenext', moduleResolution: 'nodenext', skipLibCheck: false } },
  { mode: 'bundler', options: { module: 'preserve', moduleResolution: 'bundler' } }
]

const LIBRARIES = [
  { library: 'without the DOM', lib: ['ES2022'] },
  { library: 'with the DOM', lib: ['ES2022', 'DOM', 'DOM.Iterable'] }
]

/** Makes a user's project with the package and the sources that `write` writes; returns the compiler's output. */
function compile(compiler: Compiler, options: object, write: (folder: string) => void): Promise<string> {
  const { typescript, nodeTypes } = compiler
  const folder = mkdtempSync(join(inject('folder'), 'types-'))
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
  if (nodeTypes !== undefined) symlinkSync(path(`node_modules/${nodeTypes}`), join(folder, 'node_modules/@types/node'))
  write(folder)
  const always = { target: 'ES2022', lib: ['ES2022'], types: ['node'], strict: true, skipLibCheck: true, noEmit: true }
  const compilerOptions = { ...always, ...options }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*'], exclude: ['out'] }))
  const tsc = path(`node_modules/${typescript}/bin/tsc`)
  return new Promise(resolve =>
    execFile(process.execPath, [tsc], { cwd: folder }, (_error, stdout, stderr) => resolve(stdout + stderr))
  )
}

const MATRIX = COMPILERS.flatMap(compiler =>
  MODES.flatMap(mode => LIBRARIES.map(library => ({ ...compiler, ...mode, ...library })))
)
  // The newest compiler does not have this mode.
  .filter(({ typescript, mode }) => !(typescript === 'typescript-7' && mode === 'node10'))

test.concurrent.each(MATRIX)('$typescript, $mode, $library', async ({ options, lib, ...compiler }) => {
  const deprecated = compiler.typescript === 'typescript-6' ? { ignoreDeprecations: '6.0' } : {}
  const said = await compile(compiler, { ...options, lib, ...deprecated }, folder => {
    for (const extension of ['mts', 'cts']) {
      writeFileSync(join(folder, `ten-lines.${extension}`), tenLines)
      cpSync(path('user/entries.mts'), join(folder, `entries.${extension}`))
      cpSync(path('user/body.mts'), join(folder, `body.${extension}`))
    }
  })
  expect(said).toBe('')
})

const oldestAndNewest = COMPILERS.filter(({ typescript }) => /5\.4|7/.test(typescript))

describe.each(oldestAndNewest)('$typescript', compiler => {
  test.concurrent("a Worker's project without @types/node, without skipLibCheck", async () => {
    const types = [path('node_modules/@cloudflare/workers-types')]
    const options = { module: 'preserve', moduleResolution: 'bundler', types, skipLibCheck: false }
    const write = (folder: string) => cpSync(path('user/worker.mts'), join(folder, 'worker.mts'))
    expect(await compile({ ...compiler, nodeTypes: undefined }, options, write)).toBe('')
  })

  test.concurrent('the types are as documented', async () => {
    // vitest has `expectTypeOf` from this library.
    const vitest = [path('../../../node_modules/expect-type/dist/index.d.ts')]
    const said = await compile(compiler, { module: 'nodenext', paths: { vitest } }, folder => {
      // That of the vectors compares two packages.
      for (const file of readdirSync(path('../types')).filter(name => !name.startsWith('vectors')))
        cpSync(path(`../types/${file}`), join(folder, file.replace(/\.ts$/, '.mts')))
    })
    expect(said).toBe('')
  })
})

/** Declarations are written, as in a project that others build on. */
const LIBRARY = { module: 'nodenext', declaration: true, composite: true, noEmit: false, outDir: 'out' }

const LIBRARIES_OF_USERS = [
  { file: 'library.mts', has: 'inferred types', options: { exactOptionalPropertyTypes: true } },
  { file: 'named.mts', has: 'written types', options: { exactOptionalPropertyTypes: true, isolatedDeclarations: true } }
]

test.concurrent.each(COMPILERS.flatMap(compiler => LIBRARIES_OF_USERS.map(library => ({ ...compiler, ...library }))))(
  '$typescript writes the declarations of a library with $has of this package',
  async ({ file, options, ...compiler }) => {
    // The oldest compiler does not know the option.
    const { isolatedDeclarations, ...known } = { isolatedDeclarations: undefined, ...options }
    const isOldest = compiler.typescript === 'typescript-5.4'
    const given = { ...LIBRARY, ...known, ...(!isOldest && { isolatedDeclarations }), lib: ['ES2022', 'DOM'] }
    const said = await compile(compiler, given, folder => cpSync(path(`user/${file}`), join(folder, file)))
    expect(said).toBe('')
  }
)

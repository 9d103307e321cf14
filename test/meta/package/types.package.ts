import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, test } from 'vitest'
import { tenLines } from './ten-lines.ts'

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Each with the declarations of Node.js that its users have. */
const COMPILERS = [
  { typescript: 'typescript-5.4', nodeTypes: 'node-types-20' },
  { typescript: 'typescript-newest', nodeTypes: 'node-types-newest' }
]

const MODES = [
  { mode: 'node16', options: { module: 'node16', moduleResolution: 'node16' } },
  { mode: 'nodenext', options: { module: 'nodenext', moduleResolution: 'nodenext' } },
  { mode: 'bundler', options: { module: 'preserve', moduleResolution: 'bundler' } },
  { mode: 'nodenext with DOM', options: { module: 'nodenext', lib: ['ES2022', 'DOM'] } }
]

/** A user's project with the package, and with the sources written by `write`; returns what the compiler says. */
function compile(
  { typescript, nodeTypes }: { typescript: string; nodeTypes: string | undefined },
  options: object,
  write: (folder: string) => void
): string {
  const folder = mkdtempSync(join(inject('folder'), 'types-'))
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
  if (nodeTypes !== undefined)
    symlinkSync(path(`node_modules/${nodeTypes}`), join(folder, 'node_modules/@types/node'))
  write(folder)
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2022'],
    types: ['node'],
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    ...options
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*'] }))
  const { stdout, stderr } = spawnSync('node', [path(`node_modules/${typescript}/bin/tsc`)], {
    cwd: folder,
    encoding: 'utf8'
  })
  return stdout + stderr
}

describe.each(COMPILERS)('$typescript', compiler => {
  test.each(MODES)('$mode', ({ options }) => {
    const said = compile(compiler, options, folder => {
      for (const extension of ['mts', 'cts']) {
        writeFileSync(join(folder, `ten-lines.${extension}`), tenLines)
        cpSync(path('user/entries.mts'), join(folder, `entries.${extension}`))
      }
      cpSync(path('user/requires.cts'), join(folder, 'requires.cts'))
    })
    expect(said).toBe('')
  })

  test("a Worker's project without @types/node, without skipLibCheck", () => {
    const said = compile(
      { ...compiler, nodeTypes: undefined },
      {
        module: 'preserve',
        moduleResolution: 'bundler',
        types: [path('node_modules/@cloudflare/workers-types')]
      },
      folder => cpSync(path('user/worker.mts'), join(folder, 'worker.mts'))
    )
    expect(said).toBe('')
  })

  test('the types are as documented', () => {
    const said = compile(
      compiler,
      // The library that vitest has `expectTypeOf` from.
      { module: 'nodenext', paths: { vitest: [path('../../../node_modules/expect-type/dist/index.d.ts')] } },
      folder => {
        for (const file of readdirSync(path('../types'))) {
          cpSync(path(`../types/${file}`), join(folder, file.replace(/\.ts$/, '.mts')))
        }
      }
    )
    expect(said).toBe('')
  })
})

import { relative } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import type { OutputChunk } from 'rollup'
import { expect, test } from 'vitest'
import { bundle, outputOf } from '../../../build/bundle.ts'

const ALWAYS = { bundle: true, format: 'esm', platform: 'node', packages: 'external', write: false } as const

/**
 * Returns the packages and the files of `src/` that are loaded with this code. An import that runs later does not
 * count.
 */
async function bundleOf(options: BuildOptions): Promise<{ files: string[]; packages: string[] }> {
  const { metafile } = await build({ ...ALWAYS, splitting: true, outdir: 'bundle', metafile: true, ...options })
  const [output] = Object.values(metafile!.outputs).filter(({ entryPoint }) => entryPoint !== undefined)
  const imports = output!.imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path)
  const inputs = Object.entries(output!.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  return {
    files: inputs.map(([file]) => file).filter(file => file.startsWith('src/')),
    packages: [...new Set(imports.filter(path => !path.startsWith('node:')))]
  }
}
const bundleOfNames = (names: string, from: string) =>
  bundleOf({ stdin: { contents: `export { ${names} } from './src/${from}'`, resolveDir: '.' } })

const receiver = await bundleOfNames('createVerifier, dnsTxtLookup, fromNodeRequest', 'index.ts')

test.each([
  { what: 'RFC 9421', has: 'src/core/standards/draft-cavage/scheme.ts', not: /rfc9421/ },
  {
    what: 'the search for what changed a body, before it is needed',
    has: 'src/core/checks/digest.ts',
    not: /body\/change/
  },
  {
    what: 'explain, fixtures, DNS messages and the door',
    has: 'src/core/key/dns.ts',
    not: /^src\/(?:explain|doh|fixture|tools)\//
  }
])('a receiver that accepts the draft has nothing of $what', ({ has, not }) => {
  expect(receiver.files).toContain(has)
  expect(receiver.files.filter(file => not.test(file))).toEqual([])
})

test('it loads few files, and no package', () => {
  expect(receiver.files.length).toBeLessThanOrEqual(50)
  expect(receiver.packages).toEqual([])
})

test('RFC 9421 comes with its import', async () => {
  const { files, packages } = await bundleOfNames('rfc9421', 'standards/rfc9421/index.ts')
  expect(files).toContain('src/core/standards/rfc9421/scheme.ts')
  expect(packages).toEqual(['structured-headers'])
})

test('the gateway has no verifier and no explanation built in: it imports those of the package', async () => {
  const options = { entryPoints: ['gateway/src/cli.ts'], tsconfig: 'gateway/tsconfig.build.json', splitting: false }
  const { files, packages } = await bundleOf(options)
  expect(files).toContain('src/core/options/options.ts')
  expect(packages).toContain('signed-requests')
  const own = /^src\/(?:core\/(?:verify\.ts|checks|verdict|replay)|explain\/causes|fixture|testing|account|doh)/
  expect(files.filter(file => own.test(file))).toEqual([])
})

const FORMATS = ['esm', 'cjs'] as const
const [esm, cjs] = await Promise.all(
  FORMATS.map(async format => {
    // Shortening the code takes most of the time, and moves nothing from one file to another.
    const { output } = await (await bundle(format)).generate({ ...outputOf(format), plugins: [] })
    return output.filter(file => file.type === 'chunk')
  })
)

/** Returns the files that are loaded with this one, itself included. */
function loadedWith(name: string, chunks: readonly OutputChunk[]): OutputChunk[] {
  const names = new Set([name])
  const of = (name: string) => chunks.find(({ fileName }) => fileName === name)
  for (const each of names) for (const next of of(each)?.imports ?? []) names.add(next)
  return chunks.filter(({ fileName }) => names.has(fileName))
}
const modulesIn = (chunks: readonly OutputChunk[]): string[] =>
  chunks.flatMap(({ moduleIds }) => moduleIds.map(id => relative('.', id))).sort()

test.each([
  { how: 'import', entry: 'index.js', chunks: esm! },
  { how: 'require', entry: 'index.cjs', chunks: cjs! }
])('$how of the package loads two files, and the search for what changed a body is another', ({ entry, chunks }) => {
  const loaded = loadedWith(entry, chunks)
  expect(loaded.map(({ name }) => name).sort()).toEqual(['index', 'library'])
  expect(loaded.flatMap(({ dynamicImports }) => dynamicImports)).toEqual([
    chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('body/change.ts'))?.fileName
  ])
})

test('an entry of the library loads nothing of the command line', () => {
  const entries = esm!.filter(({ isEntry, name }) => isEntry && name !== 'cli')
  for (const { fileName } of entries)
    expect(modulesIn(loadedWith(fileName, esm!)).filter(file => !file.startsWith('src/'))).toEqual([])
})

test('the command line loads a command, and what that needs besides the library, when it is asked for', () => {
  const main = esm!.find(({ facadeModuleId }) => facadeModuleId?.endsWith('cli/main.ts'))!
  const loaded = loadedWith(main.fileName, esm!)
  expect(modulesIn(loaded.filter(({ name }) => name !== 'library'))).toEqual([
    'cli/command.ts',
    'cli/commands.ts',
    'cli/flags.ts',
    'cli/main.ts',
    'cli/run-command.ts',
    'flags/commands.ts',
    'flags/help.ts',
    'flags/parse.ts',
    'flags/table.ts',
    'flags/usage-error.ts',
    'flags/variables.ts'
  ])
})

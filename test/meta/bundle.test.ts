import { type BuildOptions, build } from 'esbuild'
import { expect, test } from 'vitest'

/** The files of `src/` that are loaded with this code, and the packages. What is imported when needed does not count. */
async function bundleOf(options: BuildOptions): Promise<{ files: string[]; packages: string[] }> {
  const always = { bundle: true, format: 'esm', platform: 'node', packages: 'external', write: false } as const
  const { metafile } = await build({ ...always, splitting: true, outdir: 'bundle', metafile: true, ...options })
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
  { what: 'RFC 9421', has: 'src/standards/draft-cavage/scheme.ts', not: /rfc9421/ },
  { what: 'the search for what changed a body, before it is needed', has: 'src/checks/digest.ts', not: /body\/change/ },
  {
    what: 'explain, fixtures, DNS messages and the door',
    has: 'src/key/dns.ts',
    not: /^src\/(?:explain|doh|fixture|tools)\//
  }
])('a receiver that accepts the draft has nothing of $what', ({ has, not }) => {
  expect(receiver.files).toContain(has)
  expect(receiver.files.filter(file => not.test(file))).toEqual([])
})

test('it loads few files, and no package', () => {
  expect(receiver.files.length).toBeLessThanOrEqual(46)
  expect(receiver.packages).toEqual([])
})

test('RFC 9421 comes with its import', async () => {
  const { files, packages } = await bundleOfNames('rfc9421', 'standards/rfc9421/index.ts')
  expect(files).toContain('src/standards/rfc9421/scheme.ts')
  expect(packages).toEqual(['structured-headers'])
})

test('of the library the gateway has what comes through the door built in, and nothing else', async () => {
  const options = { entryPoints: ['gateway/src/cli.ts'], tsconfig: 'gateway/tsconfig.build.json', splitting: false }
  expect((await bundleOf(options)).files.sort()).toEqual([
    'src/explain/settings.ts',
    'src/http/uri.ts',
    'src/key/rsa-der.ts',
    'src/mistakes.ts',
    'src/options/options.ts',
    'src/tools/index.ts'
  ])
})

import { type BuildOptions, build } from 'esbuild'
import { expect, test } from 'vitest'
import { pastDoor } from '../../build/past-door.ts'

const ALWAYS = { bundle: true, format: 'esm', platform: 'node', packages: 'external', write: false } as const

/** The files of `src/` that are loaded with this code, and the packages. What is imported when needed does not count. */
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
  expect(receiver.files.length).toBeLessThanOrEqual(50)
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
    'src/body/pieces.ts',
    'src/explain/settings.ts',
    'src/explain/text.ts',
    'src/http/fields.ts',
    'src/http/uri.ts',
    'src/key/rsa-der.ts',
    'src/memo.ts',
    'src/mistakes.ts',
    'src/options/defaults.ts',
    'src/platforms/node/pieces.ts',
    'src/result/codes.ts',
    'src/result/result.ts',
    'src/tools/index.ts'
  ])
})

test('the command line loads a command, and what it needs of the library, when it is asked for', async () => {
  const options = { entryPoints: ['cli/main.ts'], plugins: [pastDoor] }
  const { metafile } = await build({ ...ALWAYS, ...options, splitting: true, outdir: 'bundle', metafile: true })
  const { outputs } = metafile!
  const loaded = new Set<string>()
  const load = (path: string): void => {
    const { inputs, imports } = outputs[path]!
    for (const file of Object.keys(inputs)) loaded.add(file)
    for (const { path: next, kind } of imports) if (kind === 'import-statement' && next in outputs) load(next)
  }
  load(Object.keys(outputs).find(path => outputs[path]!.entryPoint === 'cli/main.ts')!)
  const files = [...loaded].filter(file => file.startsWith('src/') || file.startsWith('cli/')).sort()
  expect(files).toEqual([
    'cli/command.ts',
    'cli/commands.ts',
    'cli/flags.ts',
    'cli/main.ts',
    'cli/run.ts',
    'src/explain/settings.ts',
    'src/explain/text.ts',
    'src/http/uri.ts',
    'src/key/rsa-der.ts',
    'src/mistakes.ts',
    'src/options/defaults.ts'
  ])
})

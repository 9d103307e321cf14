import { gzipSync } from 'node:zlib'
import { build, type Metafile } from 'esbuild'
import { afterAll, describe, expect, inject, test } from 'vitest'

/**
 * How many bytes importing these names costs, minified and compressed (gzip -9), without the dependencies. `lazy` is what
 * an import() brings when a request of RFC 9421 comes.
 */
const LIMITS = [
  { names: '*', now: 29_000, lazy: 3_900 },
  { names: '{ createVerifier, fromNodeRequest, httpStatus }', now: 20_500, lazy: 3_900 },
  { names: '{ parseHttpDate }', now: 3_900, lazy: 0 }
]

interface Bundle {
  text: string
  /** modules of Node.js that are loaded with it */
  builtins: string[]
  now: number
  lazy: number
}

/** Bundles what a program that imports these names needs; what an import() loads stays in files of its own. */
async function bundle(names: string, options: { minify: boolean }): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export ${names} from 'signed-requests'`, resolveDir: inject('folder') },
    external: ['structured-headers'],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    metafile: true,
    write: false,
    outdir: 'out',
    logLevel: 'error',
    ...options
  })
  const entry = Object.keys(metafile.outputs).find(file => metafile.outputs[file]?.entryPoint === '<stdin>')!
  const loaded = reach(metafile, [entry], ['import-statement'])
  const later = reach(metafile, loaded, ['import-statement', 'dynamic-import']).filter(
    file => !loaded.includes(file)
  )
  const contents = (file: string) => outputFiles.find(({ path }) => path.endsWith(file))!.contents
  const size = (files: string[]) =>
    files.reduce((sum, file) => sum + gzipSync(contents(file), { level: 9 }).length, 0)
  return {
    text: loaded.map(file => Buffer.from(contents(file)).toString()).join('\n'),
    builtins: loaded.flatMap(file =>
      metafile.outputs[file]!.imports.filter(({ external }) => external).map(({ path }) => path)
    ),
    now: size(loaded),
    lazy: size(later)
  }
}

/** The files that loading some files loads, by these kinds of import. */
function reach({ outputs }: Metafile, from: readonly string[], kinds: readonly string[]): string[] {
  const reached = new Set(from)
  for (const file of reached) {
    for (const { path, kind, external } of outputs[file]!.imports) {
      if (!external && kinds.includes(kind)) reached.add(path)
    }
  }
  return [...reached]
}

describe('a bundle of one pure step leaves out', () => {
  // Told by a name in each, which is there when all of it is bundled.
  const PARTS = {
    'the verifier': 'createVerifier',
    'the lookup': 'dnsTxtLookup',
    'the adapters': 'fromNodeRequest'
  }
  const isDns = (name: string) => /^(?:node:)?dns/.test(name)

  test('nothing, when it is all imported', async () => {
    const { text, builtins } = await bundle('*', { minify: false })
    for (const name of Object.values(PARTS)) expect(text).toContain(`function ${name}(`)
    expect(builtins.filter(isDns)).not.toEqual([])
  })

  test.each(['parseHttpDate', 'parseSignatureHeader', 'parseDigestHeader', 'parseKeyRecord'])(
    '%s',
    async name => {
      const { text, builtins } = await bundle(`{ ${name} }`, { minify: false })
      expect(text).toContain(`function ${name}(`)
      expect(builtins.filter(isDns)).toEqual([])
      expect(Object.entries(PARTS).filter(([, other]) => text.includes(other))).toEqual([])
    }
  )
})

test('a bundle for another platform leaves out the modules of Node.js by their prefix', async () => {
  const { outputFiles, errors } = await build({
    stdin: { contents: "export * from 'signed-requests'", resolveDir: inject('folder') },
    external: ['structured-headers', 'node:*'],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    write: false,
    logLevel: 'silent'
  })
  expect(errors).toEqual([])
  expect(outputFiles[0]?.text).toContain('"node:crypto"')
})

describe('sizes', () => {
  const table: object[] = []
  afterAll(() => console.table(table))

  test.each(LIMITS)('$names', async ({ names, ...limits }) => {
    const { now, lazy } = await bundle(names, { minify: true })
    table.push({ names, now, 'at most': limits.now, lazy, 'at most, lazy': limits.lazy })
    expect(now).toBeLessThanOrEqual(limits.now)
    expect(lazy).toBeLessThanOrEqual(limits.lazy)
  })
})

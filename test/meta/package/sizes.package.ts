import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { afterAll, describe, expect, inject, test } from 'vitest'

/**
 * How many bytes importing these names costs, minified and compressed (gzip -9), without the dependencies and without
 * what is imported when it is needed.
 */
const LIMITS = [
  { names: '*', limit: 40_700 },
  { names: '{ createVerifier, fromNodeRequest }', limit: 19_800 },
  { names: '{ createVerifier, fromNodeRequest, nodeHandler }', limit: 21_000 },
  { names: '{ parseHttpDate }', limit: 3_900 }
]

interface Bundle {
  text: string
  /** what is imported from elsewhere: modules of Node.js and packages */
  imports: string[]
  size: number
}

/** Bundles what a program that imports these names needs. */
async function bundle(names: string, options: { minify: boolean }): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export ${names} from 'signed-requests'`, resolveDir: inject('folder') },
    external: ['structured-headers', 'dns-packet'],
    bundle: true,
    splitting: true,
    outdir: 'bundle',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    metafile: true,
    write: false,
    logLevel: 'error',
    ...options
  })
  const file = outputFiles.find(({ path }) => path.endsWith('stdin.js'))!
  const output = metafile.outputs['bundle/stdin.js']!
  return {
    text: file.text,
    imports: output.imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path),
    size: gzipSync(file.contents, { level: 9 }).length
  }
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
    const { text, imports } = await bundle('*', { minify: false })
    for (const name of Object.values(PARTS)) expect(text).toContain(`function ${name}(`)
    expect(imports.filter(isDns)).not.toEqual([])
  })

  test.each(['parseHttpDate', 'parseSignatureHeader', 'parseDigestHeader', 'parseKeyRecord'])('%s', async name => {
    const { text, imports } = await bundle(`{ ${name} }`, { minify: false })
    expect(text).toContain(`function ${name}(`)
    expect(imports.filter(isDns)).toEqual([])
    expect(Object.entries(PARTS).filter(([, other]) => text.includes(other))).toEqual([])
  })
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

  test.each(LIMITS)('$names', async ({ names, limit }) => {
    const { size } = await bundle(names, { minify: true })
    table.push({ names, size, limit })
    expect(size).toBeLessThanOrEqual(limit)
  })

  test('the main entry imports no package', async () => {
    const { imports } = await bundle('*', { minify: true })
    expect(imports.filter(path => !path.startsWith('node:'))).toEqual([])
  })
})

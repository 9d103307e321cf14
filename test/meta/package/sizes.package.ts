import { relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, inject, test } from 'vitest'

/** Bundles what a program that imports these names needs, minified. */
async function bundle(names: string) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export ${names} from 'signed-requests'`, resolveDir: inject('folder') },
    external: ['structured-headers', 'dns-packet'],
    bundle: true,
    splitting: true,
    outdir: 'bundle',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minify: true,
    metafile: true,
    write: false
  })
  const loaded = new Set(['bundle/stdin.js'])
  for (const path of loaded)
    for (const { path: next, kind } of metafile.outputs[path]?.imports ?? [])
      if (kind === 'import-statement') loaded.add(next)
  const files = outputFiles.filter(({ path }) => loaded.has(relative('.', path)))
  return {
    /** compressed (gzip -9), without the dependencies and the modules that are imported on demand */
    size: files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0),
    /** imports from elsewhere: modules of Node.js and packages */
    imports: [...loaded].filter(path => !(path in metafile.outputs))
  }
}

test.each([
  { names: '*', limit: 44_300, hasDns: true },
  { names: '{ createVerifier, fromNodeRequest }', limit: 21_200, hasDns: true },
  { names: '{ createVerifier, fromNodeRequest, nodeHandler }', limit: 23_000, hasDns: true },
  { names: '{ parseHttpDate }', limit: 2_800, hasDns: false },
  { names: '{ parseSignatureHeader }', limit: 3_700, hasDns: false },
  { names: '{ parseDigestHeader }', limit: 3_700, hasDns: false },
  { names: '{ parseKeyRecord }', limit: 4_300, hasDns: false }
])('$names costs at most $limit bytes, imports no package, and DNS where it looks keys up: $hasDns', async row => {
  const { size, imports } = await bundle(row.names)
  expect(size).toBeLessThanOrEqual(row.limit)
  expect(imports.filter(path => !path.startsWith('node:'))).toEqual([])
  expect(imports.some(path => path.startsWith('node:dns'))).toBe(row.hasDns)
})

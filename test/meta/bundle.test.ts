import { build } from 'esbuild'
import { expect, test } from 'vitest'

/**
 * The files of `src/` that are loaded with this code, and the packages that it imports. What is imported when it is
 * needed does not count.
 */
async function bundleOf(code: string): Promise<{ files: string[]; packages: string[] }> {
  const { metafile } = await build({
    stdin: { contents: code, resolveDir: '.' },
    bundle: true,
    splitting: true,
    outdir: 'bundle',
    format: 'esm',
    platform: 'node',
    packages: 'external',
    metafile: true,
    write: false
  })
  const output = metafile.outputs['bundle/stdin.js']!
  const imports = output.imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path)
  return {
    files: Object.entries(output.inputs)
      .filter(([file, { bytesInOutput }]) => file.startsWith('src/') && bytesInOutput > 0)
      .map(([file]) => file),
    packages: [...new Set(imports.filter(path => !path.startsWith('node:')))]
  }
}

test('a receiver that accepts the draft bundles nothing of RFC 9421, and no package', async () => {
  const { files, packages } = await bundleOf("export { createVerifier, fromNodeRequest } from './src/index.ts'")
  expect(files).toContain('src/standards/draft-cavage/scheme.ts')
  expect(files.filter(file => file.includes('rfc9421'))).toEqual([])
  expect(packages).toEqual([])
})

test('one check loads few files, and the search for what changed a body only when it is needed', async () => {
  const { files } = await bundleOf("export { createVerifier, fromNodeRequest } from './src/index.ts'")
  expect(files).toContain('src/checks/digest.ts')
  expect(files).not.toContain('src/body/change.ts')
  expect(files.length).toBeLessThanOrEqual(46)
})

test('RFC 9421 comes with its import', async () => {
  const { files, packages } = await bundleOf("export { rfc9421 } from './src/standards/rfc9421/index.ts'")
  expect(files).toContain('src/standards/rfc9421/scheme.ts')
  expect(packages).toEqual(['structured-headers'])
})

test('of the library the gateway has the table of its options and the forms of hosts and paths built in, and nothing else', async () => {
  const { metafile } = await build({
    entryPoints: ['gateway/src/cli.ts'],
    tsconfig: 'gateway/tsconfig.build.json',
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    metafile: true,
    write: false
  })
  const [output] = Object.values(metafile.outputs)
  const files = Object.entries(output!.inputs).filter(
    ([file, { bytesInOutput }]) => file.startsWith('src/') && bytesInOutput > 0
  )
  expect(files.map(([file]) => file).sort()).toEqual([
    'src/http/uri.ts',
    'src/key/rsa-der.ts',
    'src/mistakes.ts',
    'src/options/flags.ts',
    'src/options/options.ts'
  ])
})

test('the verifier has no help text', async () => {
  const { files } = await bundleOf("export { createVerifier, fromNodeRequest } from './src/index.ts'")
  expect(files).toContain('src/options/options.ts')
  expect(files).not.toContain('src/options/flags.ts')
})

test('the verifier has nothing of the command line, of explain and of DNS messages', async () => {
  const { files, packages } = await bundleOf("export { createVerifier, dnsTxtLookup } from './src/index.ts'")
  expect(files).toContain('src/key/dns.ts')
  expect(files.filter(file => /^src\/(?:cli|explain|doh|fixture)\//.test(file))).toEqual([])
  expect(packages).toEqual([])
})

import { resolve } from 'node:path'
import { transform } from 'esbuild'
import { type GetModuleInfo, type OutputOptions, type Plugin, type RollupBuild, rollup } from 'rollup'

/** The public entries, by the path that each has in `dist/`. */
export const ENTRIES = {
  index: 'src/index.ts',
  'account/index': 'src/account/index.ts',
  'doh/index': 'src/doh/index.ts',
  'replay/index': 'src/replay/index.ts',
  'rfc9421/index': 'src/standards/rfc9421/index.ts',
  'testing/index': 'src/testing/index.ts'
}

/**
 * The library, and of ESM the command line too, in one graph: each module is there once, whatever entry it is reached
 * by. A module is loaded for the names that are used of it: `--help` needs nothing of what the door exports besides.
 */
export const bundle = (format: 'esm' | 'cjs'): Promise<RollupBuild> =>
  rollup({
    input: format === 'esm' ? { ...ENTRIES, cli: 'cli/bin.ts' } : ENTRIES,
    external: id => /^[a-z]/.test(id) && !/^(?:src|cli)\//.test(id),
    treeshake: { moduleSideEffects: id => id.startsWith(resolve('cli')) },
    plugins: [withoutTypes],
    onwarn(warning) {
      throw new Error(warning.message)
    }
  })

const withoutTypes: Plugin = {
  name: 'without-types',
  async transform(code, file) {
    return { code: (await transform(code, { loader: 'ts', target: 'node20', sourcefile: file })).code, map: null }
  }
}

/** Of CommonJS, which no bundler shakes, the white space is left out; names stay, so that a stack trace can be read. */
const withoutSpace: Plugin = {
  name: 'without-space',
  async renderChunk(code) {
    return { code: (await transform(code, { minifyWhitespace: true, target: 'node20' })).code, map: null }
  }
}

/**
 * All that `import 'signed-requests'` needs is one file, `library`: Node.js takes half a millisecond to find each.
 * Whatever else is shared, or imported when it is needed, has files of its own.
 */
export const outputOf = (format: 'esm' | 'cjs'): OutputOptions => ({
  format,
  entryFileNames: `[name].${format === 'esm' ? 'js' : 'cjs'}`,
  chunkFileNames: `[name]-[hash].${format === 'esm' ? 'js' : 'cjs'}`,
  manualChunks: (id, { getModuleInfo }) => (isImported(id, resolve(ENTRIES.index), getModuleInfo) ? 'library' : null),
  onlyExplicitManualChunks: true,
  // An entry imports what it uses, and not what that imports.
  hoistTransitiveImports: false,
  esModule: true,
  generatedCode: { preset: 'es2015', symbols: false },
  plugins: format === 'esm' ? [] : [withoutSpace]
})

/** Is it imported by this module, or by what that imports, before anything is run? */
function isImported(id: string, by: string, getModuleInfo: GetModuleInfo): boolean {
  const found = new Set([by])
  for (const each of found) for (const next of getModuleInfo(each)!.importedIds) found.add(next)
  return found.has(id)
}

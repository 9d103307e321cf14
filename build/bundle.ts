import { resolve } from 'node:path'
import { transform } from 'esbuild'
import { type GetModuleInfo, type OutputOptions, type Plugin, type RollupBuild, rollup } from 'rollup'
import { minify } from 'terser'

/** The public entries, by the path that each has in `dist/`. */
export const ENTRIES = {
  index: 'src/index.ts',
  'account/index': 'src/account/index.ts',
  'doh/index': 'src/doh/index.ts',
  'recorder/index': 'src/recorder/index.ts',
  'replay/index': 'src/replay/index.ts',
  'rfc9421/index': 'src/rfc9421/index.ts',
  'testing/index': 'src/testing/index.ts'
}

/**
 * Bundles the library, and for ESM the command line too, in one graph: each module exists once, whichever entry reaches
 * it. A module is loaded for the names that are used of it: `--help` needs nothing else that src/internal exports.
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

/**
 * Leaves out white space and long names: code is half of the tarball. Exported functions and classes keep their names,
 * for stack traces and errors; annotations stay for bundlers. A line is short, because for an error that nobody catches
 * Node.js prints the whole line that threw it.
 */
const shorten: Plugin = {
  name: 'shorten',
  async renderChunk(code, _, __, { chunks }) {
    const reserved = Object.values(chunks).flatMap(({ isEntry, exports }) => (isEntry ? exports : []))
    const { code: shortened = '' } = await minify(code, {
      module: true,
      compress: { unused: false, side_effects: false, inline: false, reduce_vars: false },
      mangle: { reserved },
      format: { max_line_len: 500, preserve_annotations: true }
    })
    return { code: shortened, map: null }
  }
}

/**
 * `import 'signed-requests'` needs one file, `library`: Node.js takes half a millisecond to find each. Modules that are
 * shared otherwise, or imported on demand, have files of their own.
 */
export const outputOf = (format: 'esm' | 'cjs'): OutputOptions => ({
  format,
  entryFileNames: `[name].${format === 'esm' ? 'js' : 'cjs'}`,
  chunkFileNames: `[name]-[hash].${format === 'esm' ? 'js' : 'cjs'}`,
  manualChunks: (id, { getModuleInfo }) => (isImported(id, resolve(ENTRIES.index), getModuleInfo) ? 'library' : null),
  onlyExplicitManualChunks: true,
  // An entry imports what it uses, not what its imports use.
  hoistTransitiveImports: false,
  esModule: true,
  generatedCode: { preset: 'es2015', symbols: false },
  plugins: [shorten]
})

/** Returns whether this module imports it, directly or through others, before any code runs. */
function isImported(id: string, by: string, getModuleInfo: GetModuleInfo): boolean {
  const found = new Set([by])
  for (const each of found) for (const next of getModuleInfo(each)!.importedIds) found.add(next)
  return found.has(id)
}

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { defineConfig } from 'tsup'
import { ENTRIES } from './build/entries.ts'
import { commented, readable } from './build/readable.ts'

// Both formats of the library are written into dist, so neither build empties it.
for (const folder of ['dist', 'gateway/dist']) rmSync(folder, { recursive: true, force: true })

// The types of an ES module are those of CommonJS. TypeScript allows this in one direction only.
for (const name of Object.keys(ENTRIES)) {
  mkdirSync(`dist/${dirname(name)}`, { recursive: true })
  writeFileSync(`dist/${name}.d.ts`, `export * from './${basename(name)}.cjs'\n`)
}

export default defineConfig([
  // In one build with the library, the command line shares its files.
  { ...commented, entry: { ...ENTRIES, cli: 'cli/bin.ts' }, format: ['esm'] },
  {
    ...readable,
    entry: ENTRIES,
    format: ['cjs'],
    // Makes CommonJS by Rollup: the other way that tsup has replaces `?.` and `??` by slower code.
    treeshake: true,
    dts: {
      // Checking the types would take twice the time of this build: npm run check:types does it. Reading the types of
      // Node.js would take a third of it: a declaration names them and infers none, or it would have an any.
      compilerOptions: { noCheck: true, types: [] },
      banner: '// @ts-nocheck: without @types/node, types of its modules are any'
    }
  },
  // The gateway has its own files, the flags, and what src/internal of the library exports: every dependency stays one.
  {
    ...readable,
    entry: { cli: 'gateway/src/bin.ts' },
    outDir: 'gateway/dist',
    format: ['esm'],
    skipNodeModulesBundle: true,
    // Without the paths by which the name of the library is its sources in this repository.
    tsconfig: 'gateway/tsconfig.build.json',
    // The page is static: it goes beside the code as it is.
    onSuccess: () => cp('gateway/src/page', 'gateway/dist/page', { recursive: true })
  }
])

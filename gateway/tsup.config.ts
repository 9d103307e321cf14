import { cp } from 'node:fs/promises'
import { defineConfig } from 'tsup'

/** Its own files, the flags, and what src/internal of the library exports: every dependency stays one. */
export default defineConfig({
  entry: { cli: 'src/bin.ts' },
  format: ['esm'],
  target: 'node20',
  clean: true,
  splitting: true,
  skipNodeModulesBundle: true,
  // Without the paths by which the name of the library is its sources in this repository.
  tsconfig: 'tsconfig.build.json',
  // The page is static: it goes beside the code as it is.
  onSuccess: () => cp('src/page', 'dist/page', { recursive: true })
})

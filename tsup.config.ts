import { defineConfig } from 'tsup'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    'account/index': 'src/account/index.ts',
    'replay/index': 'src/replay/index.ts',
    'testing/index': 'src/testing/index.ts'
  },
  format: ['esm', 'cjs'],
  target: 'node20',
  dts: true,
  // import.meta.url in CommonJS, for the fixtures
  shims: true,
  clean: true,
  splitting: true,
  treeshake: true
})

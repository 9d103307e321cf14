import { defineConfig, type Options } from 'tsup'

const library: Options = {
  entry: {
    index: 'src/index.ts',
    'account/index': 'src/account/index.ts',
    'doh/index': 'src/doh/index.ts',
    'draft-cavage/index': 'src/draft-cavage/index.ts',
    'replay/index': 'src/replay/index.ts',
    'rfc9421/index': 'src/rfc9421/index.ts',
    'testing/index': 'src/testing/index.ts'
  },
  format: ['esm', 'cjs'],
  target: 'node20',
  // `node:fs` stays `node:fs`: bundlers are told what is external by the prefix, and Deno knows no other name.
  removeNodeProtocol: false,
  dts: true,
  // import.meta.url in CommonJS, for the fixtures
  shims: true,
  clean: true,
  splitting: true,
  treeshake: true
}

/** The command line: one file for every command. */
export const commandLine: Options = {
  entry: { cli: 'src/cli/main.ts' },
  format: ['esm'],
  target: 'node20',
  removeNodeProtocol: false,
  splitting: true
}

export default defineConfig([library, commandLine])

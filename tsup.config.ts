import { defineConfig, type Options } from 'tsup'
import { pastDoor } from './build/past-door.ts'

const entry = {
  index: 'src/index.ts',
  'account/index': 'src/account/index.ts',
  'doh/index': 'src/doh/index.ts',
  'replay/index': 'src/replay/index.ts',
  'rfc9421/index': 'src/standards/rfc9421/index.ts',
  'testing/index': 'src/testing/index.ts'
}

const shared: Options = {
  target: 'node20',
  // `node:fs` stays `node:fs`: bundlers are told what is external by the prefix, and Deno knows no other name.
  removeNodeProtocol: false,
  splitting: true,
  treeshake: true,
  esbuildPlugins: [pastDoor]
}

/**
 * One set of declarations: build/declarations.mjs has those of ESM lead to those of CommonJS. Of CommonJS, which no
 * bundler shakes, the white space is left out; names stay, so that a stack trace can be read.
 */
export default defineConfig([
  { ...shared, entry: { ...entry, cli: 'cli/bin.ts' }, format: ['esm'], clean: true },
  { ...shared, entry, format: ['cjs'], dts: { entry }, minifyWhitespace: true }
])

import { readFileSync } from 'node:fs'
import { defineConfig, type Options } from 'tsup'

const library: Options = {
  entry: {
    index: 'src/index.ts',
    'account/index': 'src/account/index.ts',
    'draft-cavage/index': 'src/draft-cavage/index.ts',
    'replay/index': 'src/replay/index.ts',
    'rfc9421/index': 'src/rfc9421/index.ts',
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
}

/**
 * The command line is one file with dns2 in it (`send --serve-dns`), so that the package needs no dependency for it.
 * dns2 is CommonJS and requires Node's modules; its licence asks to be kept with it. The banner's name for createRequire
 * is its own, because the bundle imports that too.
 */
export const commandLine: Options = {
  entry: { cli: 'src/cli/main.ts' },
  format: ['esm'],
  target: 'node20',
  splitting: false,
  noExternal: ['dns2'],
  banner: {
    js: `import { createRequire as createRequireOfDns2 } from 'node:module'
const require = createRequireOfDns2(import.meta.url)
/*! With dns2, https://github.com/lsongdev/node-dns

${readFileSync('node_modules/dns2/LICENSE', 'utf8')}
*/`
  }
}

export default defineConfig([library, commandLine])

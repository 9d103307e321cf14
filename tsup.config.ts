import { readFileSync } from 'node:fs'
import { defineConfig, type Options } from 'tsup'

const licenceOf = (name: string): string => readFileSync(`node_modules/${name}/LICENSE`, 'utf8')

/**
 * dns-packet is bundled, so that a test kit that serves DNS needs no dependency. It is CommonJS and requires Node's
 * Buffer, and an ES module has no require. Its licence asks to be kept with it.
 */
const bufferOfDnsPacket: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'buffer-of-dns-packet',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^buffer$/ }, () => ({ path: 'buffer', namespace: 'dns-packet' }))
    onLoad({ filter: /^buffer$/, namespace: 'dns-packet' }, () => ({
      contents: `
/*! With dns-packet, https://github.com/mafintosh/dns-packet

${licenceOf('dns-packet')}
And @leichtgewicht/ip-codec, https://github.com/martinheidegger/ip-codec

${licenceOf('@leichtgewicht/ip-codec')}
*/
export { Buffer } from 'node:buffer'`,
      resolveDir: '.'
    }))
  }
}

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
  treeshake: true,
  esbuildPlugins: [bufferOfDnsPacket]
}

/** The command line is one file. */
export const commandLine: Options = {
  entry: { cli: 'src/cli/main.ts' },
  format: ['esm'],
  target: 'node20',
  removeNodeProtocol: false,
  splitting: false,
  esbuildPlugins: [bufferOfDnsPacket]
}

export default defineConfig([library, commandLine])

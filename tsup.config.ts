import { readFileSync } from 'node:fs'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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

/** The gateway's page is static: it goes beside the code as it is. */
const gatewayPage: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'gateway-page',
  setup({ initialOptions, onEnd }) {
    onEnd(() => cp('src/gateway/page', join(initialOptions.outdir!, 'page'), { recursive: true }))
  }
}

/** The licences of the packages that are bundled with the command line ask to be kept with them. */
const licences: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'licences',
  setup({ initialOptions, onEnd }) {
    onEnd(async ({ metafile }) => {
      const names = Object.keys(metafile?.inputs ?? {}).flatMap(
        path => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []
      )
      const texts = [...new Set(names)].sort().map(name => `${name}\n\n${licenceOf(name).trim()}\n`)
      await writeFile(join(initialOptions.outdir!, 'licences.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`))
    })
  }
}

/**
 * The command line: what each command needs at once, and files beside it for what the gateway alone loads. The packages
 * bundled with it are CommonJS and require modules of Node.js, and an ES module has no require.
 */
export const commandLine: Options = {
  entry: { cli: 'src/cli/main.ts' },
  format: ['esm'],
  target: 'node20',
  removeNodeProtocol: false,
  splitting: true,
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);"
  },
  esbuildPlugins: [bufferOfDnsPacket, gatewayPage, licences]
}

export default defineConfig([library, commandLine])

import { readdirSync, readFileSync } from 'node:fs'
import { cp, readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
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

/** What the gateway loads when it is asked for: clients of Redis and PostgreSQL, and Prometheus metrics. */
const COMMON_JS = ['ioredis', 'pg', 'prom-client']

/** They require modules of Node.js, and an ES module has no require: each is imported, and handed on as it is. */
const requireOfNode: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'require-of-node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:node:)?[a-z0-9_]+(?:\/[a-z]+)?$/ }, ({ path, kind }) =>
      kind === 'require-call' && isBuiltin(path)
        ? { path: path.replace(/^(?!node:)/, 'node:'), namespace: 'required' }
        : undefined
    )
    onResolve({ filter: /^imported:/ }, ({ path }) => ({ path: path.slice(9), namespace: 'imported' }))
    onLoad({ filter: /^/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require('imported:${path}').default`
    }))
    onLoad({ filter: /^/, namespace: 'imported' }, ({ path }) => ({
      contents: `export { default } from '${path}'`
    }))
  }
}

/** Every package that is bundled with the command line keeps its licence: in front of the first of its files. */
const keepLicences: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'keep-licences',
  setup({ onStart, onLoad }) {
    const seen = new Set<string>()
    onStart(() => seen.clear())
    onLoad({ filter: /node_modules\/.*\.js$/ }, async ({ path }) => {
      const [, folder = '', name = ''] = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(path) ?? []
      const contents = await readFile(path, 'utf8')
      if (seen.has(name)) return { contents }
      seen.add(name)
      return { contents: `/*! With ${name}\n\n${licenceIn(folder)}*/\n${contents}` }
    })
  }
}

function licenceIn(folder: string): string {
  const find = (pattern: RegExp) => {
    const file = readdirSync(folder).find(name => pattern.test(name))
    return file && readFileSync(`${folder}/${file}`, 'utf8')
  }
  const text = find(/^licen[cs]e/i) ?? find(/^readme/i)?.match(/^#+ licen[cs]e[\s\S]*/im)?.[0]
  if (text === undefined) throw new Error(`${folder} has no licence`)
  return text.replaceAll('*/', '')
}

/** The gateway's page is static: it goes beside the code as it is. */
const copyPage: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'copy-page',
  setup({ initialOptions, onEnd }) {
    onEnd(() => cp('gateway/src/page', `${initialOptions.outdir}/page`, { recursive: true }))
  }
}

/** The command line: one file for every command, and files that the gateway loads. */
export const commandLine: Options = {
  entry: { cli: 'src/cli/main.ts' },
  format: ['esm'],
  target: 'node20',
  removeNodeProtocol: false,
  splitting: true,
  noExternal: COMMON_JS,
  external: ['pg-native'],
  esbuildPlugins: [requireOfNode, keepLicences, copyPage]
}

export default defineConfig([library, commandLine])

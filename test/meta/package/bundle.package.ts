import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { build } from 'esbuild'
import { expect, inject, test } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }

const installed = join(inject('folder'), 'node_modules/signed-requests')
const gateway = join(inject('gatewayFolder'), 'node_modules/signed-requests-gateway')

/** Bundles what a program that imports these names needs, as its bundler does. Returns its functions and imports. */
async function bundleOf(names: string, entry = 'signed-requests') {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export { ${names} } from '${entry}'`, resolveDir: inject('folder') },
    external: Object.keys(manifest.dependencies),
    bundle: true,
    format: 'esm',
    platform: 'node',
    metafile: true,
    write: false
  })
  const [file] = outputFiles
  return {
    functions: [...file!.text.matchAll(/\bfunction (\w+)/g)].map(([, name]) => name),
    imports: [...new Set(Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path)))]
  }
}

test('a bundler leaves out what a receiver does not import: explanations, handlers, RFC 9421 and packages', async () => {
  const { functions, imports } = await bundleOf('createVerifier, fromNodeRequest')
  expect(functions).toContain('createVerifier')
  const others = ['diagnose', 'explain', 'nodeHandler', 'lambdaHandler', 'parseSignatureInput', 'createRecorder']
  expect(functions.filter(name => others.includes(name!))).toEqual([])
  expect(imports.filter(path => !path.startsWith('node:'))).toEqual([])
})

test.each(['parseHttpDate', 'parseSignatureHeader', 'parseDigestHeader', 'parseKeyRecord'])(
  '%s alone brings neither the verifier nor DNS',
  async name => {
    const { functions, imports } = await bundleOf(name)
    expect(functions).toContain(name)
    expect(functions).not.toContain('createVerifier')
    expect(imports.filter(path => path.includes('dns'))).toEqual([])
  }
)

test('RFC 9421 comes with its import', async () => {
  const { functions, imports } = await bundleOf('rfc9421', 'signed-requests/rfc9421')
  expect(functions).toContain('parseSignatureInput')
  expect(imports.filter(path => !path.startsWith('node:'))).toEqual(['structured-headers'])
})

/** Returns the source files of what is loaded with a file of the package: each is named above its code. */
function sourcesLoadedWith(file: string): string[] {
  const names = new Set([file])
  return [...names].flatMap(function sourcesOf(name): string[] {
    const text = readFileSync(join(installed, 'dist', name), 'utf8')
    const imports = text.matchAll(/^(?:import|export|\})[^;'"(]*?"(\.{1,2}\/[^"]+)"/gm)
    const found = [...imports].map(([, path]) => posix.join(posix.dirname(name), path!))
    const fresh = found.filter(path => !names.has(path))
    for (const path of fresh) names.add(path)
    return [...text.matchAll(/^\/\/ (\S+\.ts)$/gm)].map(([, source]) => source!).concat(fresh.flatMap(sourcesOf))
  })
}

test.each(Object.keys(manifest.exports).filter(name => !name.endsWith('.json')))(
  '%s loads nothing of the command line',
  entry => {
    const sources = sourcesLoadedWith(posix.join(entry, 'index.js'))
    expect(sources.length).toBeGreaterThan(3)
    expect(sources.filter(source => !source.startsWith('src/'))).toEqual([])
  }
)

test('the verifier loads without what explains, records or signs', () => {
  const sources = sourcesLoadedWith('replay/index.js').concat(sourcesLoadedWith('rfc9421/index.js'))
  expect(sources).toContain('src/core/standards/rfc9421/scheme.ts')
  expect(sources.filter(source => /^src\/(?:explain|recorder|testing|fixture)\//.test(source))).toEqual([])
})

test('the command line loads what verifies and explains when a command is asked for, and not for its help', () => {
  const [main = ''] = readdirSync(join(installed, 'dist')).filter(name => name.startsWith('main-'))
  const sources = sourcesLoadedWith(main)
  expect(sources).toEqual(expect.arrayContaining(['cli/commands.ts', 'flags/help.ts']))
  expect(sources.filter(source => /^src\/(?!core|internal)|core\/(?:verify|checks)/.test(source))).toEqual([
    'src/explain/settings.ts',
    'src/explain/text.ts'
  ])
})

test('the gateway verifies with the library that is installed, and has no second one built in', () => {
  const files = readdirSync(join(gateway, 'dist')).filter(name => name.endsWith('.js'))
  const text = files.map(name => readFileSync(join(gateway, 'dist', name), 'utf8')).join('\n')
  const sources = [...text.matchAll(/^\/\/ (\S+\.ts)$/gm)].map(([, source]) => source!)
  expect(sources).toContain('gateway/src/cli.ts')
  expect(text).toMatch(/import \{[^}]*\bcreateVerifier\b[^}]*\} from "signed-requests"/)
  expect(sources.filter(source => /core\/(?:verify|checks|verdict\/memory)|explain\/causes/.test(source))).toEqual([])
})

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'
import { formatNames } from '../../cli/captures/formats.ts'
import { loadExamples } from './examples.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Maps the Node.js modules that the library and the command import to their replacements in a browser. */
const MODULES: Readonly<Record<string, string>> = {
  buffer: at('../node_modules/buffer/index.js'),
  'node:crypto': at('crypto.ts'),
  'node:net': at('node-modules.ts'),
  'node:util': at('node-modules.ts'),
  'node:diagnostics_channel': at('node-modules.ts'),
  'node:dns/promises': at('node-modules.ts')
}

/** No other Node.js module may be left in the bundle. */
const withoutNode: Plugin = {
  name: 'without-node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:|^buffer$/ }, ({ path }) => {
      const file = MODULES[path]
      return file === undefined ? { path, namespace: 'absent' } : { path: file }
    })
    onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: 'module.exports = {}' }))
  }
}

async function bundle(entry: string, options: object = {}): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [at(entry)],
    bundle: true,
    write: false,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    legalComments: 'none',
    plugins: [withoutNode],
    ...options
  })
  return outputFiles[0]!.text.trim()
}

const sourceOf = (code: string): string => `'sha256-${createHash('sha256').update(code).digest('base64')}'`

const makeWorker = (): Promise<string> => bundle('worker.ts', { inject: [at('buffer.ts')] })

/** Returns the form, without blank lines, which would end it in Markdown. */
const form = (offline: string): string =>
  readFileSync(at('form.html'), 'utf8')
    .replace('<!-- formats -->', () => `Any of these: ${formatNames()}.`)
    .replace('<!-- offline -->', () => offline)
    .replace(/\n\s*\n/g, '\n')

/** Makes the page of the site, in Markdown, with the program of its worker and the examples. */
export async function makeExplainPart(): Promise<{ markdown: string; worker: string; examples: string }> {
  const offline = '<p>It works offline, too: <a href="../explain.html" download>save it as one file</a>.</p>'
  const markdown = [
    '---',
    'title: Explain in the browser',
    'description: Says why a signed HTTP request is refused, check by check, in the browser.',
    'layout: page',
    'sidebar: false',
    '---',
    '',
    `<div class="explain">\n${form(offline)}</div>`,
    '',
    '<ExplainRequest />',
    ''
  ].join('\n')
  return { markdown, worker: await makeWorker(), examples: JSON.stringify(loadExamples()) }
}

/**
 * Makes the page: one file, which works from a disk as from a server, and which loads nothing.
 *
 * @param site the address of the pages of the codes, with a slash at its end, for a page that is not on the site
 *   itself;
 *   without it, such a page has no links
 */
export async function makeExplainPage(site?: string): Promise<string> {
  const worker = await makeWorker()
  const script = await bundle('one-file.ts', {
    define: { SITE: site === undefined ? 'undefined' : JSON.stringify(site) }
  })
  const style = await bundle('page.css', { loader: { '.css': 'css' } })
  const policy = [
    "default-src 'none'",
    `script-src ${sourceOf(script)}`,
    `style-src ${sourceOf(style)}`,
    'worker-src blob:',
    'connect-src https:',
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types worker'
  ].join('; ')
  // The page has a limit, and the worker is most of it.
  const packed = gzipSync(worker, { level: 9 }).toString('base64')
  const examples = JSON.stringify(loadExamples()).replaceAll('<', '\\u003c')
  for (const part of [script, style])
    if (/<\/(?:script|style)|<!--/i.test(part)) throw new Error('a bundle has a text that ends its element')
  const parts: Readonly<Record<string, string>> = {
    policy: `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    style: `<style>${style}</style>`,
    form: form(''),
    scripts: [
      `<script type="text/plain" id="worker">${packed}</script>`,
      `<script type="application/json" id="examples">${examples}</script>`,
      `<script>${script}</script>`
    ].join('\n')
  }
  return readFileSync(at('page.html'), 'utf8').replace(/<!-- (\w+) -->/g, (_, name: string) => parts[name]!)
}

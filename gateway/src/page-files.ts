import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

/** A static file of the page. */
export interface PageFile {
  type: string
  bytes: Buffer
}

const require = createRequire(import.meta.url)

// This module is next to `page/` and one below package.json, here and in the bundle in `dist/`.
export const VERSION: string = require('../package.json').version

const TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' }

/** The page's files by path. */
export async function loadPage(): Promise<ReadonlyMap<string, PageFile>> {
  const own = (name: string) => new URL(`./page/${name}`, import.meta.url)
  const files: readonly [path: string, type: keyof typeof TYPES, file: URL | string][] = [
    ['/', 'html', own('index.html')],
    ['/page.js', 'js', own('page.js')],
    ['/page.css', 'css', own('page.css')],
    ['/pico.css', 'css', require.resolve('@picocss/pico/css/pico.fluid.classless.min.css')],
    ['/icon.svg', 'svg', own('icon.svg')]
  ]
  const loaded = files.map(
    async ([path, type, file]) =>
      [path, { type: `${TYPES[type]}; charset=utf-8`, bytes: await readFile(file) }] as const
  )
  return new Map(await Promise.all(loaded))
}

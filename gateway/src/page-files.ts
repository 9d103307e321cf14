import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

// This module is next to `page/` and one below package.json, here and in the bundle in `dist/`.
const manifest: { version: string; homepage?: string } = require('../package.json')

export const VERSION = manifest.version

/** Tells the page where a site has its pages of the codes; nothing where no address is known. */
export const withCodePages = (html: string, site: string | undefined): string =>
  site?.startsWith('https://') ? html.replace('data-codes=""', `data-codes="${site.replace(/\/$/, '')}/codes/"`) : html

/** Loads the static files of the page by path, each with its type. */
export function loadPage(): ReadonlyMap<string, { type: string; bytes: Buffer }> {
  const file = (type: string, name: string) => ({
    type: `${type}; charset=utf-8`,
    bytes: readFileSync(new URL(`./page/${name}`, import.meta.url))
  })
  const { type, bytes } = file('text/html', 'index.html')
  return new Map([
    ['/', { type, bytes: Buffer.from(withCodePages(bytes.toString(), manifest.homepage)) }],
    ['/page.js', file('text/javascript', 'page.js')],
    ['/page.css', file('text/css', 'page.css')],
    ['/icon.svg', file('image/svg+xml', 'icon.svg')]
  ])
}
